package augment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Signal says how much the samples of any data set are changed; its zero value changes nothing. Its functions know nothing of what a
// signal is of. In particular no point is absent to them, unlike to those for moving points.
type Signal struct {
	Noise   float64 `json:"noise,omitempty"`   // see Jitter
	Scale   float64 `json:"scale,omitempty"`   // see Scale
	Stretch float64 `json:"stretch,omitempty"` // see Stretch
}

// Check says what is wrong with the amounts.
func (s Signal) Check() error {
	switch {
	case !(s.Noise >= 0) || math.IsInf(s.Noise, 1):
		return fmt.Errorf("noise: deviation %g; it must be finite and not negative", s.Noise)
	case !(s.Scale >= 0 && s.Scale < 1):
		return fmt.Errorf("scale: share %g is outside [0, 1)", s.Scale)
	case !(s.Stretch >= 0 && s.Stretch < 1):
		return fmt.Errorf("stretch: share %g is outside [0, 1)", s.Stretch)
	}
	return nil
}

// Func makes the changes: first Stretch, then Scale, then Jitter, so that the noise is as it was asked for. grid is {frames, sensors}, nil
// where the nodes are no grid: then a stretch is an error, as it is of a single frame.
func (s Signal) Func(channels int, grid []int) (Func, error) {
	var steps []Func
	switch {
	case s.Stretch == 0:
	case grid == nil:
		return nil, fmt.Errorf("stretch: %g of nodes without time: it is not known which node is which moment; give the .npz a `grid` of frames and sensors, or leave stretch out", s.Stretch)
	case grid[0] < 2:
		return nil, fmt.Errorf("stretch: %g of a grid of %d x %d, which has one frame only; leave stretch out", s.Stretch, grid[0], grid[1])
	default:
		steps = append(steps, Stretch(grid[0], s.Stretch))
	}
	if s.Scale > 0 {
		steps = append(steps, Scale(channels, s.Scale))
	}
	if s.Noise > 0 {
		steps = append(steps, Jitter(s.Noise))
	}
	return Compose(steps...), nil
}

// Jitter adds a normal random number of the given deviation to every value ("jittering", Um et al. 2017). The values are normalised: 1 is
// the deviation of their channel.
func Jitter(deviation float64) Func {
	return func(rng *rand.Rand, sample []float32) {
		for i := range sample {
			sample[i] += float32(deviation * rng.NormFloat64())
		}
	}
}

// Scale multiplies each channel of a sample, at all nodes alike, by a factor of its own, uniform in [1 − share, 1 + share): channels are
// different quantities. The factor is about the channel's mean, which is 0 in a normalised sample.
func Scale(channels int, share float64) Func {
	return func(rng *rand.Rand, sample []float32) {
		for c := range channels {
			factor := float32(1 + share*(2*rng.Float64()-1))
			for i := c; i < len(sample); i += channels {
				sample[i] *= factor
			}
		}
	}
}

// Stretch makes the time of a sample of so many frames run slower or faster by one factor f, uniform in [1 − share, 1 + share), about a
// moment c that stays in place, uniform over the frames: out(t) = in(c + (t − c)/f), linear between frames. Before the first frame and
// after the last one it holds these.
func Stretch(frames int, share float64) Func {
	return func(rng *rand.Rand, sample []float32) {
		factor := 1 + share*(2*rng.Float64()-1)
		warp(sample, slices.Clone(sample), frames, rng.Float64()*float64(frames-1), factor)
	}
}

// warp writes `from`, stretched by the factor about a centre, to sample.
func warp(sample, from []float32, frames int, centre, factor float64) {
	size, last := len(sample)/frames, float64(frames-1)
	for t := range frames {
		place := min(max(centre+(float64(t)-centre)/factor, 0), last)
		at := int(place)
		share, out := float32(place-float64(at)), sample[t*size:(t+1)*size]
		now, next := from[at*size:(at+1)*size], from[min(at+1, frames-1)*size:][:size]
		for i := range out {
			out[i] = now[i] + share*(next[i]-now[i])
		}
	}
}
