package datasets

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	leastCrop    = 0.8 // the share of the time that a cropped recording keeps at least
	scaleSpread  = 0.1 // the standard deviation of the logarithm of a recording's factor
	mostCutShare = 8   // a cut is at most one frame in so many long
)

// augmentation returns how training samples are changed: as Raw says, or by distort if they are recordings in several
// frames; nil for not at all. It is kept nowhere, since another split may give recordings another number of frames.
func (d *Dataset) augmentation() func(rng *rand.Rand, sample []float32) {
	if d.Augment == nil && d.Form != nil && d.Form.Frames > 1 {
		return distort(d.Form.Frames)
	}
	return d.Augment
}

// distort returns the augmentation of recordings, three changes that keep most classes, for half of the samples. The
// others stay as they are: a class may lie in what the changes hide, such as a small step of an outline. A window of
// the frames is stretched to all of them (Le Guennec et al. 2016). The values are multiplied by a factor near 1. A
// short span of the frames is set to the mean, which is 0 (DeVries and Taylor 2017).
func distort(frames int) func(rng *rand.Rand, sample []float32) {
	return func(rng *rand.Rand, sample []float32) {
		if rng.IntN(2) == 0 {
			return
		}
		size := len(sample) / frames
		factor := float32(math.Exp(scaleSpread * rng.NormFloat64()))
		last := float64(frames - 1)
		window := (leastCrop + (1-leastCrop)*rng.Float64()) * last
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
		cut := 1 + rng.IntN(max(1, frames/mostCutShare))
		clear(sample[rng.IntN(frames-cut+1)*size:][:cut*size])
	}
}
