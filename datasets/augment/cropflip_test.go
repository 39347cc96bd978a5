package augment

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// moved is an image by the definition of Move.
func moved(c CropAndFlip, m Move, sample []float32) []float32 {
	out := make([]float32, len(sample))
	for y := range c.Height {
		for x := range c.Width {
			fromY, fromX := y+m.Down, x+m.Right
			if m.Flip {
				fromX = c.Width - 1 - x + m.Right
			}
			if fromY >= 0 && fromY < c.Height && fromX >= 0 && fromX < c.Width {
				copy(out[(y*c.Width+x)*c.Channels:][:c.Channels], sample[(fromY*c.Width+fromX)*c.Channels:])
			}
		}
	}
	return out
}

// What is drawn is what is applied, one image after another from one generator.
func TestCropAndFlipDraws(t *testing.T) {
	for _, c := range []CropAndFlip{{3, 3, 2, 1}, {3, 3, 2, 0}, {2, 3, 3, 4}, {1, 1, 18, 1}} {
		drawn, applied := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		seen := map[Move]bool{}
		for range 100 {
			m, sample := c.Draw(drawn), image()
			c.Apply(applied, sample)
			require.Equal(t, moved(c, m, image()), sample, "%+v %+v", c, m)
			seen[m] = true
		}
		assert.Greater(t, len(seen), 1, "%+v", c)
	}
}

func ExampleCropAndFlip() {
	c := CropAndFlip{Height: 2, Width: 2, Channels: 1, Pad: 1}
	sample := []float32{1, 2, 3, 4}
	c.Apply(rand.New(rand.NewPCG(4, 0)), sample)
	fmt.Printf("%+v %v\n", c.Draw(rand.New(rand.NewPCG(4, 0))), sample)
	// Output: {Down:-1 Right:1 Flip:true} [0 0 0 2]
}
