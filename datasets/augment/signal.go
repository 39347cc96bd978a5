package augment

import (
	"math/rand/v2"
	"slices"
)

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
