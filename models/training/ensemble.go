package training

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	backends "github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// trialShare is the share of the training samples that a trial holds out, to weigh ridge classifier and network by them.
	trialShare = 0.25
	// If the ridge classifier's log-loss on held-out samples is at most maxLossToSkipNetwork, in nats, or all its predictions of
	// them are right, there is no trial, and no network is trained. A network gets a weight if it lowers the log-loss of the trial
	// by the share minRelativeGain, and by minGainInNats over all samples: a likelihood 20 times as great.
	maxLossToSkipNetwork = 0.02
	minRelativeGain      = 0.02
	minGainInNats        = 3
	// oneError is the probability of a normal variable below one standard error.
	oneError = 0.8413
	// trialFolder has the runs of trials, until the run ends.
	trialFolder = ".ccp-trial"
)

// fitTransforms fits the ridge classifier on the transforms, decides its weight beside the network, and puts it into the store
// unless that is 0. It gives notice of the accuracy of each on held-out samples.
func (r *run) fitTransforms(ctx context.Context, backend compute.Backend) error {
	if r.spec.Options.Transforms == transforms.None {
		return nil
	}
	d, alone := ungrouped(r.data)
	if alone {
		r.notice("groups: most samples are of a class that only one group has, so that single samples are held out; new groups may be harder")
	}
	c, err := transforms.For(&r.spec.Info, r.data.Affinity, r.spec.Options.Transforms)
	if err != nil {
		return err
	}
	c.Seed, c.Backend = uint64(r.Seed), backend
	v, err := transforms.Fit(ctx, c, transformSamples(d))
	if err != nil {
		return err
	}
	parts := v.Parts()
	all := parts[len(parts)-1]
	var accuracies []string
	for _, p := range parts[:len(parts)-1] {
		accuracies = append(accuracies, fmt.Sprintf("%s %.1f%%", p.Name, 100*p.Accuracy))
	}
	line := "held-out training samples: " + strings.Join(accuracies, ", ")
	if all.Loss <= maxLossToSkipNetwork || all.Accuracy == 1 {
		if len(parts) > 2 {
			line += fmt.Sprintf(", together %.1f%%", 100*all.Accuracy)
		}
	} else if line, err = r.weighMembers(ctx, backend, d, c, v, line); err != nil {
		return err
	}
	switch v.Weight {
	case 0:
		r.notice(line + ": the network predicts alone")
		return nil
	case 1:
		verb := " predict"
		if len(v.Predicting()) == 1 {
			verb = " predicts"
		}
		r.notice(line + ": " + strings.Join(v.Predicting(), ", ") + verb)
	default:
		r.notice(fmt.Sprintf("%s: %s have the weight %.0f%%, the network %.0f%%", line, strings.Join(v.Predicting(), ", "),
			100*v.Weight, 100-100*v.Weight))
	}
	return v.Keep(r.store)
}

// hasNetwork reports whether the network has a weight in the predictions. Otherwise it is not trained.
func (r *run) hasNetwork() bool { return transforms.Weight(r.store) < 1 }

// transformSamples returns the samples that the transforms use: the training samples, and then their mirror images if there
// are any. An image is held out with its sample.
func transformSamples(d *datasets.Dataset) []transforms.Sample {
	samples, buffer := make([]transforms.Sample, len(d.Train)), []float32(nil)
	for at, i := range d.Train {
		if d.Series == nil {
			buffer = make([]float32, d.Nodes*d.Channels)
		}
		samples[at] = transforms.Sample{Values: d.Input(i, buffer), Label: d.Labels[i], Group: d.Group(i)}
	}
	if d.Mirror != nil {
		for at := range d.Train {
			samples[at].Group = cmp.Or(samples[at].Group, fmt.Sprintf("sample %d", at))
			sample := samples[at]
			sample.Values = slices.Clone(sample.Values)
			d.Mirror(sample.Values)
			samples = append(samples, sample)
		}
	}
	return samples
}

// Memory is about how many bytes a training of recordings takes on the host: the program with XLA, the recordings and the
// fit of all transforms. A network's training comes after the fit, and takes what DryRun says. It is 0 for other data.
func Memory(d *datasets.Dataset) (bytes int64) {
	if d.Series == nil {
		return 0
	}
	bytes = 220 << 20
	for _, series := range d.Series {
		bytes += int64(4 * len(series))
	}
	c, _ := transforms.For(&d.Info, d.Affinity, transforms.All) // which is no wrong option
	return bytes + int64(c.Memory(transformSamples(d)))
}

