package augment

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// first takes the first channel.
func first(sample []float32) []float32 {
	var values []float32
	for i := 0; i < len(sample); i += 2 {
		values = append(values, sample[i])
	}
	return values
}

func TestShift(t *testing.T) {
	for _, c := range []struct {
		down, right int
		want        []float32
	}{
		{0, 0, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{1, 0, []float32{4, 5, 6, 7, 8, 9, 0, 0, 0}},
		{-1, 0, []float32{0, 0, 0, 1, 2, 3, 4, 5, 6}},
		{0, 1, []float32{2, 3, 0, 5, 6, 0, 8, 9, 0}},
		{0, -1, []float32{0, 1, 2, 0, 4, 5, 0, 7, 8}},
		{1, -1, []float32{0, 4, 5, 0, 7, 8, 0, 0, 0}},
		{-1, 1, []float32{0, 0, 0, 2, 3, 0, 5, 6, 0}},
		{-2, -2, []float32{0, 0, 0, 0, 0, 0, 0, 0, 1}},
		{0, 3, make([]float32, 9)},
		{0, -4, make([]float32, 9)},
		{3, 0, make([]float32, 9)},
		{-5, 0, make([]float32, 9)},
	} {
		sample := image()
		CropAndFlip{3, 3, 2, 0}.move(Move{Down: c.down, Right: c.right}, sample)
		assert.Equal(t, c.want, first(sample), "down %d, right %d", c.down, c.right)
		for i := 0; i < len(sample); i += 2 {
			require.Equal(t, -sample[i], sample[i+1]+0, "channels stay together")
		}
	}
}

func TestFlip(t *testing.T) {
	flipped := []float32{3, 2, 1, 6, 5, 4, 9, 8, 7}
	seen := map[bool]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		sample := image()
		CropAndFlip{3, 3, 2, 0}.Apply(rng, sample)
		turned := sample[0] == 3
		seen[turned]++
		if turned {
			require.Equal(t, flipped, first(sample))
			require.Equal(t, []float32{3, -3}, sample[:2])
		} else {
			require.Equal(t, image(), sample)
		}
	}
	assert.Greater(t, seen[true], 60)
	assert.Greater(t, seen[false], 60)
}

// TestCropPlaces counts the places: with padding 1 there are nine, all reached, plain and mirrored.
func TestCropPlaces(t *testing.T) {
	want := map[string]bool{}
	for down := -1; down <= 1; down++ {
		for right := -1; right <= 1; right++ {
			for _, flip := range []bool{false, true} {
				sample := image()
				CropAndFlip{3, 3, 2, 1}.move(Move{down, right, flip}, sample)
				want[fmt.Sprint(sample)] = true
			}
		}
	}
	got := map[string]bool{}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		sample := image()
		CropAndFlip{3, 3, 2, 1}.Apply(rng, sample)
		got[fmt.Sprint(sample)] = true
	}
	assert.Len(t, want, 18)
	assert.Equal(t, want, got)
}

func TestDegenerateSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	one := []float32{7}
	CropAndFlip{1, 1, 1, 0}.Apply(rng, one)
	assert.Equal(t, []float32{7}, one)
	CropAndFlip{0, 0, 3, 2}.Apply(rng, nil)
	wide := []float32{1, 2, 3, 4}
	for range 20 {
		CropAndFlip{1, 4, 1, 6}.Apply(rng, wide) // padding wider than the image
	}
	assert.Equal(t, make([]float32, 4), wide)
}

func TestComposeInOrder(t *testing.T) {
	double := func(_ *rand.Rand, s []float32) { s[0] *= 2 }
	increase := func(_ *rand.Rand, s []float32) { s[0]++ }
	sample := []float32{3}
	Compose(double, increase)(nil, sample)
	assert.Equal(t, []float32{7}, sample)
	Compose()(nil, sample)
	assert.Equal(t, []float32{7}, sample)
}

func FuzzCrop(f *testing.F) {
	f.Add(uint64(1), 5, 4, 3, 2)
	f.Add(uint64(2), 1, 9, 1, 12)
	f.Fuzz(func(t *testing.T, seed uint64, height, width, channels, pad int) {
		if min(height, width, channels, pad) < 0 || max(height, width, channels, pad) > 20 || channels == 0 {
			t.Skip()
		}
		sample := make([]float32, height*width*channels)
		for i := range sample {
			sample[i] = float32(i + 1)
		}
		c := CropAndFlip{height, width, channels, pad}
		m := c.Draw(rand.New(rand.NewPCG(seed, 0)))
		m.Flip = false
		c.move(m, sample)
		// What is not padding is in ascending order still, and no value comes twice.
		kept := slices.DeleteFunc(sample, func(v float32) bool { return v == 0 })
		require.True(t, slices.IsSorted(kept))
		require.Len(t, slices.Compact(slices.Clone(kept)), len(kept))
	})
}

func ExampleCompose() {
	randomly := Compose(CropAndFlip{2, 2, 1, 1}.Apply, Noise(0.1))
	sample := []float32{1, 2, 3, 4}
	randomly(rand.New(rand.NewPCG(4, 0)), sample)
	fmt.Println(len(sample))
	// Output: 4
}
