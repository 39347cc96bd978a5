package kernels

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// fixture is a signal, kernels, and their features.
type fixture struct {
	X, Features       []float64
	Signs, Thresholds [][]float64
}

// reference is what testdata/reference.py writes.
type reference struct {
	fixture
	Image            fixture
	Weights, Bias, Z []float64
	Labels           []int32
	Penalty, Squared float64
}

func readReference(t *testing.T) (r reference) {
	t.Helper()
	raw, err := os.ReadFile("testdata/reference.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &r))
	return r
}

func narrow(values []float64) []float32 {
	all := make([]float32, len(values))
	for i, v := range values {
		all[i] = float32(v)
	}
	return all
}

// inTimeGraph is a path of frames times sensors that are all joined.
func inTimeGraph(t *testing.T, frames, sensors int, sensorWise bool) *affinity.Matrix {
	t.Helper()
	node := func(frame, sensor int) int {
		if sensorWise {
			return sensor*frames + frame
		}
		return frame*sensors + sensor
	}
	var edges []affinity.Edge
	for f := range frames {
		for s := range sensors {
			if f+1 < frames {
				edges = append(edges, affinity.Edge{I: node(f, s), J: node(f+1, s), Weight: 1})
			}
			for other := range s {
				edges = append(edges, affinity.Edge{I: node(f, other), J: node(f, s), Weight: 1})
			}
		}
	}
	m, err := affinity.New(frames*sensors, edges)
	require.NoError(t, err)
	return m
}

// run computes the features of a view with the fixture's kernels, two thresholds each.
func (f fixture) run(t *testing.T, backend compute.Backend, v *View, x []float32, samples int) []float32 {
	t.Helper()
	store := model.NewStore()
	for i := range v.steps {
		for name, value := range map[string]*tensors.Tensor{
			"signs":      tensors.FromFlatDataAndDimensions(narrow(f.Signs[i]), v.Channels, count),
			"thresholds": tensors.FromFlatDataAndDimensions(narrow(f.Thresholds[i]), 2, count),
		} {
			_, err := store.CreateVariable(fmt.Sprintf("/dilation_%d/%s", i+1, name), value)
			require.NoError(t, err)
		}
	}
	features := 4 * count * v.pools()
	exec, err := model.NewExec(backend, store, func(scope *model.Scope, x *Node) *Node {
		return v.Features(scope, x, features)
	})
	require.NoError(t, err)
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(x, samples, len(x)/samples/2, 2))
	require.NoError(t, err)
	assert.Equal(t, []int{samples, features + len(x)/samples}, out[0].Shape().Dimensions)
	got, err := tensors.CopyFlatData[float32](out[0])
	require.NoError(t, err)
	return got
}

// The shares of an image are of all of it and of its quarters.
func TestQuartersReference(t *testing.T) {
	r := readReference(t).Image
	graph, err := affinity.Grid(6, 5, 4)
	require.NoError(t, err)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		v := NewView(graph, []int{6, 5}, 2)
		require.Equal(t, []int{1, 2}, v.steps)
		assert.InDeltaSlice(t, narrow(r.Features), r.run(t, backend, v, narrow(r.X), 3), 1e-6)
	})
}

// The shares are those of loops over positions and slots, whatever the order of the nodes.
func TestFeaturesReference(t *testing.T) {
	r := readReference(t)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, sensorWise := range []bool{false, true} {
			v := NewView(inTimeGraph(t, 20, 3, sensorWise), nil, 2)
			require.Equal(t, sensorWise, v.sensorWise)
			require.Equal(t, []int{1, 2}, v.steps)
			v.shares = []float64{0.5, 0.5}
			x := narrow(r.X)
			if sensorWise {
				for i, value := range r.X {
					sample, frame, sensor, channel := i/120, i/6%20, i/2%3, i%2
					x[((sample*3+sensor)*20+frame)*2+channel] = float32(value)
				}
			}
			got := r.run(t, backend, v, x, 5)
			want := narrow(r.Features)
			if width := 4*count + 120; sensorWise { // the signal comes in the order of its nodes
				for sample := range 5 {
					copy(want[sample*width+4*count:], x[sample*120:(sample+1)*120])
				}
			}
			assert.InDeltaSlice(t, want, got, 1e-6)
		}
	})
}