// weighMembers weighs the ridge classifier and the network by a quarter of the training samples. For this trial both are fitted
// to the other three quarters, with all their choices, the network as the run will train it. Each gets the temperature and the
// weight with the least log-loss on the quarter. The result is line with the accuracies and losses of the trial. No network
// is trained for it if even one without a mistake would gain too little.
func (r *run) weighMembers(ctx context.Context, backend compute.Backend, data *datasets.Dataset, c transforms.Config, v *transforms.Classifier,
	line string) (string, error) {
	of := *data // its scale and graph stay as they are, and its warnings were said
	of.Warnings = nil
	d := &of
	d.Split = data.Trial(d.Labels, d.Groups, trialShare, uint64(r.Seed))
	if len(d.Test) == 0 || len(d.Train) == 0 { // too few samples
		return line, nil
	}
	unseen, err := transforms.Fit(ctx, c, transformSamples(d))
	switch {
	case ctx.Err() != nil:
		return "", err
	case err != nil: // the three quarters are of one class or group, or all alike
		return line, nil
	}
	unseen.Smoothing = v.Smoothing
	own, network := make([][]float32, len(d.Test)), map[int][]float64{}
	for at, i := range d.Test {
		own[at] = unseen.Logits(d.Input(i, make([]float32, d.Nodes*d.Channels)))
	}
	unit := units(d, d.Test)
	judge := func(weight float64) (losses []float64, right int) { // a loss for each unit
		losses, unseen.Weight = make([]float64, slices.Max(unit)+1), weight
		for at, i := range d.Test {
			p, label := unseen.Probabilities(own[at], network[i]), int(d.Labels[i])
			if losses[unit[at]] -= math.Log(max(p[label], 1e-9)); floats.MaxIdx(p) == label {
				right++
			}
		}
		return losses, right
	}
	v.Temperature = temperature(func(t float64) float64 {
		unseen.Temperature = t
		losses, _ := judge(1)
		return floats.Sum(losses)
	})
	unseen.Temperature = v.Temperature
	losses, alone := judge(1)
	n, loss := float64(len(d.Test)), floats.Sum(losses)
	v.SetScore(loss/n, float64(alone)/n)
	line += fmt.Sprintf("; on a held-out quarter the transforms have %.1f%%, loss %.3f", 100*float64(alone)/n, loss/n)
	bound := loss - max(minGainInNats, minRelativeGain*loss)
	if bound <= 0 || r.spec.Network().Fitted { // no network can have a loss below it, or none is asked for
		return line, nil
	}
	r.notice(line + fmt.Sprintf("; to compare, a network is trained on the other three quarters, with all its %d steps", r.total))
	accuracy, err := r.trainTrial(ctx, backend, d, network)
	if err != nil {
		return "", err
	}
	v.NetworkTemperature = temperature(func(t float64) float64 {
		unseen.NetworkTemperature = t
		losses, _ := judge(0)
		return floats.Sum(losses)
	})
	unseen.NetworkTemperature = v.NetworkTemperature
	losses, _ = judge(0)
	line = fmt.Sprintf("on a held-out quarter the transforms have %.1f%%, loss %.3f, the network %.1f%%, loss %.3f", 100*float64(alone)/n,
		loss/n, 100*accuracy, floats.Sum(losses)/n)
	v.Weight = weightOf(bound, func(weight float64) ([]float64, bool) {
		losses, right := judge(weight)
		return losses, right >= alone
	})
	if v.Weight > 0 {
		return line, nil
	}
	var labels []int32
	var held [][]float64
	for _, i := range d.Test {
		labels, held = append(labels, d.Labels[i]), append(held, network[i])
	}
	r.state.Calibration = calibrate(held, labels)
	return line, nil
}

// ungrouped returns the data without groups, if most training samples are of a class that only one group has. Without its
// group nothing would be known of such a class.
func ungrouped(d *datasets.Dataset) (*datasets.Dataset, bool) {
	if d.Groups == nil {
		return d, false
	}
	first, several, alone := map[int32]string{}, map[int32]bool{}, 0
	for _, i := range d.Train {
		label, group := d.Labels[i], cmp.Or(d.Group(i), fmt.Sprintf("sample %d", i))
		if first[label] = cmp.Or(first[label], group); first[label] != group {
			several[label] = true
		}
	}
	for _, i := range d.Train {
		if !several[d.Labels[i]] {
			alone++
		}
	}
	if 2*alone <= len(d.Train) {
		return d, false
	}
	other := *d
	other.Groups = nil
	return &other, true
}

// units returns the unit of each of these samples, from 0. Samples of a group are one unit, since they err together.
func units(d *datasets.Dataset, samples []int) []int {
	of, numbers := make([]int, len(samples)), map[string]int{}
	for at, i := range samples {
		name := cmp.Or(d.Group(i), fmt.Sprintf("sample %d", i))
		if _, known := numbers[name]; !known {
			numbers[name] = len(numbers)
		}
		of[at] = numbers[name]
	}
	return of
}

