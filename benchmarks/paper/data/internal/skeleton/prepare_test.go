package skeleton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/spatial/r3"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// signal prepares a recording that must be fit for it.
func signal(t *testing.T, p Preparation, r *Recording) []float32 {
	t.Helper()
	got, err := p.Signal(r)
	require.NoError(t, err)
	return got
}

// TestFirstFrame works the coordinates of the body out by hand: two units tall, turned by a right angle, at (5, 1, 3).
func TestFirstFrame(t *testing.T) {
	p := Preparation{Layout: &stick, Frames: 2, Bodies: 1}
	moved := upright(5, 1, 3, math.Pi/2)
	for i := 2; i < len(moved); i += 3 {
		moved[i] -= 1 // towards the camera: along the body's own x
	}
	got := signal(t, p, &Recording{Frames: 2, Bodies: []Body{body("1", 0, upright(5, 1, 3, math.Pi/2), moved)}})
	assert.InDeltaSlice(t, []float32{
		0, 0, 0, 0, 1, 0, -0.25, 1, 0, 0.25, 1, 0,
		0.5, 0, 0, 0.5, 1, 0, 0.25, 1, 0, 0.75, 1, 0,
	}, got, 1e-6)

}

// TestAxes checks the third axis and the orthogonal second: shoulders that slope.
func TestAxes(t *testing.T) {
	pose := []float32{0, 0, 0, 0, 1, 0, -1, 0, 0, 1, 2, 0} // right shoulder low, left high
	f, ok := stick.frame(pose)
	require.True(t, ok)
	h := math.Sqrt(0.5)
	for axis, want := range [3][3]float64{{h, h, 0}, {-h, h, 0}, {0, 0, 1}} {
		got := f.axes[axis]
		assert.InDeltaSlice(t, want[:], []float64{got.X, got.Y, got.Z}, 1e-12)
	}
	assert.Equal(t, 1., f.unit)
}

// TestInvariance turns, shifts and scales recordings: the signal stays.
func TestInvariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, layout := range []*Layout{&KinectV1, &KinectV2, &stick} {
		p := Preparation{Layout: layout, Frames: 9, Bodies: 1}
		r := dancer(rng, layout, 14)
		want := signal(t, p, r)
		moved := Body{ID: "1", Frames: r.Bodies[0].Frames}
		turn, shift, factor := bodyFrame{unit: 1}, [3]float64{3, -1, 2}, 0.3
		turn.axes = rotationOf(rng)
		moved.Joints = slices.Clone(r.Bodies[0].Joints)
		turn.apply(moved.Joints)
		for i := range moved.Joints {
			moved.Joints[i] = float32(factor*float64(moved.Joints[i]) + shift[i%3])
		}
		got := signal(t, p, &Recording{Frames: 14, Bodies: []Body{moved}})
		assert.InDeltaSlice(t, want, got, 1e-3, "%d joints", len(layout.Joints))
	}
}

// rotationOf draws three orthogonal axes of a right-handed system.
func rotationOf(rng *rand.Rand) [3]r3.Vec {
	pose := make([]float32, 12)
	for i := range pose {
		pose[i] = float32(rng.NormFloat64())
	}
	f, _ := stick.frame(pose)
	return f.axes
}

