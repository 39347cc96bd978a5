// Package augment changes training samples at random, in place. A sample is a signal, `[nodes, channels]` row-major;
// for images the nodes are the pixels, `[height, width]` row-major.
package augment

import "math/rand/v2"

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

// CropAndFlip augments images of one size. It surrounds an image with Pad pixels of zeros on each side. Then it cuts
// out a window of the image's own size at a random place. With probability 1/2 it mirrors the window left to right.
// Zero is the mean colour of normalised samples.
type CropAndFlip struct {
	Height, Width, Channels, Pad int
}

// Move is one draw of CropAndFlip. Pixel (y + Down, x + Right) of the image moves to (y, x), or to (y, Width-1-x) if
// Flip is set. The remaining pixels of the result are zeros.
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
	row := c.Width * c.Channels
	shift(sample, c.Height, row, m.Down, m.Right*c.Channels)
	for y := 0; m.Flip && y < c.Height; y++ {
		mirror(sample[y*row:(y+1)*row], c.Channels)
	}
}

// shift moves an image of rows of `row` values, in place: out[y][x] = in[y+down][x+right], zero outside. It visits the
// rows from the side that the values move to, and reads each row before it overwrites it.
func shift(sample []float32, rows, row, down, right int) {
	for step := range rows {
		y := step
		if down < 0 {
			y = rows - 1 - step
		}
		out := sample[y*row : (y+1)*row]
		from := y + down
		if from < 0 || from >= rows || right >= row || -right >= row {
			clear(out)
			continue
		}
		in := sample[from*row : (from+1)*row]
		if right >= 0 {
			copy(out, in[right:])
			clear(out[row-right:])
		} else {
			copy(out[-right:], in[:row+right])
			clear(out[:-right])
		}
	}
}

// mirror reverses the order of the pixels of a row, keeping the order of the channels in each.
func mirror(row []float32, channels int) {
	for left, right := 0, len(row)-channels; left < right; left, right = left+channels, right-channels {
		for c := range channels {
			row[left+c], row[right+c] = row[right+c], row[left+c]
		}
	}
}
