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
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	backends "github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/cache"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
)

const (
	// trialShare is the share of the training samples that a trial holds out, to weigh ridge classifier and network by them.
	trialShare = 0.25
	// There is no trial, and no network is trained, if the transforms' log-loss on manyHeldOut samples or groups of the quarter, or
	// more, is at most minGainInNats in all. Of n without a mistake the error rate is below 3/n, with 95% confidence: a network has
	// little to gain. So few are right by chance too often, and there two good members are better than one.
	manyHeldOut   = 30
	minGainInNats = 3
	// chanceInNats is how much of a log-likelihood is chance: less does not tell members apart.
	chanceInNats = 1
	// The deviations of the logarithms of temperatures, before any sample is seen. The ridge classifier has its temperature by its
	// own held-out samples already, in which one that was fitted to fewer samples differs: few mistakes of a quarter's are no
	// reason to make the classifier of all samples much less sure. Forests are not sure enough, and networks may be either.
	ridgeDeviation, forestDeviation, networkDeviation = 0.3, 0.5, 1
	// equalUnits is how many samples or groups are as much as the prior belief that members are best in equal parts.
	equalUnits = 10
	resuming   = "resuming" // how the notice of a run that goes on begins
	// trialFolder has the runs of trials, until the run ends.
	trialFolder = ".ccp-trial"
)

// fitTransforms fits the ridge classifier on the transforms, decides its weight beside the network, and puts it into the store
// unless that is 0. It gives notice of the accuracy of each on held-out samples.
func (r *run) fitTransforms(ctx context.Context) error {
	if r.spec.Options.Transforms == transforms.None {
		return nil
	}
	d, alone := ungrouped(r.data)
	if alone {
		r.notice("groups: most samples are of a class that only one group has, so that single samples are held out; new groups may be harder")
	}
	c, err := r.transformsOf(d)
	if err != nil {
		return err
	}
	v, err := transforms.Fit(ctx, c, transformSamples(d))
	if err != nil {
		return err
	}
	line := ""
	if c.Lone {
		line = "no class has two training samples or groups, so that none can be held out"
		if len(v.Predicting()) > 0 {
			line += ": the transforms have their usual weights and a small penalty"
		}
	}
	line, err = r.weighMembers(ctx, d, c.Lone, v, line)
	if err != nil {
		return err
	}
	network := r.state.Members // of the trial, if there was one
	r.state.Members = nil
	for _, p := range v.Parts() {
		r.state.Members = append(r.state.Members, member(p.Name, p.Graph, p.Weight*v.Weight, p.Score))
	}
	r.state.Members = append(r.state.Members, network...)
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

// transformsOf returns how transforms are fitted to the training samples of a data set.
func (r *run) transformsOf(d *datasets.Dataset) (transforms.Config, error) {
	c, err := transforms.For(&r.spec.Info, d.Affinity, r.spec.Options.Transforms)
	if err != nil {
		return c, err
	}
	c.Seed, c.Backend, c.Lone = uint64(r.Seed), r.backend, len(several(d)) == 0
	if d.GraphLearned() {
		c.Relink = func(some []int) (*affinity.Matrix, error) {
			of := make([]int, 0, len(some))
			for _, at := range some {
				of = append(of, d.Train[at%len(d.Train)]) // mirror images come after the samples
			}
			slices.Sort(of)
			other, err := d.Resplit(datasets.Split{Train: slices.Compact(of)})
			if err != nil {
				return nil, err
			}
			own, err := transforms.For(&r.spec.Info, other.Affinity, r.spec.Options.Transforms)
			return own.Links, err
		}
	}
	return c, nil
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
	some := *d
	some.Train = loop.Spread(d.Train, transforms.MostSamples) // a fit uses no more, and a list of millions would itself take memory
	return bytes + int64(c.Memory(transformSamples(&some)))
}

// weighMembers weighs the ridge classifier, the forest and the network by a quarter of the training samples. For this trial they
// are fitted to the other three quarters, with all their choices, the network as the run will train it. Each gets the temperature
// and the weight with the least log-loss on the quarter: first the forest beside the ridge classifier, then the network beside
// both. The result is line with the accuracies and losses of the trial. No network is trained for it if none is asked for, or if even
// one without a mistake would gain little.
func (r *run) weighMembers(ctx context.Context, data *datasets.Dataset, lone bool, v *transforms.Classifier,
	line string) (string, error) {
	q, err := r.holdOut(ctx, data)
	if err != nil {
		return "", err
	}
	if q == nil {
		v.WeighForest(v.ForestWeight)
		v.SetScores(nil)
		if lone {
			return line, nil
		}
		return join(line, "no quarter can be held out without the last samples or groups of a class, so that nothing "+
			"says how well the transforms predict, and no network is tried"), nil
	}
	q.members.Smoothing = v.Smoothing
	shares, n := q.alone(v), float64(len(q.d.Test))
	each, together := q.weighForest(ctx, v)
	loss, _, ours := q.judge(ctx, 1)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	q.scores[transforms.All] = q.score(loss, ours)
	v.SetScores(q.scores)
	shares = append(append(shares, each...), share(together, ours))
	line = join(line, fmt.Sprintf("on a %s: %s, loss %.3f", q.name(), strings.Join(shares, ", "), loss/n))
	if r.spec.Network().Fitted || loss <= minGainInNats && q.units() >= manyHeldOut {
		return line, nil
	}
	line += fmt.Sprintf("; to compare, a network is trained on the other %s, with all its %d steps",
		text.Count(len(q.d.Train), "training sample"), r.total)
	if r.Ablate {
		line += ", and then again on a random graph"
	}
	r.notice(line)
	seconds, err := r.trainTrial(ctx, q.d, false, q.network)
	if err != nil {
		return "", err
	}
	var networkLoss, accuracy float64
	v.NetworkTemperature, networkLoss, accuracy = q.tempered(ctx, &q.members.NetworkTemperature, networkDeviation, 0)
	line = fmt.Sprintf("on a %s the transforms have %.1f%%, loss %.3f, the network %.1f%%, loss %.3f", q.name(), 100*ours, loss/n,
		100*accuracy, networkLoss/n)
	members := 1
	if f := q.members.ForestWeight; f > 0 && f < 1 {
		members = 2
	}
	switch nothing := q.baseline(); { // who is no better than that tells nothing
	case networkLoss/n >= nothing:
	case loss/n >= nothing:
		v.Weight = 0
	default:
		v.Weight = weightOf(loss, members, func(weight float64) (float64, float64, float64) { return q.judge(ctx, weight) })
	}
	r.state.Members = []Member{member("network", true, 1-v.Weight, q.score(networkLoss, accuracy))}
	if r.Ablate {
		if err := r.ablate(ctx, q, seconds); err != nil {
			return "", err
		}
	}
	if v.Weight > 0 {
		return line, nil
	}
	var labels []int32
	var held [][]float64
	for _, i := range q.d.Test {
		labels, held = append(labels, q.d.Labels[i]), append(held, q.network[i])
	}
	r.state.Calibration = calibrate(held, labels)
	return line, nil
}

// join joins what is said by semicolons.
func join(said ...string) string {
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), "; ")
}