// Upright signals stay if the recording is turned about the upward axis, shifted and scaled. If it is tilted, they
// change.
func TestUpright(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, layout := range []*Layout{&KinectV1, &KinectV2} {
		p := Preparation{Layout: layout, Frames: 9, Bodies: 1, Upright: true}
		r := dancer(rng, layout, 14)
		want := signal(t, p, r)
		seen := func(axes [3]r3.Vec) []float32 {
			moved := Body{ID: "1", Frames: r.Bodies[0].Frames, Joints: slices.Clone(r.Bodies[0].Joints)}
			turn := bodyFrame{origin: r3.Vec{X: 3, Y: -1, Z: 2}, axes: axes, unit: 0.3}
			turn.apply(moved.Joints)
			return signal(t, p, &Recording{Frames: 14, Bodies: []Body{moved}})
		}
		sin, cos := math.Sincos(2)
		assert.InDeltaSlice(t, want, seen([3]r3.Vec{{X: cos, Z: sin}, {Y: 1}, {X: -sin, Z: cos}}), 1e-3)
		tilted := seen([3]r3.Vec{{X: 1}, {Y: cos, Z: sin}, {Y: -sin, Z: cos}})
		assert.Greater(t, math.Abs(float64(want[len(want)-1]-tilted[len(want)-1])), 0.1)
	}
	// By hand: shoulders and hips go away from the sensor, 0.5 and 0.25 wide; the spine is one long and bends.
	pose := slices.Repeat([]float32{5, 1, 3}, 20)
	for joint, place := range map[int][3]float32{1: {5, 1, 3}, 0: {5, 1, 3}, 2: {5, 1.6, 3.8}, 8: {5, 1, 3},
		4:  {5, 1, 3.5},
		16: {5, 1, 3}, 12: {5, 1, 3.25}} {
		copy(pose[3*joint:], place[:])
	}
	got := signal(t, Preparation{Layout: &KinectV1, Frames: 1, Bodies: 1, Upright: true},
		&Recording{Frames: 1, Bodies: []Body{{Frames: []int{0}, Joints: pose}}})
	assert.InDeltaSlice(t, []float32{0.8, 0.6, 0}, got[6:9], 1e-6)
	for _, left := range []int{4, 12} { // a body that lies: shoulders and hips one above the other
		copy(pose[3*left:], []float32{5, 2, 3})
	}
	_, err := Preparation{Layout: &KinectV1, Frames: 1, Bodies: 1, Upright: true}.Signal(
		&Recording{Frames: 1, Bodies: []Body{{Frames: []int{0}, Joints: pose}}})
	messagetest.Names(t, err, "1 frames … lies … no spine")
}

func TestPosition(t *testing.T) {
	for _, c := range []struct {
		k, timepoints, n, at int
		share                float32
	}{
		{0, 5, 3, 0, 0}, {1, 5, 3, 0, 0.5}, {2, 5, 3, 1, 0}, {3, 5, 3, 1, 0.5}, {4, 5, 3, 2, 0},
		{0, 2, 7, 0, 0}, {1, 2, 7, 6, 0}, {1, 3, 6, 2, 0.5},
		{0, 1, 9, 0, 0}, {3, 4, 1, 0, 0}, {7, 80, 80, 7, 0}, {79, 80, 200, 199, 0},
	} {
		at, share := position(c.k, c.timepoints, c.n)
		assert.Equal(t, c.at, at, "%+v", c)
		assert.Equal(t, c.share, share, "%+v", c)
	}
}

// TestResampling walks one unit a frame: positions are linear in time, whatever the number of frames.
func TestResampling(t *testing.T) {
	for _, frames := range []int{1, 2, 3, 5, 9, 40} {
		p := Preparation{Layout: &stick, Frames: frames, Bodies: 1}
		got := signal(t, p, &Recording{Frames: 5, Bodies: []Body{body("1", 0, walk(0, 1, 5)...)}})
		for k := range frames {
			want := 0.
			if frames > 1 {
				want = 4 * float64(k) / float64(frames-1) / 2 // two units tall
			}
			assert.InDelta(t, want, got[12*k], 1e-6, "frame %d of %d", k, frames)
		}
	}
	// As many time points as frames: the poses themselves.
	p := Preparation{Layout: &stick, Frames: 5, Bodies: 1}
	rng := rand.New(rand.NewPCG(3, 4))
	r := dancer(rng, &stick, 5)
	want := r.Bodies[0].valid()
	f, ok := stick.frame(want.pose(0))
	require.True(t, ok)
	f.apply(want.Joints)
	assert.Equal(t, want.Joints, signal(t, p, r))
	// One frame: that pose all the time.
	one := signal(t, p, &Recording{Frames: 1, Bodies: []Body{body("1", 0, upright(1, 2, 3, 1))}})
	for k := range 5 {
		assert.Equal(t, one[:12], one[12*k:12*k+12])
	}
}

// TestSecondBody checks where the second body is there, half there, and absent.
func TestSecondBody(t *testing.T) {
	p := Preparation{Layout: &stick, Frames: 9, Bodies: 2}
	r := &Recording{Frames: 5, Bodies: []Body{
		body("2", 2, upright(10, 0, 3, 0), upright(12, 0, 3, 0)), // in frames 2 and 3 of 0 to 4
		body("1", 0, walk(0, 1, 5)...),
	}}
	got := signal(t, p, r)
	waist := func(k, body, axis int) float32 { return got[(k*4+0)*6+3*body+axis] }
	for k := range 9 {
		assert.InDelta(t, 0.25*float64(k), waist(k, 0, 0), 1e-6, "the main actor moves most")
	}
	// Nine time points over five frames: time point 4 is frame 2, time point 6 frame 3; 3 and 7 lie half-way to frames
	// without it.
	for k, want := range map[int]float64{0: 0, 1: 0, 2: 0, 3: 0, 4: 5, 5: 5.5, 6: 6, 7: 6, 8: 0} {
		assert.InDelta(t, want, waist(k, 1, 0), 1e-6, "time point %d", k)
	}
	alone := signal(t, p, &Recording{Frames: 5, Bodies: r.Bodies[1:]})
	for i, v := range alone {
		if i%6 >= 3 {
			require.Zero(t, v)
		}
	}
}

