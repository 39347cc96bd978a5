// Package augment changes training samples at random, in place. A sample is a signal, `[nodes, channels]` row-major;
// for images the nodes are the pixels, `[height, width]` row-major.
package augment

import (
	"math/rand/v2"
	"slices"
)

// Func changes a sample in place, drawing only from rng.
type Func = func(rng *rand.Rand, sample []float32)

// Compose applies the functions one after another.
func Compose(funcs ...Func) Func {
	return func(rng *rand.Rand, sample []float32) {
		for _, f := range funcs {
			f(rng, sample)
		}
	}
}

// CropAndFlip augments images of one size. It surrounds an image with Pad pixels of zeros on each side, cuts out a window
// of the image's own size, every place equally likely, and mirrors it left to right half of the time. Zero is the mean
// colour of normalised samples.
type CropAndFlip struct {
	Height, Width, Channels, Pad int
}

// Move is one draw of CropAndFlip. Pixel (y + Down, x + Right) of the image moves to (y, x), or to (y, Width-1-x) if Flip
// is set; the other pixels of the result are zeros.
type Move struct {
	Down, Right int
	Flip        bool
}

// Draw draws a move from rng, the one that Apply would draw.
func (c CropAndFlip) Draw(rng *rand.Rand) Move {
	return Move{Down: rng.IntN(2*c.Pad+1) - c.Pad, Right: rng.IntN(2*c.Pad+1) - c.Pad, Flip: rng.IntN(2) == 1}
}

// Apply draws a move and applies it to a sample in place.
func (c CropAndFlip) Apply(rng *rand.Rand, sample []float32) { c.move(c.Draw(rng), sample) }

func (c CropAndFlip) move(m Move, sample []float32) {
	image, row := slices.Clone(sample), c.Width*c.Channels
	clear(sample)
	for y := max(0, -m.Down); y < min(c.Height, c.Height-m.Down); y++ {
		in, out := image[(y+m.Down)*row:], sample[y*row:]
		for x := max(0, -m.Right); x < min(c.Width, c.Width-m.Right); x++ {
			to := x
			if m.Flip {
				to = c.Width - 1 - x
			}
			copy(out[to*c.Channels:(to+1)*c.Channels], in[(x+m.Right)*c.Channels:])
		}
	}
}
