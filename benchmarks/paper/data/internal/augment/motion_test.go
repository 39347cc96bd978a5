package augment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// motion is two frames of two joints of two bodies; the second body is absent in the second frame.
func motion() []float32 {
	return []float32{
		1, 2, 3, 4, 5, 6, // joint 0: body 0, body 1
		-1, 0.5, 2, 7, 8, 9,
		2, 1, 1, 0, 0, 0,
		3, 3, 0, 0, 0, 0,
	}
}

// points are the points of a sample.
func points(sample []float32) (all [][3]float64) {
	for i := 0; i < len(sample); i += 3 {
		all = append(all, [3]float64{float64(sample[i]), float64(sample[i+1]), float64(sample[i+2])})
	}
	return all
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func TestRotation(t *testing.T) {
	const right = math.Pi / 2
	for name, c := range map[string]struct {
		x, y, z float64
		want    [3]float32 // of the point (1, 2, 3)
	}{
		"none":                 {0, 0, 0, [3]float32{1, 2, 3}},
		"about x":              {right, 0, 0, [3]float32{1, -3, 2}},
		"about y":              {0, right, 0, [3]float32{3, 2, -1}},
		"about z":              {0, 0, right, [3]float32{-2, 1, 3}},
		"about x, then y":      {right, right, 0, [3]float32{2, -3, -1}},
		"about x, then z":      {right, 0, right, [3]float32{3, 1, 2}},
		"about x, y, then z":   {right, right, right, [3]float32{3, 2, -1}},
		"half about each axis": {2 * right, 2 * right, 2 * right, [3]float32{1, 2, 3}},
	} {
		var got [3]float32
		for axis, row := range rotation(c.x, c.y, c.z) {
			got[axis] = row[0]*1 + row[1]*2 + row[2]*3
		}
		assert.InDeltaSlice(t, c.want[:], got[:], 1e-6, name)
	}
}

// TestRotate checks that lengths, angles and handedness stay, that all points turn alike, and the bound of the angles.
func TestRotate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	before := points(motion())
	var farthest float64
	for range 500 {
		sample := motion()
		Rotate(0.3)(rng, sample)
		after := points(sample)
		for i := range after {
			for j := range after {
				require.InDelta(t, dot(before[i], before[j]), dot(after[i], after[j]), 1e-4)
			}
		}
		require.Equal(t, [3]float64{}, after[5])
		require.Equal(t, [3]float64{}, after[7])
		axis := []float32{0, 0, 1, 1, 0, 0}
		Rotate(0.3)(rng, axis)
		farthest = max(farthest, math.Acos(float64(axis[2])))
	}
	// About x and y by at most 0.3 each, z is turned by at most acos(cos² 0.3).
	most := math.Acos(math.Cos(0.3) * math.Cos(0.3))
	assert.Less(t, farthest, most+1e-3)
	assert.Greater(t, farthest, 0.8*most)
	same := motion()
	Rotate(0)(rng, same)
	assert.InDeltaSlice(t, motion(), same, 1e-6)
}

func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var sum, squares float64
	const rounds = 2000
	for range rounds {
		sample := motion()
		Noise(0.01)(rng, sample)
		for i, v := range motion() {
			if i >= 12 && i%6 >= 3 {
				require.Zero(t, sample[i], "an absent body stays absent")
				continue
			}
			d := float64(sample[i] - v)
			sum, squares = sum+d, squares+d*d
		}
	}
	const n = rounds * 18
	assert.InDelta(t, 0, sum/n, 3e-4)
	assert.InDelta(t, 0.01, math.Sqrt(squares/n), 3e-4)
}

func TestMirror(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	want := []float32{
		1, 0.5, 2, -7, 8, 9,
		-1, 2, 3, -4, 5, 6,
		-3, 3, 0, 0, 0, 0,
		-2, 1, 1, 0, 0, 0,
	}
	mirrored := 0
	for range 200 {
		sample := motion()
		Sometimes(Mirror(2, 6, [][2]int{{0, 1}}))(rng, sample)
		if slices.Equal(sample, motion()) {
			continue
		}
		mirrored++
		require.Equal(t, want, sample)
	}
	assert.InDelta(t, 100, mirrored, 40)
}

func TestResample(t *testing.T) {
	// One body of one joint over five frames, absent in the last.
	from := []float32{1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 4, 0, 0, 0, 0}
	for _, c := range []struct {
		start, length float64
		want          []float32 // x
	}{
		{0, 4, []float32{1, 2, 3, 4, 0}},
		{1, 2, []float32{2, 2.5, 3, 3.5, 4}},
		{0, 2, []float32{1, 1.5, 2, 2.5, 3}},
		{2.5, 0, []float32{3.5, 3.5, 3.5, 3.5, 3.5}},
		{2, 2, []float32{3, 3.5, 4, 4, 0}},
	} {
		sample := make([]float32, len(from))
		resample(sample, from, 5, c.start, c.length)
		for k, want := range c.want {
			assert.InDelta(t, want, sample[3*k], 1e-6, "%+v, frame %d", c, k)
		}
	}
}

func TestTimeCrop(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	crop := TimeCrop(11, 0.5)
	shortest, longest := 99., 0.
	for range 500 {
		var sample []float32
		for frame := range 11 {
			sample = append(sample, float32(frame)+1, 1, 1)
		}
		crop(rng, sample)
		first, last := float64(sample[0]), float64(sample[30])
		require.GreaterOrEqual(t, first, 1.)
		require.LessOrEqual(t, last, 11.001)
		for frame := range 11 { // evenly spread
			require.InDelta(t, first+(last-first)*float64(frame)/10, sample[3*frame], 1e-4)
		}
		shortest, longest = min(shortest, last-first), max(longest, last-first)
	}
	assert.InDelta(t, 5, shortest, 0.1)
	assert.InDelta(t, 10, longest, 0.1)
	whole := motion()
	TimeCrop(2, 1)(rng, whole)
	assert.Equal(t, motion(), whole)
	one := []float32{1, 2, 3}
	TimeCrop(1, 0.5)(rng, one)
	assert.Equal(t, []float32{1, 2, 3}, one)
}

// TestMotionDegenerate takes samples without values, and absent bodies, which are zeros and stay so.
func TestMotionDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i, f := range []Func{Rotate(1), Noise(1), Sometimes(Mirror(1, 3, nil)), TimeCrop(4, 0.5)} {
		assert.NotPanics(t, func() { f(rng, nil) }, i)
		for range 8 {
			absent := make([]float32, 4*3)
			f(rng, absent)
			assert.Equal(t, make([]float32, 4*3), absent, i)
		}
	}
}

func ExampleRotate() {
	sample := []float32{3, 4, 0, 0, 0, 0} // one joint of two bodies, the second absent
	Rotate(0.3)(rand.New(rand.NewPCG(1, 2)), sample)
	fmt.Printf("%.3f %v\n", math.Hypot(math.Hypot(float64(sample[0]), float64(sample[1])), float64(sample[2])), sample[3:])
	// Output: 5.000 [0 0 0]
}
