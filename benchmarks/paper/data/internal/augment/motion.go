package augment

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The functions of this file change signals of moving points: `[frames * joints, 3 * bodies]`, with
// x, y and z of each body. A point is absent if all its coordinates are exactly zero, and stays absent.

// Rotate rotates all points of a sample about the x, y and z axes in turn. Each angle is drawn uniformly from -most to
// most, in radians.
func Rotate(most float64) Func {
	return func(rng *rand.Rand, sample []float32) {
		turn := rotation(most*(2*rng.Float64()-1), most*(2*rng.Float64()-1), most*(2*rng.Float64()-1))
		for i := 0; i+3 <= len(sample); i += 3 {
			x, y, z := sample[i], sample[i+1], sample[i+2]
			for axis, row := range turn {
				sample[i+axis] = row[0]*x + row[1]*y + row[2]*z
			}
		}
	}
}

// rotation returns the matrix of a rotation about x, then y, then z.
func rotation(aboutX, aboutY, aboutZ float64) [3][3]float32 {
	sx, cx := math.Sincos(aboutX)
	sy, cy := math.Sincos(aboutY)
	sz, cz := math.Sincos(aboutZ)
	return [3][3]float32{
		{float32(cz * cy), float32(cz*sy*sx - sz*cx), float32(cz*sy*cx + sz*sx)},
		{float32(sz * cy), float32(sz*sy*sx + cz*cx), float32(sz*sy*cx - cz*sx)},
		{float32(-sy), float32(cy * sx), float32(cy * cx)},
	}
}

// Noise adds a normal random number of the given deviation to each coordinate of each point.
func Noise(deviation float64) Func {
	return func(rng *rand.Rand, sample []float32) {
		for i := 0; i+3 <= len(sample); i += 3 {
			point := sample[i : i+3]
			if point[0] == 0 && point[1] == 0 && point[2] == 0 {
				continue
			}
			for axis := range point {
				point[axis] += float32(deviation * rng.NormFloat64())
			}
		}
	}
}

// Mirror swaps left and right: x changes its sign, and the joints of each pair change places.
func Mirror(joints, channels int, pairs [][2]int) func(sample []float32) {
	return func(sample []float32) {
		for i := 0; i < len(sample); i += 3 {
			sample[i] = -sample[i]
		}
		for frame := 0; frame < len(sample); frame += joints * channels {
			for _, pair := range pairs {
				left, right := sample[frame+pair[0]*channels:], sample[frame+pair[1]*channels:]
				for c := range channels {
					left[c], right[c] = right[c], left[c]
				}
			}
		}
	}
}

// Sometimes changes a sample with probability 1/2.
func Sometimes(change func(sample []float32)) Func {
	return func(rng *rand.Rand, sample []float32) {
		if rng.IntN(2) == 1 {
			change(sample)
		}
	}
}

// TimeCrop cuts a window out of the frames of a sample and stretches it linearly to the full length. The window's
// length is uniform, from the share `least` of the frames to all frames. Its place is uniform, too.
func TimeCrop(frames int, least float64) Func {
	return func(rng *rand.Rand, sample []float32) {
		length := (least + (1-least)*rng.Float64()) * float64(frames-1)
		start := rng.Float64() * (float64(frames-1) - length)
		resample(sample, slices.Clone(sample), frames, start, length)
	}
}

// resample writes the frames of `from` between start and start + length to all frames of sample. If a point is absent
// in one of two neighbouring frames, it takes the point of the nearer frame.
func resample(sample, from []float32, frames int, start, length float64) {
	if frames < 2 {
		return
	}
	size := len(sample) / frames
	for k := range frames {
		place := start + length*float64(k)/float64(frames-1)
		at := min(int(place), frames-2)
		share := float32(place - float64(at))
		now, next, out := from[at*size:(at+1)*size], from[(at+1)*size:(at+2)*size], sample[k*size:(k+1)*size]
		for i := 0; i+3 <= size; i += 3 {
			a, b := (*[3]float32)(now[i:]), (*[3]float32)(next[i:])
			if zero := ([3]float32{}); *a == zero || *b == zero {
				if share > 0.5 {
					a = b
				}
				b = a
			}
			for axis := range 3 {
				out[i+axis] = a[axis] + share*(b[axis]-a[axis])
			}
		}
	}
}
