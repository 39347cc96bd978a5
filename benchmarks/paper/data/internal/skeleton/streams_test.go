package skeleton

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParents(t *testing.T) {
	layout := Layout{Joints: []string{"a", "b", "c", "d", "alone"}, Bones: [][2]int{{1, 0}, {1, 2}, {3, 2}}, Origin: 1}
	assert.Equal(t, []int{1, 1, 1, 2, 4}, layout.parents())
	for _, l := range []*Layout{&KinectV1, &KinectV2} {
		for joint, parent := range l.parents() {
			assert.Equal(t, joint == l.Origin, joint == parent, "%d joints: %s", len(l.Joints), l.Joints[joint])
		}
	}
}

// Two joints, two frames, two bodies, of which the second is absent in the second frame.
func TestStreams(t *testing.T) {
	p := Preparation{Layout: &Layout{Joints: []string{"root", "tip"}, Bones: [][2]int{{0, 1}}}, Frames: 2, Bodies: 2,
		Streams: true}
	assert.Equal(t, 18, p.Channels())
	zeros := make([]float32, 12)
	node := func(first, second [3]float32) []float32 {
		return append(append(append([]float32{}, first[:]...), second[:]...), zeros...)
	}
	var signal []float32
	for _, n := range [][]float32{
		node([3]float32{1, 1, 1}, [3]float32{9, 9, 9}), node([3]float32{1, 3, 1}, [3]float32{9, 9, 8}),
		node([3]float32{2, 1, 1}, [3]float32{}), node([3]float32{2, 4, 1}, [3]float32{}),
	} {
		signal = append(signal, n...)
	}
	p.derive(signal)
	bones := func(node int) []float32 { return signal[18*node+6 : 18*node+12] }
	motion := func(node int) []float32 { return signal[18*node+12 : 18*node+18] }
	assert.Equal(t, []float32{0, 0, 0, 0, 0, 0}, bones(0), "the origin has no bone")
	assert.Equal(t, []float32{0, 1, 0, 0, 0, -1}, bones(1))
	assert.Equal(t, []float32{0, 1, 0, 0, 0, 0}, bones(3), "the second body is absent")
	assert.Equal(t, []float32{1, 0, 0, 0, 0, 0}, motion(0), "and has no motion to where it is absent")
	assert.Equal(t, []float32{1, 1, 0, 0, 0, 0}, motion(1))
	assert.Equal(t, make([]float32, 6), motion(2), "the last frame")
}
