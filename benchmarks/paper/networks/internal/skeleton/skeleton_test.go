package skeleton

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/benchmarks/paper/networks/internal/valuestest"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// computed are the results of a graph function.
func computed[F ExecGraphFn](t *testing.T, backend compute.Backend, fn F, args ...any) []*tensors.Tensor {
	t.Helper()
	out, err := CallOnceN(backend, fn, args...)
	require.NoError(t, err)
	return out
}

func narrow(values []float64) (narrow []float32) {
	for _, v := range values {
		narrow = append(narrow, float32(v))
	}
	return narrow
}

// fiveJoints is a body of four bones in nine frames, three classes.
func fiveJoints(t *testing.T) Body {
	t.Helper()
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {1, 3}, {3, 4}}, 5, 9)
	require.NoError(t, err)
	return Body{Frames: 9, Joints: 5, Channels: 3, Bodies: 1, Classes: 3, Bones: Bones(graph, 5)}
}

// The walk begins in the middle, goes on to the lower joint first, and comes back; what hangs together with nothing
// follows.
func TestWalkOf(t *testing.T) {
	kinect := [][2]int{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {4, 5}, {5, 6}, {6, 7}, {2, 8}, {8, 9}, {9, 10}, {10, 11}, {0, 12},
		{12, 13}, {13, 14}, {14, 15}, {0, 16}, {16, 17}, {17, 18}, {18, 19}}
	walk := walkOf(kinect, 20)
	assert.Equal(t, []int{1, 0, 12, 13, 14, 15, 14, 13, 12, 0, 16, 17, 18, 19, 18, 17, 16, 0, 1, 2, 3, 2, 4, 5, 6, 7, 6, 5,
		4, 2, 8, 9, 10, 11, 10, 9, 8, 2, 1}, walk)
	assert.Equal(t, []int{1, 0, 1, 2, 1, 3}, walkOf([][2]int{{0, 1}, {1, 2}}, 4))
	assert.Equal(t, []int{0, 1, 2, 1, 0}, walkOf([][2]int{{0, 1}, {1, 2}, {0, 2}}, 3), "a ring is walked once")
}

// The bones are those of the first frame: what joins frames is none.
func TestBones(t *testing.T) {
	graph, err := affinity.SpaceTime([][2]int{{2, 0}, {1, 2}}, 3, 4)
	require.NoError(t, err)
	assert.Equal(t, [][2]int{{0, 2}, {1, 2}}, Bones(graph, 3))
	assert.Equal(t, [][2]int{{0, 1}}, partBones([][2]int{{0, 2}, {1, 2}, {2, 3}, {0, 1}}, [][]int{{0, 1}, {2}}),
		"joint 3 is of no part")
}

// All directions, the axes among them, and none.
func TestAngle(t *testing.T) {
	var x, y, want []float64
	for i := range 48 {
		angle := math.Pi * float64(i-23) / 24
		x, y, want = append(x, 3*math.Cos(angle)), append(y, 3*math.Sin(angle)), append(want, angle)
	}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out := computed(t, backend, func(y, x *Node) []*Node {
			a := angle(y, x)
			return append([]*Node{a, radius(x, y)}, Gradient(ReduceAllSum(a), y, x)...)
		}, append(y, 0), append(x, 0))
		flat := func(i int) []float64 { return tensors.MustCopyFlatData[float64](out[i]) }
		for i, a := range flat(0)[:48] {
			assert.InDelta(t, 0, math.Remainder(a-want[i], 2*math.Pi), 1e-12)
			assert.InDelta(t, 3, flat(1)[i], 1e-12)
			assert.InDelta(t, x[i]/9, flat(2)[i], 1e-12)
			assert.InDelta(t, -y[i]/9, flat(3)[i], 1e-12)
		}
		for i := range out {
			assert.Zero(t, flat(i)[48])
		}
	})
}

