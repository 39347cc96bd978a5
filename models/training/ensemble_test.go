package training_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tones writes n recordings of two sensors, from 200 to 300 time points, with a slow or a fast oscillation in noise.
// The frames that a network reads have lost the fast one. A quarter is the test.
func tones(t *testing.T, n int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	const sensors, most = 2, 300
	series, labels, split := make([]float32, n*sensors*most), make([]int32, n), make([]uint8, n)
	for i := range n {
		labels[i], split[i] = int32(i%2), uint8(2*(4*i/(3*n)))
		length, phase := 200+rng.IntN(101), 6*rng.Float64()
		for sensor := range sensors {
			for timepoint := range most {
				v := math.Sin(phase+[]float64{1.6, 2.2}[i%2]*float64(timepoint)) + rng.NormFloat64()
				if timepoint >= length {
					v = math.NaN()
				}
				series[(i*sensors+sensor)*most+timepoint] = float32(v)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "tones.npz")
	list := func(data any) *npz.Array { return &npz.Array{Shape: []int{n}, Data: data} }
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "labels", Array: list(labels)},
		{Name: "split", Array: list(split)},
		{Name: "series", Array: &npz.Array{Shape: []int{n, sensors, most}, Data: series}}}))
	return path
}

// Of one training sample of each class none can be held out. That is said, and the nearest training samples still
// predict.
func TestOneSampleOfEachClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const classes, width = 20, 60
	series, labels, split := make([]float32, 2*classes*width), make([]int32, 2*classes), make([]uint8, 2*classes)
	for i := range series {
		v := rng.NormFloat64()
		if before := i - classes*width; before >= 0 {
			v = float64(series[before]) + 0.7*v
		}
		series[i], labels[i/width], split[i/width] = float32(v), int32(i/width%classes), uint8(2*(i/width/classes))
	}
	path := filepath.Join(t.TempDir(), "lone.npz")
	list := func(data any) *npz.Array { return &npz.Array{Shape: []int{2 * classes}, Data: data} }
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "labels", Array: list(labels)},
		{Name: "split", Array: list(split)},
		{Name: "series", Array: &npz.Array{Shape: []int{2 * classes, 2, width / 2}, Data: series}}}))
	var notices []string
	result, err := training.Train(t.Context(), backendtest.Go(t), training.Patch{"data": path},
		training.Options{Dir: filepath.Join(t.TempDir(), "run"),
			Observer: training.Observer{Notice: func(n training.Notice) { notices = append(notices, n.String()) }}})
	require.NoError(t, err)
	assert.Contains(t, notices[len(notices)-1],
		"none can be held out: the transforms have their usual weights and a small penalty: shapelets, minirocket, ")
	assert.Greater(t, result.Test.Accuracy, 0.9)
	assert.Less(t, result.Test.Loss, 1.0)
	assert.Zero(t, result.Train, "nothing was held out")
	messagetest.Names(t, errors.New(result.NoNetwork), "no network … held out")
	for _, m := range result.Members {
		assert.Nil(t, m.Score, m.Name)
	}
}

