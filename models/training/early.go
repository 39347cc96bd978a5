package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"gonum.org/v1/gonum/floats"
)

// notEarly is the value of Config.Early that asks for no early decisions.
const notEarly = "none"

const (
	// leastTimepoints is the number of time points from which recordings are looked at: fewer tell hardly anything.
	leastTimepoints = 4
	// fewestLooks is the number of looks without which nothing can be decided early: as many as must agree.
	fewestLooks = 3
	// fewestEarly is the number of training samples without which no rule is chosen, and mostEarly is how many the
	// classifiers of cut recordings are fitted to, evenly spaced: there is one for each look.
	fewestEarly, mostEarly = 10, 1000
	// fewestGroups is how many groups the samples need: one to hold out, and two for a fit.
	fewestGroups = 3
	// earlyFolds is how many parts the samples have of which each is held out in turn, until enoughHeldOut have been.
	earlyFolds, enoughHeldOut = 4, 100
)

// fitEarly fits a classifier to the training recordings cut at each look, chooses by held-out ones when the class of a
// recording is decided, and puts the classifiers into the store.
func (r *run) fitEarly(ctx context.Context) error {
	if r.config.Early == notEarly {
		return nil
	}
	f, err := r.earlyFitOf()
	if err != nil {
		return err
	}
	for _, timepoints := range early.LooksAt(r.data.Form.Longest, leastTimepoints) {
		err := f.look(ctx, timepoints)
		if err != nil && !errors.Is(err, transforms.ErrAlike) { // as where nothing happens yet
			return fmt.Errorf("recordings cut at %d time points: %w", timepoints, err)
		}
	}
	samples, err := f.samples(ctx, r.atEnd)
	if err != nil {
		return fmt.Errorf("early decisions: %w", err)
	}
	rule := early.Choose(f.looks, classShares(r.data), samples, early.Aim(r.config.Early), r.config.EarlyLoss/100)
	for look, v := range f.classifiers {
		if err := v.Keep(r.store, transforms.LookScope(look)); err != nil {
			return err
		}
	}
	rule.Varies = usuallyVaries(f.recordings, f.width)
	r.state.Early = rule
	r.noteEarly(rule, f.lone)
	return nil
}

// earlyFit fits classifiers to cut recordings.
type earlyFit struct {
	config      transforms.Config
	recordings  []transforms.Sample
	numbers     []int            // of the recordings in the data set
	width       int              // values of a time point
	folds       []datasets.Split // of the recordings: each one's test is held out
	looks       []int            // time points
	classifiers []*transforms.Classifier
	held        []heldOutCut // of each look
	lone        []string     // classes of which nothing is known while their only group is held out
}

// earlyFitOf returns the fit to the training recordings of the run, which are held out by the same groups as those of
// the whole ones.
func (r *run) earlyFitOf() (*earlyFit, error) {
	d, _ := ungrouped(r.data)
	if r.holdsFamilies(d) {
		d = d.Together(r.options.doubts.units)
	}
	some := *d
	some.Train, some.Mirror = loop.Spread(d.Train, mostEarly), nil
	c, err := r.transformsOf(&some)
	if err != nil {
		return nil, err
	}
	c.Only, c.Relink, c.Compact = nil, nil, true
	f := &earlyFit{config: c, recordings: transformSamples(&some), numbers: some.Train, width: d.Form.Width(),
		looks: []int{}}
	several := classesOfSeveralGroups(&some)
	for k, name := range d.ClassNames {
		ofClass := func(s transforms.Sample) bool { return int(s.Label) == k }
		if !several[int32(k)] && slices.ContainsFunc(f.recordings, ofClass) {
			f.lone = append(f.lone, fmt.Sprintf("%q", suggest.Clip(name)))
		}
	}
	f.folds, err = f.split(uint64(r.config.Seed))
	return f, err
}

// split returns the folds. If a class has a single sample, which no fold can hold out, it is a quarter without that.
func (f *earlyFit) split(seed uint64) (folds []datasets.Split, err error) {
	n := len(f.recordings)
	labels, groups, count := make([]int32, n), []string(nil), map[int32]int{}
	units := map[string]bool{}
	for i, s := range f.recordings {
		labels[i] = s.Label
		count[s.Label]++
		name := cmp.Or(s.Group, fmt.Sprintf("sample %d", i))
		units[name] = true
		groups = append(groups, name)
	}
	of := min(earlyFolds, len(units), slices.Min(slices.Collect(maps.Values(count))))
	if of < 2 {
		all := datasets.Split{Train: loop.Indices(n)}
		quarter := all.Trial(labels, groups, trialShare, seed)
		if len(quarter.Test) == 0 {
			return nil, fmt.Errorf("early decisions: %w: none can be held out to choose by", transforms.ErrTooFew)
		}
		return []datasets.Split{quarter}, nil
	}
	classes := make([]string, f.config.Classes)
	held := 0
	for number := 1; number <= of && held < enoughHeldOut; number++ {
		fold, err := datasets.Fold{Number: number, Of: of}.Split(labels, groups, classes, seed)
		if err != nil {
			return nil, fmt.Errorf("early decisions: %w", err)
		}
		folds, held = append(folds, fold), held+len(fold.Test)
	}
	return folds, nil
}