// The errors of held-out samples are those of solving anew without each of them.
func TestRidgeReference(t *testing.T) {
	r := readReference(t)
	var features [][]float32
	for i := range r.Labels {
		features = append(features, narrow(r.Z[i*30:(i+1)*30]))
	}
	mean, scale := Moments(features)
	y, meanTarget := Targets(r.Labels, 3)
	backend := backendtest.Go(t)
	task := task{backend, features, mean, scale, y, r.Labels, meanTarget, 10}
	one, err := newDual(task)
	require.NoError(t, err)
	other, err := newPrimal(task)
	require.NoError(t, err)
	for name, m := range map[string]method{"dual": one, "primal": other} {
		s, ok := m.judge(0.3, r.Penalty)
		require.True(t, ok)
		if name == "dual" {
			assert.InDelta(t, r.Squared, s.squared, 1e-5*r.Squared)
		}
		whole := ridgeClassifier{weights: m.solve(0.3, r.Penalty).RawMatrix().Data, bias: slices.Clone(meanTarget)}
		whole.unscale(mean, scale)
		assert.InDeltaSlice(t, r.Weights, whole.weights, 1e-5, name)
		assert.InDeltaSlice(t, r.Bias, whole.bias, 1e-5, name)
	}
}

// The products of samples do not depend on how many features are standardised at a time.
func TestGram(t *testing.T) {
	rng, features := rand.New(rand.NewPCG(3, 4)), make([][]float32, 7)
	for i := range features {
		for range 2*together + 5 {
			features[i] = append(features[i], float32(rng.NormFloat64()))
		}
	}
	mean, scale := Moments(features)
	d := dual{task: task{backend: backendtest.Go(t), features: features, mean: mean, scale: scale}}
	got, err := d.gram(3, 2*together+1)
	require.NoError(t, err)
	want, z := new(mat.Dense), d.z(d.all(), 3, 2*together+1)
	want.Mul(z, z.T())
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
	assert.InDelta(t, 2*together-2, want.Trace()/7, 1e-9) // of each feature the mean square is 1
}

// Judges are of each class, in whatever order the classes come.
func TestJudges(t *testing.T) {
	labels, features := make([]int32, 50), make([][]float32, 50)
	for i := range labels {
		labels[i], features[i] = int32(i%5), []float32{float32(i), float32(i * i)}
	}
	y, meanTarget := Targets(labels, 5)
	mean, scale := Moments(features)
	p, err := newPrimal(task{backendtest.Go(t), features, mean, scale, y, labels, meanTarget, 1})
	require.NoError(t, err)
	judged := map[int32]int{}
	for _, i := range p.judges {
		judged[labels[i]]++
	}
	assert.Equal(t, map[int32]int{0: 2, 1: 2, 2: 2, 3: 2, 4: 2}, judged)

	for i := range labels { // one sample of each class
		labels[i] = int32(i)
	}
	y, meanTarget = Targets(labels, 50)
	p, err = newPrimal(task{backendtest.Go(t), features, mean, scale, y, labels, meanTarget, 1})
	require.NoError(t, err)
	assert.Len(t, p.judges, 10)
}

// Both ways find a classifier that separates what can be separated, be it in the shares or in the signal, and say how good
// it is.
func TestRidge(t *testing.T) {
	for _, n := range []int{60, MostDual + 100} {
		for _, telling := range []int{0, 10} {
			rng := rand.New(rand.NewPCG(1, 2))
			var features [][]float32
			var labels []int32
			for i := range n {
				label := int32(i / 2 % 3)
				x := make([]float32, 20)
				for j := range x {
					x[j] = float32(rng.NormFloat64())
				}
				x[telling+int(label)] += 4
				x[7] = 5 // constant
				features, labels = append(features, x), append(labels, label)
			}
			r, err := ridge(backendtest.Go(t), features, 10, labels, 3)
			require.NoError(t, err)
			assert.Greater(t, r.accuracy, 0.9)
			assert.Zero(t, r.weights[7*3])
			assert.Greater(t, r.inverseTemperature, 1.0)
			weight := func(j int) float64 { return math.Abs(r.weights[j*3]) }
			assert.Greater(t, weight(telling), 2*weight((telling+10)%20), "n %d, telling %d", n, telling)
		}
	}
}