// weightOf returns the weight of the ridge classifier beside the network. Of the tenths below one it takes the one with the
// least log-loss; if that is not below bound, the weight is one. Where little is known, two good predictions are best in equal
// parts. So weightOf prefers a tenth nearer to one half whose log-loss is less than a standard error above the least, namely the
// error of the sum of the units' differences. judge returns the losses of the units, and whether enough predictions are right.
func weightOf(bound float64, judge func(weight float64) (losses []float64, enough bool)) (weight float64) {
	weight = 1
	var of [10][]float64 // the losses of each tenth that may be taken
	least, best := bound, []float64(nil)
	for step := 9; step >= 0; step-- {
		losses, enough := judge(float64(step) / 10)
		sum := floats.Sum(losses)
		if !enough || sum >= bound {
			continue
		}
		if of[step] = losses; sum < least {
			least, best, weight = sum, losses, float64(step)/10
		}
	}
	for _, step := range []int{5, 6, 4, 7, 3, 8, 2, 9, 1} {
		if of[step] == nil {
			continue
		}
		floats.Sub(of[step], best)
		n := float64(len(best))
		few := distuv.StudentsT{Sigma: 1, Nu: max(1, n-1)}.Quantile(oneError)      // of few units the error is known less well
		if !(floats.Sum(of[step]) > few*stat.StdDev(of[step], nil)*math.Sqrt(n)) { // NaN of one unit
			return float64(step) / 10
		}
	}
	return weight
}

// trainTrial trains the network alone, as the run will train it, and sets its probabilities for the test samples. It returns
// its accuracy on them. The trial is a run in the run's folder, in a folder of its own for these settings and data, so that an
// interrupted one goes on.
func (r *run) trainTrial(ctx context.Context, backend compute.Backend, d *datasets.Dataset, predictions map[int][]float64) (accuracy float64, err error) {
	var of []byte
	for _, name := range []string{metadataFile, configFile, dataFile} {
		content, err := os.ReadFile(filepath.Join(r.Dir, name))
		if err != nil {
			return 0, err
		}
		of = append(of, content...)
	}
	folder := filepath.Join(r.Dir, trialFolder, fmt.Sprintf("%x", sha256.Sum256(of))[:20])
	c, spec := r.Config, r.spec
	spec.Info, c.Transforms, spec.Options.Transforms = d.Info, transforms.None, transforms.None
	c.Batch, c.Epochs = min(c.Batch, len(d.Train)), 1
	if spec.Learns() { // a learned hierarchy changes with the epochs
		c.Epochs = r.Epochs
	}
	c.Keep, c.Validation = KeepLast, 0
	o := Options{Dir: folder, Backend: r.Backend, SaveEvery: r.SaveEvery}
	var first time.Time
	var from float64
	o.Observer.Step = func(p Progress) {
		done := (float64(p.Epoch-1) + float64(p.Step)/float64(p.Steps)) / float64(p.Epochs)
		if r.Observer.Trial != nil {
			r.Observer.Trial(done)
		}
		switch seconds := time.Since(first).Seconds(); {
		case first.IsZero(): // this step has compiled
			first, from = time.Now(), done
		case from >= 0 && seconds >= 1:
			if whole := seconds / (done - from); whole > 5 {
				r.notice(fmt.Sprintf("the trial takes about %.0f s, and a training of the network after it as long again", whole))
			}
			from = -1
		}
	}
	if backend, err = trialBackend(backend, c, spec, len(d.Test)); err != nil {
		return 0, err
	}
	if _, err := c.trainAs(ctx, backend, d, d.Fingerprint(), spec, o); err != nil {
		if errors.Is(err, ErrInterrupted) {
			err = fmt.Errorf("%w in the trial of the network: give the same command to go on", ErrInterrupted)
		}
		return 0, err
	}
	classifier, err := models.Load(folder, models.LoadOptions{Backend: backend})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, classifier.Close()) }()
	e, err := EvaluateEach(classifier, d, d.Test, r.evaluationBatch(), func(sample int, probabilities []float64) {
		predictions[sample] = probabilities
	})
	return e.Accuracy, err
}

// trialBackend returns pure Go for a trial of little work: XLA would compile a step for 5 s. Else it returns backend. Work
// decides, not time, so that a command that is given again computes alike. A step takes three times the multiply-adds of
// its samples in one hierarchy. The predictions of the test samples take those of all hierarchies.
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
	pure, _, err := backends.Open(backends.Options{Name: "go"})
	return pure, err
}

// suitsTransforms reports whether transforms suit a data set: recordings, signals on a graph, tables, and few images. Of many
// images the network knows more. Groups are held out, so that it takes two.
func suitsTransforms(c Config, d *datasets.Dataset) bool {
	const mostImages, mostValues = 1_500, 10_000
	oneGroup := d.Groups != nil && !slices.ContainsFunc(d.Train, func(i int) bool { return d.Group(i) != d.Group(d.Train[0]) })
	switch {
	case oneGroup:
		return false
	case d.Series != nil || network(c.Model).Fitted:
		return true
	}
	of, _ := transforms.For(&d.Info, d.Affinity, transforms.All) // which is no wrong option
	return !of.Table || d.Nodes*d.Channels <= mostValues && (d.Grid == nil || len(d.Train) <= mostImages)
}
