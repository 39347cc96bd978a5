package transforms

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// noise makes recordings of band-limited noise at 1,000 time points a second: 100 to 200 Hz, or 300 to 400 Hz.
func noise(rng *rand.Rand, n, columns int, timepoints func() int) (samples []Sample) {
	for i := range n {
		label := i % 2
		x := make([]float32, timepoints()*columns)
		for c := range columns {
			for range 20 {
				frequency := (100 + 200*float64(label) + 100*rng.Float64()) / 1000
				phase, size := 2*math.Pi*rng.Float64(), rng.NormFloat64()
				for p := c; p < len(x); p += columns {
					x[p] += float32(size * math.Sin(2*math.Pi*frequency*float64(p/columns)+phase))
				}
			}
		}
		samples = append(samples, Sample{Values: x, Label: int32(label)})
	}
	return samples
}

func always(n int) func() int { return func() int { return n } }

// longer returns numbers that grow.
func longer(n, by int) func() int {
	return func() int {
		n += by
		return n
	}
}

func rightly(v *Classifier, samples []Sample) float64 {
	right := 0
	for _, s := range samples {
		if floats.MaxIdx(v.Probabilities(v.Read(s.Values), nil)) == int(s.Label) {
			right++
		}
	}
	return float64(right) / float64(len(samples))
}

func fitted(t *testing.T, c Config, samples []Sample) *Classifier {
	t.Helper()
	c.Backend = backendtest.Go(t)
	v, err := Fit(context.Background(), c, samples)
	require.NoError(t, err)
	return v
}

func TestFrequencies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := noise(rng, 60, 2, always(1017))
	c := Config{Columns: 2, Classes: 2, Only: []string{"power"}, Held: Held{samples[40:], []float64{0.5, 0.5}}}
	v := fitted(t, c, samples[:40])
	assert.GreaterOrEqual(t, rightly(v, samples[40:]), 0.98)
	assert.Equal(t, []string{"power", "all"}, []string{v.Parts()[0].Name, v.Parts()[1].Name})
	assert.GreaterOrEqual(t, v.Parts()[0].Accuracy, 0.98)
	assert.Equal(t, 20, v.Parts()[0].Samples)
	assert.Zero(t, v.Parts()[1].Score, "only a trial judges all together")
	c.Held = Held{}
	same := fitted(t, c, samples[:40])
	assert.Equal(t, v.Read(samples[0].Values), same.Read(samples[0].Values), "nothing is chosen by held samples")
	assert.Zero(t, same.Parts()[0].Score)
}

// Recordings of 200 to 3,000 time points are predicted alike.
func TestUnequalLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	v := fitted(t, Config{Columns: 2, Classes: 2}, noise(rng, 40, 2, func() int { return 200 + rng.IntN(400) }))
	for _, timepoints := range []int{200, 1000, 3000} {
		assert.GreaterOrEqual(t, rightly(v, noise(rng, 10, 2, always(timepoints))), 0.9, timepoints)
	}
	for _, timepoints := range []int{1, 2, 5} { // far below the dilated kernels
		for _, logit := range v.Read(make([]float32, 2*timepoints)).Ridge {
			assert.True(t, finite(logit), timepoints)
		}
	}
}

// A column's unit and origin change no prediction.
func TestUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	samples := noise(rng, 30, 3, always(100))
	v := fitted(t, Config{Columns: 3, Classes: 2}, samples)
	scaled := slices.Clone(samples)
	for i := range scaled {
		scaled[i].Values = slices.Clone(scaled[i].Values)
		for p := 1; p < len(scaled[i].Values); p += 3 {
			scaled[i].Values[p] = 4096*scaled[i].Values[p] + 1024
		}
	}
	other := fitted(t, Config{Columns: 3, Classes: 2}, scaled)
	for i := range samples {
		assert.InDeltaSlice(t, v.Read(samples[i].Values).Ridge, other.Read(scaled[i].Values).Ridge, 0.05)
	}
}

// xor makes rows whose class is the sign of a product, which no linear classifier tells.
func xor(rng *rand.Rand, n int) (samples []Sample) {
	for range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		label := int32(0)
		if a*b > 0 {
			label = 1
		}
		samples = append(samples, Sample{Values: []float32{float32(a), float32(b), float32(rng.NormFloat64())}, Label: label})
	}
	return samples
}