// One bone turned a quarter about z against another, at a distance of 2 along it: by the formulas of SE(3).
func TestRelativeGeometry(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		positions := [][][][][]float64{{{{{0, 0, 0}}, {{2, 0, 0}}, {{2, 5, 0}}},
			{{{7, 7, 7}}, {{7, 7, 7}}, {{8, 7, 7}}}}} // [1, 2 frames, 3 joints, 1, 3]
		out := computed(t, backend, func(x *Node) []*Node { return []*Node{relativeGeometry(x, [][2]int{{0, 1}, {1, 2}})} },
			positions)[0].Value().([][][]float64)[0]
		// A = I + (2/π) [z] + (1 − 2/π) [z]² takes u to t: with t = (2, 0, 0), (2/π) u = (1, −1, 0); seen from the
		// second bone, t = (0, 2, 0) and the turn is −z.
		assert.InDeltaSlice(t, []float64{0, math.Pi / 2, math.Pi / 2, -math.Pi / 2, 0}, out[0][:5], 1e-9)
		assert.InDeltaSlice(t, []float64{0, -math.Pi / 2, -math.Pi / 2, math.Pi / 2, 0}, out[0][5:], 1e-9)
		assert.Equal(t, make([]float64, 10), out[1], "a bone without length")
	})
}

// A curve that dwells is warped to one that does not: each step gets the frame that is nearest.
func TestWarpTo(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out := computed(t, backend, func(x, nominal *Node) []*Node { return []*Node{warpTo(x, nominal)} },
			[][][]float32{{{0}, {0.1}, {2.2}, {2}, {2.5}, {5}}}, [][][]float32{{{0.1}, {2.1}, {3}, {5}},
				{{0}, {0}, {0}, {5}}})[0]
		frames := func(class int) (frames []int) {
			for _, row := range out.Value().([][][][]float32)[0][class] {
				ones := 0
				for i, v := range row {
					if v == 1 {
						frames = append(frames, i)
						ones++
					}
				}
				assert.Equal(t, 1, ones)
			}
			return frames
		}
		assert.Equal(t, []int{1, 2, 4, 5}, frames(0))
		assert.Equal(t, 5, frames(1)[3], "the last is paired with the last")
	})
}

// A constant has frequency 0 alone; an oscillation that fits a half has no other there.
func TestFourierPyramid(t *testing.T) {
	cos, sin := fourierPyramid(16)
	require.Len(t, cos, 7*4)
	size := func(row int, x func(t int) float64) float64 {
		re, im := 0.0, 0.0
		for t := range 16 {
			re, im = re+cos[row][t]*x(t), im+sin[row][t]*x(t)
		}
		return math.Hypot(re, im)
	}
	one := func(int) float64 { return 1 }
	assert.InDeltaSlice(t, []float64{16, 0, 0, 0}, []float64{size(0, one), size(1, one), size(2, one), size(3, one)},
		1e-12)
	wave := func(t int) float64 { return math.Cos(2 * math.Pi * 2 * float64(t) / 16) }
	assert.InDelta(t, 2*8, size(2, wave), 1e-12, "the whole")
	assert.InDelta(t, 2*4, size(4+2, wave), 1e-12, "the first half")
	cos, _ = fourierPyramid(1)
	assert.Len(t, cos, 3, "one frame is the whole, the second half and the last quarter")
}

// Its gradient is that of central differences.
func TestRelativeGeometryGradient(t *testing.T) {
	bones := fiveJoints(t).Bones
	positions, weights := valuestest.Named("x", 2*5*3), valuestest.Named("weights", 2*4*3*5)
	value := func(x *Node) *Node {
		g := relativeGeometry(Reshape(x, 1, 2, 5, 1, 3), bones)
		return ReduceAllSum(Mul(Reshape(g, 2*4*3*5), Const(x.Graph(), weights)))
	}
	backend := backendtest.Go(t)
	at := func(x []float64) float64 {
		return computed(t, backend, func(x *Node) []*Node { return []*Node{value(x)} }, x)[0].Value().(float64)
	}
	gradient := tensors.MustCopyFlatData[float64](computed(t, backend,
		func(x *Node) []*Node { return Gradient(value(x), x) }, positions)[0])
	for i := range positions {
		const h = 1e-6
		ahead, behind := slices.Clone(positions), slices.Clone(positions)
		ahead[i], behind[i] = ahead[i]+h, behind[i]-h
		want := (at(ahead) - at(behind)) / (2 * h)
		assert.InDelta(t, want, gradient[i], 1e-5*(1+math.Abs(want)), "place %d", i)
	}
}

