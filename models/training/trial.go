package training

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	backends "github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"
)

const (
	// trialShare is the share of the training samples that a trial holds out.
	trialShare = 0.25
	// trialFolder has the runs of trials in a run's folder, until the run ends.
	trialFolder = ".ccp-trial"
	// Of more than fewRead held-out samples a trial reads some, evenly spaced, so that no more than mostRead
	// probabilities of classes are in memory at a time.
	mostRead = 10_000_000
	fewRead  = 2_000
)

// heldOutTrial holds each member's predictions for the held-out quarter. The members of the trial are fitted to the
// other three quarters of the training samples, with all their choices.
type heldOutTrial struct {
	heldOut
	// data has the held-out samples as its test, and the other three quarters as its training samples.
	data *datasets.Dataset
	// how many were held out; the test samples are some of them if they are very many
	held    int
	inTurn  inTurn                      // what the members of all samples say of samples held out in turn
	mixture transforms.Mixture          // of ridge classifier and forest, as they were fitted to the three quarters
	parts   map[string]transforms.Score // how each transform alone predicts the quarter, by name
}

// holdOut fits the transforms and the forest to three quarters of the training samples, with a graph of these samples
// if the graph is made of samples. Of two groups it holds out one. It returns nil if nothing can be held out, or if
// what is left is too little for a fit.
func (r *run) holdOut(ctx context.Context, data *datasets.Dataset) (*heldOutTrial, error) {
	split := data.Trial(data.Labels, data.Units(), trialShare, uint64(r.config.Seed))
	if len(split.Test) == 0 || len(split.Train) == 0 {
		return nil, nil
	}
	held := len(split.Test)
	split.Test = loop.Spread(split.Test, max(fewRead, mostRead/data.Classes()))
	d, err := data.Resplit(split)
	if err != nil {
		return nil, err
	}
	fitted, _ := ungrouped(d) // groups may tell less of three quarters than of all
	c, err := r.transformsOf(fitted)
	if err != nil {
		return nil, err
	}
	unseen := *d
	unseen.Train, unseen.Mirror = d.Test, nil
	shares := classShares(data)
	c.Held = transforms.Held{Samples: transformSamples(&unseen), Shares: shares}
	members, err := transforms.Fit(ctx, c, transformSamples(fitted))
	if errors.Is(err, transforms.ErrTooFew) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the trial on %d of the %d training samples: %w", len(d.Train), len(data.Train), err)
	}
	t := &heldOutTrial{data: d, held: held, mixture: members.Mixture, parts: map[string]transforms.Score{},
		heldOut: heldOut{families: r.holdsFamilies(data), shares: shares, units: unitsOf(d, d.Test),
			labels: make([]int32, len(d.Test)), readings: make([]transforms.Reading, len(d.Test))}}
	loop.Parallel(len(d.Test), func(at int) {
		if ctx.Err() != nil {
			return
		}
		i := d.Test[at]
		t.labels[at] = d.Labels[i]
		t.readings[at] = members.Read(d.Input(i, make([]float32, d.Nodes*d.Channels)))
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, p := range members.Parts() {
		t.parts[p.Name] = p.Score
	}
	return t, nil
}

// classShares returns the share of each class among the training samples.
func classShares(d *datasets.Dataset) []float64 {
	shares := make([]float64, d.Classes())
	for _, i := range d.Train {
		shares[d.Labels[i]]++
	}
	for class := range shares {
		shares[class] /= float64(len(d.Train))
	}
	return shares
}

// unitsOf returns the number of each of these samples' units, see heldOut.
func unitsOf(d *datasets.Dataset, samples []int) []int {
	names := make([]string, len(samples))
	for at, i := range samples {
		names[at] = cmp.Or(d.Unit(i), fmt.Sprintf("sample %d", i))
	}
	return numbered(names)
}

// score returns figures as the score of the held-out samples.
func (t *heldOutTrial) score(f figures) transforms.Score {
	n := len(t.labels)
	s := transforms.Score{Accuracy: f.accuracy, Loss: f.loss / float64(n), Samples: n}
	if t.data.Groups != nil {
		s.Groups = t.unitCount()
	}
	return s
}

// triedNetwork is the network of a trial, from which the run goes on.
type triedNetwork struct {
	folder  string          // of the trial's run
	backend compute.Backend // that it was trained on
	// variables are those of its store, in their order. A program takes them in this order, so that a store with another
	// one would have it compiled again.
	variables []string
}

// trialLook is a look at a trial's network, see pause.look, by its probabilities for the held-out samples.
type trialLook func(step int, before []float64, predictions [][]float64) (loss float64, goOn bool)

// trainTrial trains the network alone on the training samples of d, for the first steps of the run. It returns the
// network's probabilities for the test samples of d, in their order. look is called after some steps on the way, and if
// it returns false the trial ends with errGivenUp. It is nil for an ablation, which gives no notice of how long it
// takes: as long as the trial before.
//
// The trial is a run of its own in the run's folder, so that an interrupted one goes on where it was.
func (r *run) trainTrial(ctx context.Context, d *datasets.Dataset, steps int, look trialLook) (
	predictions [][]float64, tried triedNetwork, err error) {
	c, spec := r.trialConfig(d)
	tried.folder, err = r.trialFolder(d)
	if err != nil {
		return nil, tried, err
	}
	tried.backend, err = trialBackend(r.backend, c, spec, len(d.Test))
	if err != nil {
		return nil, tried, err
	}
	if d.Affinity != r.data.Affinity {
		ctx = files.Uncached(ctx) // no other training will have this graph
	}
	progress := trialProgress{run: r, silent: look == nil, steps: steps}
	o := Options{Dir: tried.folder, Backend: r.options.Backend, SaveEvery: r.options.SaveEvery}
	o.resumed = func(step int) { r.notice("the trial goes on: " + resumingNotice(step)) }
	o.pause = pause{after: steps, step: progress.step}
	o.pause.end = func(network *models.Classifier, store *model.Store) (err error) {
		tried.variables = pathsOf(store)
		predictions, err = r.predictionsOf(network, d)
		return err
	}
	if look != nil {
		o.pause.looks = looksAt(c.Steps)
		o.pause.look = func(step int, before []float64, network *models.Classifier) (loss float64, goOn bool, err error) {
			so, err := r.predictionsOf(network, d)
			if err != nil {
				return 0, false, err
			}
			loss, goOn = look(step, before, so)
			return loss, goOn, nil
		}
	}
	_, err = c.trainAs(ctx, tried.backend, d, d.Fingerprint(), spec, o)
	if errors.Is(err, ErrInterrupted) {
		err = fmt.Errorf("%w in the trial of the network: give the same command to go on", ErrInterrupted)
	}
	return predictions, tried, err
}

// predictionsOf returns a network's probabilities for the test samples of d.
func (r *run) predictionsOf(network *models.Classifier, d *datasets.Dataset) (predictions [][]float64, err error) {
	_, err = EvaluateEach(network, d, d.Test, r.evaluationBatch(), func(_ int, probabilities []float64) {
		predictions = append(predictions, probabilities)
	})
	return predictions, err
}

// stepsOfTrial returns the number of steps of a trial on d: the first three quarters of the run's, from which the run
// goes on with all samples. If memberships are learned and its graph is another one, or if the steps are no four, it
// has all steps, and the run begins anew.
func (r *run) stepsOfTrial(d *datasets.Dataset) int {
	if r.spec.Learns() && d.Affinity != r.data.Affinity || r.total < 4 {
		return r.total
	}
	return r.total * 3 / 4
}

// trialConfig returns the configuration and the network with which the trial trains on d: those of the run, without
// transforms and without validation.
func (r *run) trialConfig(d *datasets.Dataset) (Config, models.Spec) {
	c, spec := r.config, r.spec
	spec.Info = d.Info
	spec.Options.Transforms = transforms.None
	c.Transforms = transforms.None
	c.Batch = min(c.Batch, len(d.Train))
	c.Keep, c.Validation, c.Early = KeepLast, 0, notEarly
	return c, spec
}

// trialFolder returns the folder in which a trial on d is run. Its name is a hash of the run's settings and data and
// of the graph of d, so that a trial with other settings is another one.
func (r *run) trialFolder(d *datasets.Dataset) (string, error) {
	metadata := r.metadata
	metadata.Command = "" // the same command may be written in another way
	hashed, err := json.Marshal(metadata)
	if err != nil {
		return "", err
	}
	for _, name := range []string{configFile, dataFile} {
		content, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return "", err
		}
		hashed = append(hashed, content...)
	}
	if d.Affinity != r.data.Affinity { // it is made anew from fewer samples, or random
		hashed = append(hashed, d.Affinity.Hash()...)
	}
	return filepath.Join(r.dir, trialFolder, fmt.Sprintf("%x", sha256.Sum256(hashed))[:20]), nil
}

