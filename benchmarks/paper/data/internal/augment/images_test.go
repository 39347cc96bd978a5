package augment

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// image is 3x3 pixels of 2 channels: pixel p has the values p+1 and -(p+1).
func image() []float32 {
	var sample []float32
	for p := range 9 {
		sample = append(sample, float32(p+1), -float32(p+1))
	}
	return sample
}

// moved is an image by definition: pixel (y + down, x + right) moves to (y, x), or to (y, 2 - x) of a mirrored one.
func moved(sample []float32, down, right int, flip bool) []float32 {
	out := make([]float32, len(sample))
	for y := range 3 {
		for x := range 3 {
			fromY, fromX, to := y+down, x+right, 3*y+x
			if flip {
				to = 3*y + 2 - x
			}
			if fromY >= 0 && fromY < 3 && fromX >= 0 && fromX < 3 {
				copy(out[2*to:2*to+2], sample[2*(3*fromY+fromX):])
			}
		}
	}
	return out
}

// All places of a window are reached, plain and mirrored, also where the padding is wider than the image.
func TestCropAndFlip(t *testing.T) {
	for pad := range 5 {
		want, got := map[string]bool{}, map[string]bool{}
		for down := -pad; down <= pad; down++ {
			for right := -pad; right <= pad; right++ {
				for _, flip := range []bool{false, true} {
					want[fmt.Sprint(moved(image(), down, right, flip))] = true
				}
			}
		}
		rng := rand.New(rand.NewPCG(3, 4))
		for range 3000 {
			sample := image()
			CropAndFlip(3, 2, pad)(rng, sample)
			got[fmt.Sprint(sample)] = true
		}
		assert.Equal(t, want, got, "pad %d", pad)
	}
	CropAndFlip(0, 3, 2)(rand.New(rand.NewPCG(5, 6)), nil)
}

// By hand, and by the order of the numbers drawn, which a resumed training relies on.
func TestCropAndFlipDraws(t *testing.T) {
	assert.Equal(t, []float32{0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 2, -2, 0, 0, 4, -4, 5, -5}, moved(image(), -1, -1, false))
	assert.Equal(t, []float32{3, -3, 2, -2, 1, -1, 6, -6, 5, -5, 4, -4, 9, -9, 8, -8, 7, -7}, moved(image(), 0, 0, true))
	drawn, applied := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for range 100 {
		down, right, flip := drawn.IntN(3)-1, drawn.IntN(3)-1, drawn.IntN(2) == 1
		sample := image()
		CropAndFlip(3, 2, 1)(applied, sample)
		require.Equal(t, moved(image(), down, right, flip), sample)
	}
}