// Transforms use what the frames have lost. They are saved and loaded, predict recordings of any length, and explain.
func TestTransforms(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a network in full")
	}
	path := tones(t, 176) // of whose quarter 33 are right
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		dir := filepath.Join(t.TempDir(), "run")
		var notices []string
		result, err := training.Train(t.Context(), backend, training.Patch{"data": path}, training.Options{Dir: dir,
			Observer: training.Observer{Notice: func(n training.Notice) { notices = append(notices, n.String()) }}})
		require.NoError(t, err)
		assert.Equal(t, 1.0, result.Test.Accuracy)
		assert.Contains(t, notices[len(notices)-1], "on a held-out quarter (33 samples): ")
		assert.Contains(t, notices[len(notices)-1], " predict")
		assert.NotContains(t, result.PredictedBy, "network")
		last := result.Members[len(result.Members)-1]
		assert.Equal(t, training.Member{Name: "all", Weight: 1, Score: &result.Train}, last)
		assert.Equal(t, 33, result.Train.Samples, "the quarter")

		c, err := models.Load(dir, models.LoadOptions{Backend: backend})
		require.NoError(t, err)
		assert.Equal(t, result.PredictedBy, c.PredictedBy())
		config, err := training.ReadConfig(dir)
		require.NoError(t, err)
		d, err := training.LoadFor(t.Context(), c.Metadata, config, datasets.Options{Graph: c.Graph})
		require.NoError(t, err)
		again, err := training.Evaluate(c, d, d.Test, 64)
		require.NoError(t, err)
		assert.Equal(t, result.Test, training.Score{Loss: again.Loss, Accuracy: again.Accuracy})

		whole := recording.Recording{}
		for _, v := range d.Series[133] {
			whole.Values = append(whole.Values, float64(v))
		}
		half := whole
		half.Values = whole.Values[:len(whole.Values)/4*2]
		got, err := c.ClassifyRecording(t.Context(), whole, half)
		require.NoError(t, err)
		assert.Equal(t, []int{1, 1}, []int{got[0].Class, got[1].Class})
		assert.LessOrEqual(t, got[0].Probability, 1-1./268+1e-6,
			"132 right predictions do not make the next one certain")
		assert.Empty(t, got[0].Warnings)
		assert.Contains(t, got[1].Warnings[0], "the training's recordings have from ")

		explained, err := c.Attribute(t.Context(), [][]float32{d.Series[133]}, models.AttributionOptions{})
		require.NoError(t, err)
		assert.Equal(t, models.Occlusion, explained[0].Method)
		assert.Len(t, explained[0].Values, d.Nodes)
		_, err = c.Attribute(t.Context(), [][]float32{d.Series[133]},
			models.AttributionOptions{Method: models.GradientInput})
		require.ErrorContains(t, err, "take occlusion")
		_, err = c.Attribute(t.Context(), [][]float32{d.Series[133]}, models.AttributionOptions{Steps: 5})
		require.ErrorContains(t, err, "5 steps are of integrated gradients")
		_, err = c.ClusterLevels(0)
		require.ErrorContains(t, err, "without a network")
		of, err := transforms.For(&c.Info, c.Graph, transforms.All)
		require.NoError(t, err)
		saved, err := transforms.Open(c.Store(), transforms.Scope, of)
		require.NoError(t, err)
		all := saved.Parts()[len(saved.Parts())-1]
		left := training.Score(all.Score)
		require.NoError(t, c.Close())
		_, err = c.ClassifyRecording(t.Context(), recording.Recording{Series: d.Series[133]})
		require.ErrorIs(t, err, models.ErrClosed)
		assert.Equal(t, result.Train, left, "of held-out samples, not of those known by heart")

		// Without transforms the network predicts, which learns them as well.
		result, err = training.Train(t.Context(), backend,
			training.Patch{"data": path, "transforms": "none", "steps": 100, "ccp_hierarchies": 2},
			training.Options{Dir: filepath.Join(t.TempDir(), "network")})
		require.NoError(t, err)
		assert.Greater(t, result.Test.Accuracy, 0.9)
		assert.Equal(t, "the network", result.PredictedBy)
	})
}

// misled is a data set of tones with too few frames for them, in which a third of the training labels are wrong.
func misled(t *testing.T) *datasets.Dataset {
	t.Helper()
	d, err := datasets.Load(t.Context(), tones(t, 40), datasets.Options{Frames: 60})
	require.NoError(t, err)
	for _, i := range d.Train[:10] {
		d.Labels[i] = 1 - d.Labels[i]
	}
	return d
}

// tried is how the tests of the trial train. Without the rate it has the default's.
func tried(rate float64) training.Patch {
	asked := training.Patch{"steps": 80, "ccp_hierarchies": 2} // of which the trial has 60
	if rate != 0 {
		asked["learning_rate"] = rate
	}
	return asked
}

// stopped trains until the trial of the network has done a fifth.
func stopped(t *testing.T, backend compute.Backend, d *datasets.Dataset, dir string, told training.Observer) error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	trial := told.Trial
	told.Trial = func(done float64) {
		trial(done)
		if done == 0.2 {
			stop()
		}
	}
	_, err := training.Train(ctx, backend, tried(0), training.Options{Data: d, Dir: dir, Observer: told})
	return err
}

// noted collects the notices of a training, and the shares of its trial that are done.
type noted struct {
	notices []string
	done    []float64
}

func (n *noted) observer() training.Observer {
	return training.Observer{Notice: func(one training.Notice) {
		if one.Kind != training.SettingsNotice { // of the trial's settings, where the transforms predict
			n.notices = append(n.notices, one.String())
		}
	}, Trial: func(share float64) { n.done = append(n.done, share) }}
}

// weighed is the last notice that names the network.
func (n *noted) weighed() string {
	all := slices.DeleteFunc(slices.Clone(n.notices),
		func(line string) bool { return !strings.Contains(line, "the network ") })
	return all[len(all)-1]
}

