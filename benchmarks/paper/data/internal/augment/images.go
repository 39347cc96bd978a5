// Package augment changes training samples at random, in place. A sample is a signal, `[nodes, channels]` row-major;
// for images the nodes are the pixels, `[height, width]` row-major.
package augment

import (
	"math/rand/v2"
	"slices"
)

// Func changes a sample in place, drawing only from rng.
type Func = func(rng *rand.Rand, sample []float32)

// MirrorImage swaps left and right of an image, side pixels wide.
func MirrorImage(side, channels int) func(sample []float32) {
	return func(sample []float32) {
		for at := 0; at < len(sample); at += side * channels {
			row := sample[at:]
			for x := range side / 2 {
				left, right := row[x*channels:][:channels], row[(side-1-x)*channels:]
				for c := range left {
					left[c], right[c] = right[c], left[c]
				}
			}
		}
	}
}

// CropAndFlip augments square images. It surrounds an image with pad pixels of zeros on each side. Then it cuts out a
// window of the image's own size at a random place. With probability 1/2 it mirrors the window left to right. Zero is
// the mean colour of normalised samples.
func CropAndFlip(side, channels, pad int) Func {
	mirror := MirrorImage(side, channels)
	return func(rng *rand.Rand, sample []float32) {
		down, right, flip := rng.IntN(2*pad+1)-pad, rng.IntN(2*pad+1)-pad, rng.IntN(2) == 1
		image := slices.Clone(sample)
		clear(sample)
		for y := max(0, -down); y < min(side, side-down); y++ {
			from, to := max(0, -right), min(side, side-right)
			if from < to {
				copy(sample[(y*side+from)*channels:(y*side+to)*channels], image[((y+down)*side+from+right)*channels:])
			}
		}
		if flip {
			mirror(sample)
		}
	}
}