func TestInvalidFrames(t *testing.T) {
	nan, inf := upright(2, 0, 3, 0), upright(3, 0, 3, 0)
	nan[7], inf[1] = float32(math.NaN()), float32(math.Inf(1))
	p := Preparation{Layout: &stick, Frames: 3, Bodies: 1}
	walked := walk(0, 1, 3)
	want := signal(t, p, &Recording{Frames: 3, Bodies: []Body{body("1", 0, walked...)}})
	got := signal(t, p, &Recording{Frames: 9, Bodies: []Body{
		body("1", 2, make([]float32, 12), walked[0], nan, walked[1], inf, walked[2])}})
	assert.Equal(t, want, got)

	// The joints of the first pose lie on a line: the second one gives the coordinates, for both.
	line := []float32{0, 0, 3, 0, 2, 3, 0, 2, 3, 0, 2, 3}
	got = signal(t, p, &Recording{Frames: 3, Bodies: []Body{body("1", 0, line, walked[1], line)}})
	assert.InDelta(t, -0.5, got[0], 1e-6)
	assert.InDelta(t, 0, got[12], 1e-6)
	assert.InDelta(t, -0.5, got[24], 1e-6)
}

// TestFoldedSpine begins with a pose of a tenth of the size: the next one gives the coordinates.
func TestFoldedSpine(t *testing.T) {
	folded := scaledPose(0.1)
	p := Preparation{Layout: &stick, Frames: 4, Bodies: 1}
	got := signal(t, p, &Recording{Frames: 4,
		Bodies: []Body{body("1", 0, append([][]float32{folded}, walk(0, 1, 3)...)...)}})
	assert.InDeltaSlice(t, []float32{0, 0, 0, 0, 1, 0}, got[12:18], 1e-6)
	assert.InDelta(t, 0.1, got[4], 1e-6, "the neck of the first")
	// A bit longer or shorter is usual.
	long := scaledPose(1.9)
	got = signal(t, p, &Recording{Frames: 4, Bodies: []Body{body("1", 0, append([][]float32{long}, walk(0, 1, 3)...)...)}})
	assert.InDeltaSlice(t, []float32{0, 0, 0, 0, 1, 0}, got[:6], 1e-6)
}

// TestMissingJoints drops poses in which more than one joint is at zero, as joints that are not seen are.
func TestMissingJoints(t *testing.T) {
	pose := upright(0, 0, 0, 0) // its waist is at zero
	assert.True(t, seen(pose))
	clear(pose[6:9])
	assert.False(t, seen(pose))
	pose[8] = 1e-3
	assert.True(t, seen(pose))
}

func TestSignalErrors(t *testing.T) {
	line := []float32{0, 0, 3, 0, 2, 3, 0, 2, 3, 0, 2, 3}
	far := upright(0, 0, 3, 0)
	far[0] = math.MaxFloat32
	for name, c := range map[string]struct {
		r    Recording
		want string
	}{
		"no frames":  {Recording{}, "no body … 0 frames"},
		"no body":    {Recording{Frames: 7}, "no body … 7 frames"},
		"empty body": {Recording{Frames: 7, Bodies: []Body{{}}}, "no body … 7 frames"},
		"zeros only": {Recording{Frames: 1, Bodies: []Body{body("1", 0, make([]float32, 12))}},
			"no body … 1 frames"},
		"on a line": {Recording{Frames: 2, Bodies: []Body{body("1", 0, line, line)}},
			"none of its 2 … shoulders … spine"},
		"at the horizon": {Recording{Frames: 2, Bodies: []Body{body("1", 0, scaledPose(1e-30), far)}},
			"too far"},
	} {
		p := Preparation{Layout: &stick, Frames: 2, Bodies: 2}
		_, err := p.Signal(&c.r)
		messagetest.Names(t, err, c.want, name)
	}
}

func scaledPose(by float32) []float32 {
	pose := upright(0, 0, 0, 0)
	for i := range pose {
		pose[i] *= by
	}
	return pose
}
