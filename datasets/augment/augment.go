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

// RandomCrop surrounds an image with pad pixels of zeros on each side and cuts a window of the image's own size out of
// it, every place equally likely: the image moves by up to pad pixels in each direction. On a normalised sample zero
// is the mean colour.
func RandomCrop(height, width, channels, pad int) Func {
	return func(rng *rand.Rand, sample []float32) {
		down, right := drawShift(rng, pad)
		shift(sample, height, width*channels, down, right*channels)
	}
}

// RandomFlip mirrors an image left to right, every second time on average.
func RandomFlip(height, width, channels int) Func {
	return func(rng *rand.Rand, sample []float32) {
		if !drawFlip(rng) {
			return
		}
		row := width * channels
		for y := range height {
			mirror(sample[y*row:(y+1)*row], channels)
		}
	}
}

func drawShift(rng *rand.Rand, pad int) (down, right int) {
	return rng.IntN(2*pad+1) - pad, rng.IntN(2*pad+1) - pad
}

func drawFlip(rng *rand.Rand) bool { return rng.IntN(2) == 1 }

// shift moves an image of rows of `row` values so that out[y][x] = in[y+down][x+right], zero outside. In place: the
// rows are visited from the side that the values come to, so none is overwritten before it is read.
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