// If the transforms' loss is not small, they and the network are weighed by samples that neither was fitted to. A
// trial that was interrupted goes on, and comes to what one without an interruption comes to.
func TestTrialGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("trains four networks")
	}
	d := misled(t)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		dir := filepath.Join(t.TempDir(), "run")
		var n noted
		err := stopped(t, backend, d, dir, n.observer())
		require.EqualError(t, err, "interrupted in the trial of the network: give the same command to go on")
		assert.Equal(t, 0.2, n.done[len(n.done)-1])
		first := len(n.done)
		// The network of the trial is the one that will be trained.
		trials, err := filepath.Glob(filepath.Join(dir, ".ccp-trial", "*"))
		require.NoError(t, err)
		require.Len(t, trials, 1)
		whole, err := training.ReadConfig(dir)
		require.NoError(t, err)
		trial, err := training.ReadConfig(trials[0])
		require.NoError(t, err)
		whole.Transforms, whole.Keep, whole.Batch = "none", "last", trial.Batch
		assert.Equal(t, whole, trial)

		result, err := training.Train(t.Context(), backend, tried(0),
			training.Options{Data: d, Dir: dir, Observer: n.observer(),
				Command: "without --overwrite"})
		require.NoError(t, err)
		assert.InDelta(t, 0.2+1./60, n.done[first], 1e-9, "the trial went on")
		assert.Contains(t, n.notices, "the trial goes on: resuming after step 12")
		assert.NoDirExists(t, filepath.Join(dir, ".ccp-trial"))
		assert.Contains(t, n.notices[0], "to compare, a network is trained on the other 22 training samples, for "+
			"60 of its 80 steps")
		assert.Regexp(t,
			`^on a held-out quarter \(8 samples\) the transforms have [0-9.]+%, loss [0-9.]+, `+
				`the network [0-9.]+%, loss [0-9.]+(, and no weight)?: `, n.weighed())
		assert.GreaterOrEqual(t, result.Test.Accuracy, 0.7, "a third of the training labels are wrong")

		var once noted
		dir = filepath.Join(t.TempDir(), "whole")
		uninterrupted, err := training.Train(t.Context(), backend, tried(0),
			training.Options{Data: d, Dir: dir, Observer: once.observer()})
		require.NoError(t, err)
		assert.Equal(t, n.weighed(), once.weighed())
		assert.Equal(t, uninterrupted.Test, result.Test)
		assert.Equal(t, uninterrupted.Members, result.Members)
		assert.Equal(t, uninterrupted.NoNetwork, result.NoNetwork)
		if strings.Contains(n.weighed(), ", and no weight: ") {
			said, _, _ := strings.Cut(n.weighed(), ", and no weight: ")
			assert.Equal(t, "the network has no weight; "+said, result.NoNetwork)
		} else {
			assert.Empty(t, result.NoNetwork)
		}
		network, total := result.Members[len(result.Members)-1], 0.
		for _, m := range result.Members {
			if m.Name != "all" {
				total += m.Weight
			}
		}
		assert.Equal(t, "network", network.Name)
		assert.Contains(t, once.weighed(), fmt.Sprintf("the network %.1f%%, loss %.3f", 100*network.Accuracy,
			network.Loss))
		assert.InDelta(t, 1, total, 1e-9, "the weights of all members")
	})
}

// A trial with other settings is another trial, which removes the one that was interrupted.
func TestTrialWithOtherSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("trains two networks")
	}
	d := misled(t)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		var n noted
		dir := filepath.Join(t.TempDir(), "other")
		require.ErrorIs(t, stopped(t, backend, d, dir, n.observer()), training.ErrInterrupted)
		_, err := training.Train(t.Context(), backend, tried(0.003),
			training.Options{Data: d, Dir: dir, Observer: n.observer()})
		require.NoError(t, err)
		assert.NoDirExists(t, filepath.Join(dir, ".ccp-trial"))
	})
}

// A trial keeps groups whole. Of one group samples are held out, as if there were no groups, and of one class nothing
// can be learned.
func TestTrialOfGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("trains three networks")
	}
	d := misled(t)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		people := *d
		people.Groups = make([]string, len(d.Labels))
		for i := range people.Groups {
			people.Groups[i] = strconv.Itoa(i % 8)
		}
		train := func(asked training.Patch, told training.Observer) (training.Result, error) {
			return training.Train(t.Context(), backend,
				asked, training.Options{Data: &people, Dir: filepath.Join(t.TempDir(), "run"), Observer: told})
		}
		var n noted
		_, err := train(tried(0), n.observer())
		require.NoError(t, err)
		assert.Len(t, n.done, 60)

		people.Labels = make([]int32, len(d.Labels))
		_, err = train(training.Patch{}, training.Observer{})
		require.ErrorContains(t, err, "all training samples are of class 0; a training needs two classes")
		people.Labels = d.Labels

		people.Groups = slices.Repeat([]string{"one"}, len(d.Labels))
		n = noted{}
		_, err = train(training.Patch{"steps": 5, "ccp_hierarchies": 2}, n.observer())
		require.NoError(t, err)
		assert.Contains(t, n.weighed(), "on a held-out quarter (8 samples) the transforms have")
		assert.Contains(t, n.notices, "groups: most samples are of a class that only one group has, so that single "+
			"samples are held out; new groups may be harder")
	})
}

