package skeleton

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Recording holds the bodies that a sensor saw.
type Recording struct {
	// Frames is the number of frames, with or without a body in them.
	Frames int
	// Bodies are the bodies in the order of the file.
	Bodies []Body
}

// Body is one body in the frames that the sensor saw it. A sensor that loses somebody and finds them again may report
// another body.
type Body struct {
	// ID is what the sensor calls the body; it may be "".
	ID string
	// Frames are the frames that show the body, ascending from 0.
	Frames []int
	// Joints are the places of its joints, `[len(Frames), joints, 3]`, in any unit of length; y points up. NaN is
	// allowed.
	Joints []float32
}

// pose returns the joints of row i of the body, `[joints, 3]`.
func (b *Body) pose(i int) []float32 {
	size := len(b.Joints) / len(b.Frames)
	return b.Joints[i*size : (i+1)*size]
}

// first and last return the first and the last frame of the body.
func (b *Body) first() int { return b.Frames[0] }
func (b *Body) last() int  { return b.Frames[len(b.Frames)-1] }

// valid returns a copy of the body without the frames that do not really show it.
func (b *Body) valid() Body {
	kept := Body{ID: b.ID}
	for i, frame := range b.Frames {
		if pose := b.pose(i); seen(pose) {
			kept.Frames = append(kept.Frames, frame)
			kept.Joints = append(kept.Joints, pose...)
		}
	}
	return kept
}

// seen reports whether all coordinates of a pose are finite and at most one joint is exactly at zero. A sensor puts
// joints that it does not see at zero, but a recording may be centred on one joint.
func seen(pose []float32) bool {
	zeros := 0
	for i := 0; i < len(pose); i += 3 {
		place := vector(pose, i/3)
		if !finite(place.X) || !finite(place.Y) || !finite(place.Z) {
			return false
		}
		if place == (r3.Vec{}) {
			zeros++
		}
	}
	return zeros <= 1
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// spread returns how much the body moves: the squared distance of a joint from its mean place, as a mean over the
// joints and a sum over the frames. A body that is there all the time counts more than a body of a moment: the sum is
// not divided by the number of frames.
func (b *Body) spread() float64 {
	size := len(b.pose(0))
	mean := make([]float64, size)
	for i, v := range b.Joints {
		mean[i%size] += float64(v) / float64(len(b.Frames))
	}
	var sum float64
	for i, v := range b.Joints {
		d := float64(v) - mean[i%size]
		sum += d * d
	}
	return sum / float64(size/3)
}