// Slow waves under noise need few frames. What lasts one time point is not.
func TestFrames(t *testing.T) {
	const timepoints = 64
	for name, wave := range map[string]func(timepoint int) float64{
		"slow":  func(timepoint int) float64 { return math.Sin(2 * math.Pi * float64(timepoint) / timepoints) },
		"brief": func(timepoint int) float64 { return 12 * float64(timepoint%2*2-1) },
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		var samples []Sample
		for i := range 60 {
			values := make([]float32, timepoints)
			for timepoint := range values {
				values[timepoint] = float32(float64(i%2*2-1)*wave(timepoint)*0.5 + rng.NormFloat64())
			}
			samples = append(samples, Sample{Values: values, Label: int32(i % 2)})
		}
		v := fitted(t, Config{Columns: 1, Classes: 2, Only: []string{"values"}}, samples)
		assert.Equal(t, name == "slow", v.Frames < timepoints, "%s: %d frames", name, v.Frames)
	}
}

func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	samples := xor(rng, 400)
	v := fitted(t, Config{Columns: 3, Classes: 2, Table: true, Only: []string{"values"}}, samples[:300])
	assert.Positive(t, v.Gaussians["values"])
	assert.Equal(t, 2*3+2+2*3+2*300+3*300, v.Size(),
		"scaling, bias, mean and scale, weights, landmarks; no byte of the header")
	assert.GreaterOrEqual(t, rightly(v, samples[300:]), 0.85)
	unknown := float32(math.NaN())
	mean := v.scaling.Mean[2]
	assert.Equal(t, v.Read([]float32{1, 2, mean}), v.Read([]float32{1, 2, unknown}))
}

// A weight for each feature gives the predictions that a weight for each sample gives.
func TestPrimalIsDual(t *testing.T) {
	ctx, both, scores := context.Background(), []*Classifier{}, []score{}
	samples := noise(rand.New(rand.NewPCG(9, 10)), 60, 2, always(12))
	for i := range samples {
		samples[i].Group = fmt.Sprint(i / 3)
	}
	for _, dual := range []bool{true, false} {
		c := Config{Columns: 2, Classes: 2, Only: []string{"power", "values"}, Backend: backendtest.Go(t)}
		e, candidates := computed(t, c, samples)
		e.dual, e.landmarks = dual, e.used
		choice := chosen(t, e, candidates)
		choice.candidates, choice.weights, choice.penalty = candidates, []float64{0.3, 0.7}, 0.1 // whatever was chosen
		choice.grams = nil
		for _, c := range candidates {
			c.kernel.g = 0.1
			gram, err := products(ctx, e.Backend, c.features.memory)
			require.NoError(t, err)
			choice.grams = append(choice.grams, c.kernel.gram(gram))
		}
		r, err := e.solve(ctx, choice)
		require.NoError(t, err)
		e.classifier.join(e.taskOf(e.samples), []*ridge{r})
		both, scores = append(both, e.classifier), append(scores, r.score)
	}
	for _, s := range samples {
		assert.InDeltaSlice(t, both[0].Read(s.Values).Ridge, both[1].Read(s.Values).Ridge, 2e-3)
	}
	assert.InDelta(t, scores[0].loss, scores[1].loss, 1e-3, "of held-out samples")
}

// Many samples have fewer features, and a weight for each feature once these are fewer than the samples.
func TestManySamples(t *testing.T) {
	c := Config{Columns: 1, Classes: 2}
	samples := make([]Sample, 6_000)
	for i := range samples {
		samples[i] = Sample{Values: make([]float32, 20), Label: int32(i % 2)}
	}
	for n, want := range map[int]header{
		mostDual:     {Features: 10_000, Groups: 64, Landmarks: mostDual},
		mostDual + 1: {Features: 2_000, Groups: 16, Landmarks: mostDual + 1}, // still fewer than features
		6_000:        {Features: 2_000, Groups: 16, Landmarks: mostLandmarks},
	} {
		p, err := c.plan(samples[:n])
		require.NoError(t, err)
		h := p.header
		assert.Equal(t, want, header{Features: h.Features, Groups: h.Groups, Landmarks: h.Landmarks})
		assert.Equal(t, h.Landmarks == n, p.dual)
	}
}