// ungrouped returns the data without groups, if most training samples are of a class that only one group has. Without its
// group nothing would be known of such a class.
func ungrouped(d *datasets.Dataset) (*datasets.Dataset, bool) {
	if d.Groups == nil {
		return d, false
	}
	several, alone := several(d), 0
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

// several has the classes with training samples of two groups.
func several(d *datasets.Dataset) map[int32]bool {
	first, several := map[int32]string{}, map[int32]bool{}
	for _, i := range d.Train {
		label, group := d.Labels[i], cmp.Or(d.Group(i), fmt.Sprintf("sample %d", i))
		first[label] = cmp.Or(first[label], group)
		if first[label] != group {
			several[label] = true
		}
	}
	return several
}

// trainTrial trains the network alone, as the run will train it, and sets its probabilities for the test samples. It
// returns how long that took. An ablation takes as long as the trial before, so that it does not say how long. The
// trial is a run in the run's folder, in a folder of its own for these settings and data, so that an interrupted one
// goes on.
func (r *run) trainTrial(ctx context.Context, d *datasets.Dataset, ablation bool,
	predictions map[int][]float64) (seconds float64, err error) {
	metadata := r.metadata
	metadata.Command = "" // which may be written in another way
	of, err := json.Marshal(metadata)
	if err != nil {
		return 0, err
	}
	for _, name := range []string{configFile, dataFile} {
		content, err := os.ReadFile(filepath.Join(r.Dir, name))
		if err != nil {
			return 0, err
		}
		of = append(of, content...)
	}
	if d.Affinity != r.data.Affinity { // made anew, or a random one
		of = append(of, d.Affinity.Hash()...)
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
	o.Observer.Notice = func(line string) {
		if strings.HasPrefix(line, resuming) {
			r.notice("the trial goes on: " + line)
		}
	}
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
			if whole := seconds / (done - from); whole > 5 && !ablation {
				r.notice(fmt.Sprintf("the trial takes about %.0f s, and a training of the network after it as long again; "+
					"model=transforms leaves out both", whole))
			}
			from = -1
		}
	}
	backend, err := trialBackend(r.backend, c, spec, len(d.Test))
	if err != nil {
		return 0, err
	}
	if d.Affinity != r.data.Affinity {
		ctx = cache.Passing(ctx) // nobody has this graph again
	}
	trained, err := c.trainAs(ctx, backend, d, d.Fingerprint(), spec, o)
	if err != nil {
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
	_, err = EvaluateEach(classifier, d, d.Test, r.evaluationBatch(), func(sample int, probabilities []float64) {
		predictions[sample] = probabilities
	})
	return trained.Seconds + trained.CompileSeconds, err
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
// images the network knows more.
func suitsTransforms(c Config, d *datasets.Dataset) bool {
	const mostImages, mostValues = 1_500, 10_000
	if d.Series != nil || network(c.Model).Fitted {
		return true
	}
	of, _ := transforms.For(&d.Info, d.Affinity, transforms.All) // which is no wrong option
	return !of.Table || d.Nodes*d.Channels <= mostValues && (d.Grid == nil || len(d.Train) <= mostImages)
}