// The nominal curve of two recordings is the mean of both, warped to the first: a still one of another place, which is
// nearest everywhere.
func TestNominalCurveOfTwo(t *testing.T) {
	backend := backendtest.Go(t)
	b := fiveJoints(t)
	x := [][]float32{narrow(valuestest.Named("x", 9*5*3)), narrow(valuestest.Named("y", 9*5*3))}
	for frame := range 9 { // the second stands still
		copy(x[1][frame*15:], x[1][:15])
	}
	all, err := Nominal(t.Context(), backend, b, func(yield func([]float32, int32) bool) {
		_ = yield(x[0], 1) && yield(x[1], 1)
	}, (&signal.Info{Mean: []float32{0}, Std: []float32{1}}).Normalize)
	require.NoError(t, err)
	nominal := tensors.MustCopyFlatData[float32](all)[540:1080]
	curves := tensors.MustCopyFlatData[float32](computed(t, backend,
		func(x *Node) []*Node { return []*Node{b.geometry(x)} }, tensors.FromFlatDataAndDimensions(slices.Concat(x...), 2, 45,
			3))[0])
	first, last := curves[:60], curves[8*60:9*60]
	for j := range 60 { // the ends of recordings are paired with the ends
		assert.InDelta(t, (float64(first[j])+float64(curves[540+j]))/2, nominal[j], 1e-4)
		assert.InDelta(t, (float64(last[j])+float64(curves[540+j]))/2, nominal[8*60+j], 1e-4)
	}
}

// The nominal curves: of samples that are all alike it is theirs, a class without samples has zeros; a stopped
// computation says so.
func TestNominal(t *testing.T) {
	backend := backendtest.Go(t)
	b := fiveJoints(t)
	x := [][]float32{narrow(valuestest.Named("x", 9*5*3)), narrow(valuestest.Named("y", 9*5*3))}
	samples := func(yield func([]float32, int32) bool) {
		for range 70 {
			if !yield(x[0], 0) || !yield(x[1], 2) {
				return
			}
		}
	}
	info := signal.Info{Mean: []float32{0.5, 0, 0}, Std: []float32{2, 2, 2}}
	nominal, err := Nominal(t.Context(), backend, b, samples, info.Normalize)
	require.NoError(t, err)
	assert.Equal(t, []int{3, 9, 60}, nominal.Shape().Dimensions)
	curves := tensors.MustCopyFlatData[float32](nominal)
	normalised := make([]float32, len(x[1]))
	for j, v := range x[1] {
		normalised[j] = (v - info.Mean[j%3]) / 2
	}
	want := computed(t, backend, func(x *Node) []*Node { return []*Node{b.geometry(x)} },
		tensors.FromFlatDataAndDimensions(normalised, 1, 45, 3))[0]
	assert.InDeltaSlice(t, tensors.MustCopyFlatData[float32](want), curves[2*540:], 1e-4)
	assert.Equal(t, make([]float32, 540), curves[540:2*540])

	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = Nominal(stopped, backend, b, samples, info.Normalize)
	assert.ErrorIs(t, err, context.Canceled)
}

// What a class's nominal curve is made of is spread over its samples.
func TestChoose(t *testing.T) {
	chosen := choose(2, func(yield func([]float32, int32) bool) {
		for i := range 200 {
			if !yield([]float32{float32(i)}, int32(i/160)) {
				return
			}
		}
	}, (&signal.Info{Mean: []float32{0}, Std: []float32{1}}).Normalize)
	require.Len(t, chosen[0], nominalSamples)
	assert.Equal(t, []float32{0}, chosen[0][0])
	assert.Equal(t, []float32{158}, chosen[0][63])
	assert.Len(t, chosen[1], 40)
}