// With more samples than a fit uses, the others are predicted by a ridge classifier that saw none of their group.
func TestUnusedSamples(t *testing.T) {
	samples := make([]Sample, 40)
	for i := range samples {
		samples[i].Group, samples[i].Label = fmt.Sprint(i/4), int32(i/36)
	}
	used := spread(samples, 20)
	assert.Len(t, used, 20)
	assert.Contains(t, used, 36) // the only group of its class
	for _, i := range used {
		assert.Contains(t, used, i/4*4)
	}
}

// ridgeOf solves the ridge classifier of some samples and predicts others, by the Gram matrix K of all:
// f(x) = b + Σ c_i·k(x, x_i) with Σ c_i = 0.
func ridgeOf(k *mat.SymDense, y *mat.Dense, alpha float64, some []int, other int) []float64 {
	n := len(some)
	_, classes := y.Dims()
	left, right, solved := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, classes, nil), new(mat.Dense)
	for a, i := range some {
		for b, j := range some {
			left.Set(a, b, k.At(i, j))
		}
		left.Set(a, a, k.At(i, i)+alpha)
		left.Set(a, n, 1)
		left.Set(n, a, 1)
		right.SetRow(a, y.RawRowView(i))
	}
	if err := solved.Solve(left, right); err != nil {
		panic(err)
	}
	prediction := slices.Clone(solved.RawRowView(n))
	for a, i := range some {
		floats.AddScaled(prediction, k.At(other, i), solved.RawRowView(a))
	}
	return prediction
}

// Held-out predictions are those of ridge classifiers that are solved without the sample, or without its group.
func TestHeldOutBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	const n, classes = 24, 3
	z := mat.NewDense(n, 40, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	k := new(mat.SymDense)
	k.SymOuterK(1, z)
	centred(k)
	for _, size := range []int{1, 3} {
		samples := make([]Sample, n)
		for i := range samples {
			samples[i] = Sample{Label: int32(rng.IntN(classes)), Group: fmt.Sprint(i / size)}
		}
		task := Config{Classes: classes}.taskOf(samples)
		_, left, u, err := task.solveDual(t.Context(), k, 0.3)
		require.NoError(t, err)
		predictions, err := task.heldOut(t.Context(), u, left)
		require.NoError(t, err)
		for i := range samples {
			var others []int
			for j := range samples {
				if samples[j].Group != samples[i].Group {
					others = append(others, j)
				}
			}
			want := ridgeOf(k, task.targets(task.labels), 0.3*mat.Trace(k)/n, others, i)
			floats.Add(want, task.meanTarget)
			assert.InDeltaSlice(t, want, predictions.RawRowView(i), 1e-9)
		}
	}
}

// A sample that is held out is predicted by a ridge classifier of the others on their part of the Gram matrix.
func TestHeldOut(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(13, 14)), 24, 2, always(50))
	e, candidates := computed(t, Config{Columns: 2, Classes: 2, Backend: backendtest.Go(t)}, samples)
	ctx := context.Background()
	s := &solver{plan: e.plan, task: e.taskOf(e.samples), choice: chosen(t, e, candidates)}
	found, err := s.bySamples(ctx)
	require.NoError(t, err)
	held, err := s.heldOut(ctx, found.unexplained, found.left)
	require.NoError(t, err)
	all := weighted(s.grams, s.weights)
	for i := range samples {
		others := slices.Delete(slices.Clone(s.used), i, i+1)
		want := ridgeOf(all, s.targets(s.labels), s.penalty, others, i)
		floats.Add(want, s.meanTarget)
		assert.InDeltaSlice(t, want, held.RawRowView(i), 1e-4)
	}
}

// Network, forest and ridge classifier are mixed after each has got its temperature. Laplace smoothing is of the
// ridge classifier alone.
func TestProbabilities(t *testing.T) {
	v := Mixture{Weight: 1, Smoothing: 0.1, Temperature: 1, NetworkTemperature: 1, ForestTemperature: 0.5,
		ForestWeight: 0.2}
	logits, network := Reading{Ridge: []float32{0, float32(math.Log(3))}}, []float64{0.2, 0.8}
	assert.InDeltaSlice(t, []float64{0.9*0.25 + 0.05, 0.9*0.75 + 0.05}, v.Probabilities(logits, nil), 1e-7)
	v.Temperature, v.NetworkTemperature = 0.5, 0.5 // which squares the odds
	assert.InDeltaSlice(t, []float64{0.9*0.1 + 0.05, 0.9*0.9 + 0.05}, v.Probabilities(logits, nil), 1e-7)
	v.Weight = 0.25
	assert.InDeltaSlice(t, []float64{0.25*0.14 + 0.75/17, 0.25*0.86 + 0.75*16/17}, v.Probabilities(logits, network), 1e-7)
	assert.Equal(t, []float64{0.2, 0.8}, network)
	logits.Forest = []float64{0.5, 0.5}
	assert.InDelta(t, 0.9*(0.8*0.1+0.2*0.5)+0.05, v.Probabilities(logits, nil)[0], 1e-7)
	logits.Forest = []float64{0, 1}
	assert.InDelta(t, 0.25*(0.9*0.8*0.1+0.05)+0.75/17, v.Probabilities(logits, network)[0], 1e-7)
}