// trialProgress follows the steps of a trial. It tells the run's observer how far the trial is, and gives notice of a
// long trial once its steps have been timed for a second.
type trialProgress struct {
	run      *run
	silent   bool      // no notice is given
	steps    int       // of the trial
	start    time.Time // when the first step ended, which has compiled
	from     float64   // the share of the trial that was done then
	estimate bool      // the time has been estimated
}

// longTrial is the number of seconds above which a trial is worth a notice.
const longTrial = 5

// step is a pause's step.
func (t *trialProgress) step(step int) {
	done := float64(step) / float64(t.steps)
	if t.run.options.Observer.Trial != nil {
		t.run.options.Observer.Trial(done)
	}
	if t.start.IsZero() {
		t.start, t.from = time.Now(), done
		return
	}
	seconds := time.Since(t.start).Seconds()
	if t.silent || t.estimate || seconds < 1 {
		return
	}
	t.estimate = true
	if whole := seconds / (done - t.from); whole > longTrial {
		t.run.give(longTrialNotice(whole))
	}
}

// trialBackend returns pure Go for a trial of little work, for which XLA would compile a step for 2 to 4 s, and else
// backend. The work decides, not the time, so that a command that is given again computes the same. A step takes
// three times the multiply-adds of its samples in one hierarchy. The predictions of the test samples take those of
// all hierarchies.
func trialBackend(backend compute.Backend, c Config, spec models.Spec, test int) (compute.Backend, error) {
	quick := float64(1 << 32) // multiply-adds, in about 4 s
	if strings.Contains(runtime.Version(), "simd") {
		quick = 1 << 33 // in about 2 s
	}
	_, work := products(spec)
	known := spec.Clusters() && !spec.Learns() && spec.Options.DType != nn.BFloat16 // and not slow in Go
	if !known || work*float64(3*c.Batch*c.Steps+test*spec.Hierarchies()) > quick {
		return backend, nil
	}
	return pureGo()
}

// pureGo opens the pure Go backend.
func pureGo() (compute.Backend, error) {
	pure, _, err := backends.Open(backends.Options{Name: "go"})
	return pure, err
}

// trainingBackend returns the backend on which the steps of a run are computed: that of its trial, if it goes on from
// one.
func (r *run) trainingBackend() (compute.Backend, error) {
	if r.state.InGo {
		return pureGo()
	}
	return r.backend, nil
}