// cut returns a recording's first time points, or all that it has.
func (f *earlyFit) cut(s transforms.Sample, timepoints int) transforms.Sample {
	s.Values = s.Values[:min(len(s.Values)/f.width, timepoints)*f.width]
	return s
}

// fit fits a classifier to some recordings, each cut at so many time points.
func (f *earlyFit) fit(ctx context.Context, some []int, timepoints int) (*transforms.Classifier, error) {
	c, cut := f.config, make([]transforms.Sample, len(some))
	for at, i := range some {
		cut[at] = f.cut(f.recordings[i], timepoints)
	}
	c.Frames = min(c.Frames, timepoints)
	return transforms.Fit(ctx, c, cut)
}

// heldOutCut is how held-out recordings are predicted that are cut at a look.
type heldOutCut struct {
	probabilities [][]float64 // fold by fold
	temperature   float64     // of them, which suits the held-out recordings
	gain          float64     // how much more likely they make the classes than their shares do, in nats
}

// heldOut predicts the recordings that are held out, each cut at so many time points, by classifiers that are fitted to
// the others, with all their choices. A classifier of recordings that tell nothing yet is too sure by chance, of which
// its own samples cannot tell: hence the temperature.
func (f *earlyFit) heldOut(ctx context.Context, timepoints int) (h heldOutCut, err error) {
	var labels []int32
	shares := make([]float64, f.config.Classes)
	for _, fold := range f.folds {
		v, err := f.fit(ctx, fold.Train, timepoints)
		if err != nil {
			return h, err
		}
		probabilities := make([][]float64, len(fold.Test))
		loop.Parallel(len(fold.Test), func(at int) {
			cut := f.cut(f.recordings[fold.Test[at]], timepoints)
			probabilities[at] = v.Probabilities(v.Read(cut.Values), nil)
		})
		h.probabilities = append(h.probabilities, probabilities...)
		for _, i := range fold.Test {
			label := f.recordings[i].Label
			labels = append(labels, label)
			shares[label]++
		}
	}
	floats.Scale(1/float64(len(labels)), shares)
	h.temperature = calibrate(h.probabilities, labels).Temperature
	for at, p := range h.probabilities {
		h.probabilities[at] = prob.Temper(p, h.temperature)
		h.gain += math.Log(h.probabilities[at][labels[at]] / shares[labels[at]])
	}
	return h, ctx.Err()
}

// look adds a look at so many time points, unless what it says of held-out recordings may be chance.
func (f *earlyFit) look(ctx context.Context, timepoints int) error {
	held, err := f.heldOut(ctx, timepoints)
	if err != nil || held.gain < minGainInNats {
		return err
	}
	v, err := f.fit(ctx, loop.Indices(len(f.recordings)), timepoints)
	if err != nil {
		return err
	}
	v.Temperature = held.temperature
	f.looks, f.classifiers, f.held = append(f.looks, timepoints), append(f.classifiers, v), append(f.held, held)
	return nil
}

// samples returns the recordings that are held out, with what the looks say of them, and then the whole ones: the
// transforms that predict, if these have held all recordings out in turn, or else a classifier as small as the looks'.
func (f *earlyFit) samples(ctx context.Context, atEnd map[int][]float64) (all []early.Sample, err error) {
	var small heldOutCut
	for _, fold := range f.folds {
		for _, i := range fold.Test {
			at, of := len(all), f.recordings[i]
			s := early.Sample{Class: int(of.Label), Length: len(of.Values) / f.width, End: atEnd[f.numbers[i]]}
			if s.End == nil && small.probabilities == nil {
				small, err = f.heldOut(ctx, math.MaxInt)
			}
			if err != nil {
				return nil, err
			}
			if s.End == nil {
				s.End = small.probabilities[at]
			}
			for _, held := range f.held {
				s.Looks = append(s.Looks, held.probabilities[at])
			}
			all = append(all, s)
		}
	}
	return all, nil
}