// open opens what a store with these arrays has.
func open(t *testing.T, of Config, values map[string]*tensors.Tensor) (*Classifier, error) {
	t.Helper()
	store := model.NewStore()
	for path, value := range values {
		_, err := store.CreateVariable(Scope+path, value)
		require.NoError(t, err)
	}
	_, err := store.CreateVariable(Scope+weightPath, tensors.FromScalar(float32(1)))
	require.NoError(t, err)
	return Open(store, Scope, of)
}

func TestOpenIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	ring, err := affinity.Grid(3, 6, 4)
	require.NoError(t, err)
	samples := noise(rng, 30, 18, always(60))
	for _, name := range names() {
		c := Config{Columns: 18, Channels: 1, Classes: 2, Links: ring, Only: []string{name}, Seed: 3}
		v := fitted(t, c, samples)
		again, err := open(t, c, v.values())
		require.NoError(t, err)
		same := fitted(t, c, samples)
		for _, s := range noise(rng, 3, 18, func() int { return 40 + rng.IntN(40) }) {
			want := v.Read(s.Values)
			assert.Equal(t, want, again.Read(s.Values), name)
			assert.Equal(t, want, same.Read(s.Values), name)
		}
		assert.Equal(t, v.Parts(), again.Parts())
		for path, value := range v.values() {
			broken := v.values()
			delete(broken, path)
			_, err := open(t, c, broken)
			assert.ErrorContains(t, err, fmt.Sprintf("%q", path))
			broken[path] = tensors.FromScalar(int64(1))
			_, err = open(t, c, broken)
			assert.ErrorContains(t, err, fmt.Sprintf("%q", path))
			if path != headerPath {
				broken[path] = tensors.FromFlatDataAndDimensions(make([]float32, value.Size()+1), value.Size()+1)
				_, err = open(t, c, broken)
				assert.ErrorContains(t, err, fmt.Sprintf("%q", path))
			}
		}
	}
}

// A damaged header or column is an error, not a panic.
func TestOpenDamaged(t *testing.T) {
	c := Config{Columns: 2, Channels: 1, Classes: 2, Only: []string{"hydra", "shapelets"}}
	v := fitted(t, c, noise(rand.New(rand.NewPCG(1, 2)), 8, 2, longer(30, 4)))
	for want, change := range map[string]func(h *header){
		"a size is 0":                     func(h *header) { h.Length = 0 },
		"a size is -1":                    func(h *header) { h.Features = -1 },
		"at most two add up to 1":         func(h *header) { h.Shares = []float64{0.5, -0.5} },
		"more than":                       func(h *header) { h.Length, h.Columns = 1<<20, 1<<20 },
		`no transform is called "theirs"`: func(h *header) { h.Names = []string{"theirs"} },
		"is of 2 columns":                 func(h *header) { h.Classes = 3 },
		"needs a graph":                   func(h *header) { h.Names = []string{"scattering"} },
	} {
		h := v.header
		change(&h)
		saved := (&Classifier{header: h}).values()
		_, err := open(t, c, saved)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, headerPath)
	}
	saved := v.values()
	saved[headerPath] = tensors.FromFlatDataAndDimensions([]uint8("{"), 1)
	_, err := open(t, c, saved)
	assert.ErrorContains(t, err, headerPath)
	for _, path := range []string{"hydra/columns", "shapelets/columns", "shapelets-stretched/columns"} {
		saved = v.values()
		columns := slices.Clone(v.arrays()[path])
		columns[4] = 2
		saved[path] = tensors.FromFlatDataAndDimensions(columns, len(columns))
		_, err = open(t, c, saved)
		assert.ErrorContains(t, err, fmt.Sprintf("%q: value 4 is column 2 of 2", path))
	}
}