// The memory of a training is more than its recordings take. Other data has no such estimate.
func TestMemory(t *testing.T) {
	d, err := datasets.Load(t.Context(), tones(t, 40), datasets.Options{})
	require.NoError(t, err)
	held := training.Memory(d)
	longer := *d
	longer.Series = nil
	for _, series := range d.Series {
		longer.Series = append(longer.Series, append(slices.Clone(series), make([]float32, 100_000)...))
	}
	assert.Greater(t, held, int64(220<<20))
	assert.InDelta(t, 4*100_000*len(d.Series), training.Memory(&longer)-held, 8e6, "features grow by dilations alone")
	digits, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	assert.Zero(t, training.Memory(digits))
}

func TestTransformNames(t *testing.T) {
	_, err := training.Train(t.Context(), nil, training.Patch{"transforms": "kernel"},
		training.Options{Dir: t.TempDir()})
	require.ErrorContains(t, err,
		`there is no "kernel"; there are all, none, minirocket, hydra, shapelets, power, links, `+
			`scattering, averages, values, forest; join several by commas`)
}

// Only the delays between sensors tell from where a wave comes, as in benchmarks/generated.py. Those transforms add
// sensors at the same time point. A network that is trained whole in the trial, and judged after a temperature, is
// not dropped beside them.
func TestWavesNeedTheNetwork(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, sensors, timepoints = 240, 8, 50
	series, labels, split := make([]float32, n*sensors*timepoints), make([]int32, n), make([]uint8, n)
	for i := range n {
		labels[i], split[i] = int32(i%6), uint8(2*(i/160))
		phase, rate := 50*rng.Float64(), 2*math.Pi/(14+12*rng.Float64())
		for sensor := range sensors {
			gain := 0.5 + rng.Float64()
			delay := 4 * math.Sqrt((float64(sensor)+0.5)/sensors) * math.Cos(2.4*float64(sensor)-math.Pi/3*float64(labels[i]))
			for timepoint := range timepoints {
				v := gain*math.Sin(rate*(float64(timepoint)-delay-phase)) + 0.7*rng.NormFloat64()
				series[(i*sensors+sensor)*timepoints+timepoint] = float32(v)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "waves.npz")
	list := func(data any) *npz.Array { return &npz.Array{Shape: []int{n}, Data: data} }
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "labels", Array: list(labels)},
		{Name: "split", Array: list(split)},
		{Name: "series", Array: &npz.Array{Shape: []int{n, sensors, timepoints}, Data: series}}}))
	asked := training.Patch{"data": path, "steps": 400, "transforms": "minirocket,hydra,power,values"}
	dir := filepath.Join(t.TempDir(), "run")
	result, err := training.Train(t.Context(), backendtest.XLA(t), asked, training.Options{Dir: dir})
	require.NoError(t, err)
	assert.Contains(t, result.PredictedBy, "network")
	assert.GreaterOrEqual(t, result.Test.Accuracy, 0.97)
	assert.Equal(t, 400, result.Steps)
	late := filepath.Join(t.TempDir(), "late")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	_, err = training.Train(ctx, backendtest.XLA(t), asked, training.Options{Dir: late,
		Observer: training.Observer{Step: func(training.Progress) { stop() }}})
	require.ErrorContains(t, err, "interrupted after step 301 of 400", "the first step after the trial")
	again, err := training.Train(t.Context(), backendtest.XLA(t), asked, training.Options{Dir: late})
	require.NoError(t, err)
	assert.Equal(t, result.Test, again.Test)
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.XLA(t)})
	require.NoError(t, err)
	config, err := training.ReadConfig(dir)
	require.NoError(t, err)
	assert.Equal(t, 16, config.Stem, "as it has alone")
	d, err := datasets.Load(t.Context(), path, datasets.Options{})
	require.NoError(t, err)
	e, err := training.Evaluate(c, d, d.Test, 64)
	require.NoError(t, err)
	assert.Equal(t, result.Test, training.Score{Loss: e.Loss, Accuracy: e.Accuracy})
	if c.PredictedBy() == "the network" {
		assert.NotNil(t, c.Calibration, "by the quarter that has judged it")
		assert.Positive(t, c.Calibration.Samples)
	}
}