func TestSee(t *testing.T) {
	chain := func(n int, reach int) *affinity.Matrix {
		var edges []affinity.Edge
		for i := range n {
			for j := i + 1; j <= min(i+reach, n-1); j++ {
				edges = append(edges, affinity.Edge{I: i, J: j, Weight: 1})
			}
		}
		m, err := affinity.New(n, edges)
		require.NoError(t, err)
		return m
	}
	grid, err := affinity.Grid(6, 7, 4)
	require.NoError(t, err)
	linked := func(along func(e affinity.Edge) bool) *affinity.Matrix { // the grid without the other links
		m, err := affinity.New(grid.N(), slices.DeleteFunc(grid.EdgeList(), func(e affinity.Edge) bool { return !along(e) }))
		require.NoError(t, err)
		return m
	}
	rows := linked(func(e affinity.Edge) bool { return e.J == e.I+1 })
	for name, c := range map[string]struct {
		graph     *affinity.Matrix
		grid      []int
		positions int
		channels  int
		sensors   int
	}{
		"frames of sensors":          {inTimeGraph(t, 16, 4, false), nil, 16, 8, 4},
		"sensors of frames":          {inTimeGraph(t, 16, 4, true), nil, 16, 8, 4},
		"one sensor":                 {chain(16, 1), nil, 16, 2, 1},
		"one sensor, two frames far": {chain(16, 2), nil, 16, 2, 1},
		"an image":                   {grid, []int{6, 7}, 42, 2, 0},
		"an image without its grid":  {grid, nil, 42, 2, 0},
		"another graph":              {chain(16, 3), nil, 16, 2, 0},
		"rows that are not joined":   {rows, []int{6, 7}, 7, 12, 6},
	} {
		v := NewView(c.graph, c.grid, 2)
		assert.Equal(t, []int{c.positions, c.channels, c.sensors}, []int{v.Positions, v.Channels, v.Sensors}, name)
		for i, table := range v.dilations {
			assert.Len(t, table, c.positions*slots, name)
			for _, at := range table {
				assert.True(t, at >= 0 && int(at) <= c.positions, "%s %d", name, i)
			}
		}
	}
	torn := linked(func(e affinity.Edge) bool { return e.J == e.I+1 || e.I != 0 }) // one pixel is not joined downwards
	assert.False(t, NewView(torn, []int{6, 7}, 1).Image())
	v := NewView(grid, []int{6, 7}, 1)
	assert.Equal(t, []int32{0, 1, 2, 7, 8, 9, 14, 15, 16}, v.dilations[0][8*slots:9*slots], "within the image")
	assert.Equal(t, []int32{42, 42, 42, 42, 0, 1, 42, 7, 8}, v.dilations[0][:slots], "in the corner")
}

// A threshold lies between responses, also where many are equal but for rounding.
func TestThreshold(t *testing.T) {
	assert.InDelta(t, 2.5, Threshold([]float64{1, 2, 3, 9}, 0.5), 1e-9)
	assert.InDelta(t, 0.5, Threshold([]float64{-1e-7, 0, 0, 1e-7, 1, 2}, 0.3), 1e-6)
	assert.InDelta(t, 2.00003, Threshold([]float64{-1, 0, 2, 2}, 0.9), 1e-9)
	assert.InDelta(t, 4.0, Threshold([]float64{4, 4, 4}, 0.4), 0)
}

// Beside the network there are kernels on series of nine frames or more, and on few images; alone there are always some.
func TestSuited(t *testing.T) {
	series, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {0, 2}}, 3, 20)
	require.NoError(t, err)
	image, err := affinity.Grid(6, 10, 8)
	require.NoError(t, err)
	assert.Equal(t, Usual, Suited(series, nil, 300, false))
	assert.Equal(t, Usual, Suited(series, []int{20, 3}, 300, false))
	assert.Equal(t, many, Suited(series, nil, 3000, false))
	long, err := affinity.SpaceTime([][2]int{{0, 1}}, 2, 1024)
	require.NoError(t, err)
	assert.Equal(t, Usual/2, Suited(long, nil, 300, false))
	short, err := affinity.SpaceTime([][2]int{{0, 1}}, 2, 8)
	require.NoError(t, err)
	assert.Zero(t, Suited(short, nil, 300, false))
	assert.Equal(t, many, Suited(short, nil, 3000, true))
	assert.Equal(t, Usual, Suited(image, []int{6, 10}, 300, false))
	assert.Zero(t, Suited(image, []int{6, 10}, 3000, false), "of many images the network knows more")
	general, err := affinity.RandomConnected(60, 90, 1)
	require.NoError(t, err)
	assert.Zero(t, Suited(general, nil, 300, false))
	assert.Equal(t, Usual, Suited(image, []int{6, 10}, 300, true))
}

// Of many samples the fit reads as many of each class, also if classes take turns in the file.
func TestRead(t *testing.T) {
	for _, classes := range []int{2, 3} {
		c := Config{Normalize: func(dst, x []float32) { copy(dst, x) }, Samples: func(yield func([]float32, int32) bool) {
			for i := range 3 * most {
				if !yield([]float32{1}, int32(i%classes)) {
					return
				}
			}
		}}
		signals, labels := c.read()
		assert.Len(t, signals, len(labels))
		count := make([]int, classes)
		for _, label := range labels {
			count[label]++
		}
		for _, n := range count {
			assert.InDelta(t, most/classes, n, 1)
		}
	}
}