// A header with empty lists is read: it has one ridge classifier, and names no part.
func TestOpenWithoutSharesAndParts(t *testing.T) {
	c := Config{Columns: 2, Channels: 1, Classes: 2, Only: []string{"hydra"}}
	v := fitted(t, c, noise(rand.New(rand.NewPCG(1, 2)), 8, 2, always(30)))
	saved := v.values()
	h := v.header
	h.Shares, h.Parts = []float64{}, []Part{}
	saved[headerPath] = (&Classifier{header: h}).values()[headerPath]
	again, err := open(t, c, saved)
	require.NoError(t, err)
	assert.Empty(t, again.Predicting())
}

// Goroutines share fitted transforms.
func TestConcurrentReading(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(19, 20)), 20, 2, always(40))
	v := fitted(t, Config{Columns: 2, Classes: 2}, samples)
	want := make([]Reading, len(samples))
	for i, s := range samples {
		want[i] = v.Read(s.Values)
	}
	require.NoError(t, inParallel(context.Background(), 10*len(samples), func(_ *work, i int) {
		assert.Equal(t, want[i%len(samples)], v.Read(samples[i%len(samples)].Values))
	}))
}

// Two ridge classifiers predict by the mean of their probabilities. One that tells nothing goes.
func TestTwoRidgeClassifiers(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(27, 28)), 30, 2, always(40))
	for i := range samples[:8] { // so that nothing is sure
		samples[i].Label = int32(i / 2 % 2)
	}
	c := Config{Columns: 2, Channels: 1, Classes: 2, Only: []string{"hydra", "shapelets"}}
	v := fitted(t, c, samples)
	require.Len(t, v.Shares, 2)
	assert.InDelta(t, 1, v.Shares[0]+v.Shares[1], 1e-9)
	parts := v.Parts()
	assert.Equal(t, []string{"hydra", "shapelets", All}, []string{parts[0].Name, parts[1].Name, parts[2].Name})
	assert.InDeltaSlice(t, v.Shares, []float64{parts[0].Weight, parts[1].Weight}, 1e-9)
	var alone []*Classifier
	for _, name := range c.Only {
		c.Only = []string{name}
		alone = append(alone, fitted(t, c, samples))
	}
	again, err := open(t, c, v.values())
	require.NoError(t, err)
	for _, s := range samples {
		p, want := prob.Softmax(v.Read(s.Values).Ridge), 0.0
		for i, one := range alone {
			want += v.Shares[i] * prob.Softmax(one.Read(s.Values).Ridge)[1]
		}
		assert.InDelta(t, want, p[1], 1e-6)
		assert.Equal(t, v.Read(s.Values), again.Read(s.Values))
	}
	e, candidates := computed(t, Config{Columns: 2, Classes: 2, Only: []string{"hydra", "shapelets"},
		Backend: backendtest.Go(t)}, samples)
	for _, row := range candidates[1].features.memory {
		clear(row)
	}
	ridges, err := e.ridges(t.Context(), candidates)
	require.NoError(t, err)
	e.classifier.join(e.taskOf(samples), ridges)
	assert.Equal(t, []string{"hydra"}, e.classifier.Names)
}

// computed plans a fit, and computes the features.
func computed(t *testing.T, c Config, samples []Sample) (*extractor, []*candidate) {
	t.Helper()
	p, err := c.plan(samples)
	require.NoError(t, err)
	e, err := p.extractor(t.Context())
	require.NoError(t, err)
	candidates, _, err := e.extractAll(t.Context())
	require.NoError(t, err)
	return e, candidates
}

// chosen chooses among the candidates of a fit.
func chosen(t *testing.T, e *extractor, candidates []*candidate) *choice {
	t.Helper()
	choice, err := e.newChooser(candidates).choose(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, choice.candidates)
	return choice
}

// A transform to which all samples are alike takes no part, and can be saved.
func TestAlike(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(21, 22)), 20, 2, always(40))
	e, candidates := computed(t, Config{Columns: 2, Classes: 2, Only: []string{"minirocket", "power"},
		Backend: backendtest.Go(t)}, samples)
	for _, row := range candidates[0].features.memory {
		clear(row)
	}
	ridges, err := e.ridges(t.Context(), candidates)
	require.NoError(t, err)
	e.classifier.join(e.taskOf(samples), ridges)
	again, err := open(t, Config{Columns: 2, Channels: 1, Classes: 2}, e.classifier.values())
	require.NoError(t, err)
	assert.Equal(t, []string{"power"}, again.Names)
	assert.Len(t, again.Parts(), 2)
}

