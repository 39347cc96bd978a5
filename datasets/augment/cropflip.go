package augment

import "math/rand/v2"

// CropAndFlip is RandomCrop and then RandomFlip of images of one size. What they draw can also be had by itself, for whoever moves the
// pixels elsewhere, such as on a device.
type CropAndFlip struct {
	Height, Width, Channels, Pad int
}

// Move says which pixel of an image each pixel of the augmented one is: (y + Down, x + Right) is at (y, x), or at (y, Width-1-x)
// where the image is flipped; where there is no such pixel there are zeros.
type Move struct {
	Down, Right int
	Flip        bool
}

// Apply changes a sample in place.
func (c CropAndFlip) Apply(rng *rand.Rand, sample []float32) {
	RandomCrop(c.Height, c.Width, c.Channels, c.Pad)(rng, sample)
	RandomFlip(c.Height, c.Width, c.Channels)(rng, sample)
}

// Draw draws from rng what Apply draws, in the same order.
func (c CropAndFlip) Draw(rng *rand.Rand) (m Move) {
	m.Down, m.Right = drawShift(rng, c.Pad)
	m.Flip = drawFlip(rng)
	return m
}
