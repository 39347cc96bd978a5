package datasets

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	leastWindow = 0.8 // the least share of a recording's time that a window has
	scaleSpread = 0.1 // the standard deviation of the logarithm of a recording's factor
	cutDivisor  = 8   // a cut is at most frames/cutDivisor frames long, or one frame
)

// augmentation returns how training samples are changed: as Raw says, or by distort if they are recordings in several
// frames; nil for not at all. It is kept nowhere, since another split may give recordings another number of frames.
func (d *Dataset) augmentation() func(rng *rand.Rand, sample []float32) {
	if d.Augment == nil && d.Form != nil && d.Form.Frames > 1 {
		return distort(d.Form.Frames)
	}
	return d.Augment
}

// distort returns the augmentation of recordings. At each call it leaves the sample as it is with probability ½, since
// a class may lie in what the changes hide, such as a small step of an outline. Else it makes three changes, which keep
// most classes:
//
//   - a window of the frames is stretched to all of them (Le Guennec et al. 2016);
//   - all values are multiplied by a factor near 1;
//   - a short span of the frames is set to 0, the mean, since samples are normalised (DeVries and Taylor 2017).
func distort(frames int) func(rng *rand.Rand, sample []float32) {
	return func(rng *rand.Rand, sample []float32) {
		if rng.IntN(2) == 0 {
			return
		}
		size := len(sample) / frames
		factor := float32(math.Exp(scaleSpread * rng.NormFloat64()))
		last := float64(frames - 1)
		window := (leastWindow + (1-leastWindow)*rng.Float64()) * last
		start := rng.Float64() * (last - window)
		from := slices.Clone(sample)
		for frame := range frames {
			whole, share := math.Modf(start + window*float64(frame)/last)
			at := min(int(whole), frames-2) * size
			if int(whole) > frames-2 { // the last frame
				share = 1
			}
			for i := range size {
				a, b := from[at+i], from[at+size+i]
				sample[frame*size+i] = factor * (a + float32(share)*(b-a))
			}
		}
		cut := 1 + rng.IntN(max(1, frames/cutDivisor))
		clear(sample[rng.IntN(frames-cut+1)*size:][:cut*size])
	}
}