func TestErrors(t *testing.T) {
	row := func(n int, label int32) Sample { return Sample{Values: make([]float32, n), Label: label} }
	infinite := row(20, 0)
	infinite.Values[7] = float32(math.Inf(1))
	grouped := []Sample{row(20, 0), row(20, 1)}
	grouped[0].Group, grouped[1].Group = "a", "a"
	two := []Sample{row(20, 0), row(20, 1)}
	usual := Config{Columns: 2, Classes: 2, Backend: backendtest.Go(t)}
	changed := func(change func(c *Config)) Config { c := usual; change(&c); return c }
	for want, one := range map[string]struct {
		Config
		samples []Sample
	}{
		"sample 1 has 3 values":         {usual, []Sample{row(20, 0), row(3, 1)}},
		"a row of the table has 2":      {changed(func(c *Config) { c.Table = true }), two},
		"sample 0: value 7 is infinite": {usual, []Sample{infinite, row(20, 1)}},
		"2 training samples of 1 class": {usual, []Sample{row(20, 0), row(20, 0)}},
		"of one group":                  {usual, grouped},
		`"minirocket" needs 9 time points`: {changed(func(c *Config) { c.Only = []string{"minirocket"} }),
			[]Sample{row(8, 0), row(8, 1)}},
		`"values" needs time points of at most`: {changed(func(c *Config) { c.Only, c.Columns = []string{"values"}, 10_000 }),
			[]Sample{row(10_000, 0), row(20_000, 1)}},
		"all 3 samples have the same features in every transform": {usual, []Sample{row(20, 0), row(20, 1), row(20, 0)}},
	} {
		_, err := Fit(context.Background(), one.Config, one.samples)
		assert.ErrorContains(t, err, want)
	}
	// Whatever rounding leaves of their differences, no number of equal samples is told apart.
	for n := 2; n < 130; n += 7 {
		samples := make([]Sample, n)
		for i := range samples {
			samples[i] = row(40, int32(i%2))
		}
		for _, c := range []Config{usual, changed(func(c *Config) { c.Table, c.Columns = true, 40 })} {
			_, err := Fit(context.Background(), c, samples)
			require.ErrorContains(t, err, "have the same features in every transform")
		}
	}
}

// cancelled is a context that ends when it has been asked a number of times.
type cancelled struct {
	context.Context
	left atomic.Int64
}

func (c *cancelled) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancel(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(17, 18)), 12, 1, always(40))
	fit := func(asked int64) (*Classifier, int64, error) {
		ctx := &cancelled{Context: context.Background()}
		ctx.left.Store(asked)
		v, err := Fit(ctx, Config{Columns: 1, Classes: 2, Backend: backendtest.Go(t)}, samples)
		return v, asked - ctx.left.Load(), err
	}
	_, all, err := fit(1 << 40)
	require.NoError(t, err)
	for _, asked := range []int64{0, all / 2, all - 25, all - 12, all - 5, all - 1} {
		v, _, err := fit(asked)
		assert.ErrorIs(t, err, context.Canceled, asked)
		assert.Nil(t, v)
	}
}

// Predictions that lean to the larger class get a logit adjustment, which makes them more likely and right more
// often. Classes of one size have none.
func TestLogitAdjustment(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, every := range []int{2, 15} { // a sample of class 1 among so many
		var samples []Sample
		decisions := mat.NewDense(600, 2, nil)
		for i := range 600 {
			label := int32(asInt(i%every == 0))
			samples = append(samples, Sample{Label: label})
			// A regression on a feature that lies two deviations apart.
			share := 1 / float64(every)
			d := 2*share - 1 + 2*share*(2*float64(label)-2*share+rng.NormFloat64())
			decisions.SetRow(i, []float64{-d, d})
		}
		task := Config{Classes: 2}.taskOf(samples)
		plain, adjusted := task.adjusted(t.Context(), decisions, 0), task.adjust(t.Context(), decisions)
		right := func(s score) (n int) {
			for i, label := range task.labels {
				n += asInt(floats.MaxIdx(task.logits(decisions.RawRowView(i), s)) == int(label))
			}
			return n
		}
		if every == 2 {
			assert.Equal(t, plain, adjusted)
			continue
		}
		assert.Greater(t, adjusted.adjustment, 0.0)
		assert.Less(t, adjusted.loss, plain.loss-1./600)
		assert.Greater(t, right(adjusted), right(plain))
		logits := task.logits([]float64{0, 0}, adjusted)
		assert.InDelta(t, adjusted.adjustment*math.Log(561./41), logits[1]-logits[0], 1e-9)
	}
}

// Classes that take turns in the file keep their shares in a part of a group.
func TestPartOfGroups(t *testing.T) {
	for classes := 2; classes <= 3; classes++ {
		samples := make([]Sample, 3000)
		for i := range samples {
			samples[i] = Sample{Label: int32(i % classes), Group: fmt.Sprint("g", i/600)}
		}
		count := make([]int, classes)
		for _, i := range spread(samples, 700) {
			count[samples[i].Label]++
		}
		assert.InDelta(t, 700/classes, slices.Min(count), 5)
		assert.InDelta(t, 700/classes, slices.Max(count), 5)
	}
}

// countsOf counts the chosen samples of each class that has any.
func countsOf(samples []Sample, chosen []int) map[int32]int {
	count := map[int32]int{}
	for _, i := range chosen {
		count[samples[i].Label]++
	}
	return count
}

// The samples that choose transforms have several of each class they hold, however many classes there are, and of
// several groups.
func TestManyClassesAreJudgedBySome(t *testing.T) {
	for _, classes := range []int{117, 350, 700, 1_000, 5_000} {
		for each := 2; each <= 40; each += 19 {
			samples := make([]Sample, classes*each+1)
			for i := range samples {
				samples[i].Label, samples[i].Group = int32(i%classes), fmt.Sprint("g", i/classes%each*2/each)
			}
			samples[len(samples)-1].Label = int32(classes) // of a class without another
			if len(samples) <= mostChosen {
				continue
			}
			chosen, some := judges(samples, mostChosen)
			assert.True(t, some)
			assert.LessOrEqual(t, len(chosen), mostChosen)
			assert.Greater(t, len(chosen), mostChosen-10)
			groups := map[int32]map[string]bool{}
			for _, i := range chosen {
				if label := samples[i].Label; groups[label] == nil {
					groups[label] = map[string]bool{}
				}
				groups[samples[i].Label][samples[i].Group] = true
			}
			for label, count := range countsOf(samples, chosen) {
				assert.Equal(t, min(judgesOfClass, each), count)
				assert.Len(t, groups[label], 2)
			}
		}
	}
}

// Where there are few classes, or no class has two groups, transforms are chosen by samples of all.
func TestFewClassesAreJudgedByAll(t *testing.T) {
	for _, size := range []struct{ classes, each int }{{2, 3_000}, {116, 100}, {300, 2}, {5_000, 1}} {
		samples := make([]Sample, size.classes*size.each)
		for i := range samples {
			samples[i].Label = int32(i % size.classes)
		}
		chosen, some := judges(samples, mostChosen)
		assert.False(t, some)
		assert.Equal(t, spread(samples, mostChosen), chosen)
	}
}

// Hundreds of classes of three samples are told apart.
func TestHundredsOfClasses(t *testing.T) {
	const classes, each, columns = 750, 3, 6
	rng, centres := rand.New(rand.NewPCG(1, 2)), make([]float32, classes*columns)
	for i := range centres {
		centres[i] = float32(rng.NormFloat64())
	}
	sample := func(class int) []float32 {
		x := slices.Clone(centres[class*columns : (class+1)*columns])
		for j := range x {
			x[j] += 0.05 * float32(rng.NormFloat64())
		}
		return x
	}
	var samples []Sample
	for i := range classes * each {
		samples = append(samples, Sample{Values: sample(i % classes), Label: int32(i % classes)})
	}
	c := Config{Columns: columns, Channels: 1, Classes: classes, Table: true, Only: []string{"values"}, Seed: 1,
		Backend: backendtest.Go(t),
		Held:    Held{samples[:10], make([]float64, classes)}}
	v, err := Fit(t.Context(), c, samples)
	require.NoError(t, err)
	assert.Zero(t, v.Parts()[0].Score, "what chooses knows 233 classes, so that nothing is told of it")
	right := 0
	for class := range classes {
		p := v.Probabilities(v.Read(sample(class)), nil)
		if slices.Index(p, slices.Max(p)) == class {
			right++
		}
	}
	assert.Greater(t, right, 720)
}
