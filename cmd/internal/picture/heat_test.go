package picture

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScale(t *testing.T) {
	s := signed([]float64{-2, 0.5, 1}, 0, "")
	assert.Equal(t, []float64{-2, 2}, []float64{s.low, s.high}, "as far above 0 as below it")
	assert.Equal(t, blueToRed[0], s.at(-2))
	assert.Equal(t, blueToRed[0], s.at(-9), "beyond the end")
	assert.Equal(t, blueToRed[4], s.at(0))
	assert.Equal(t, blueToRed[8], s.at(2))
	assert.Equal(t, color.RGBA{0xf6, 0xce, 0xbd, 0xff}, s.at(0.25), "halfway between the middle and the next stop")
	assert.Equal(t, 3.0, signed([]float64{-2}, 3, "").high)
	assert.Equal(t, blueToRed[4], signed([]float64{0, 0}, 0, "").at(0))
	assert.Equal(t, blueToRed[4], signed(nil, 0, "").at(0))
	flat := scale{1, 1, darkToLight, ""}
	assert.Equal(t, darkToLight[0], flat.at(1))
	assert.Empty(t, flat.ticks())
}

func TestRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{
		{0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-1, 1, []float64{-1, -0.5, 0, 0.5, 1}},
		{0, 40, []float64{0, 10, 20, 30, 40}},
		{-57, -12, []float64{-50, -40, -30, -20}},
		{0.03, 0.035, []float64{0.03, 0.032, 0.034}},
		{1, 1, nil},
	} {
		assert.InDeltaSlice(t, c.want, roundNumbers(c.low, c.high), 1e-9, "%g to %g", c.low, c.high)
	}
	assert.Equal(t, []string{"0", "−0.5", "12", "1.23e+04"}, []string{short(0), short(-0.5), short(12), short(12345)})
}

func TestHeat(t *testing.T) {
	png, svg := paths(t)
	h := Heat{Title: "signs", Label: "how much", Rows: 2, Columns: 4, Values: []float64{1, 1, 1, -1, 0, 0, 0, 0}}
	require.NoError(t, h.Save(png, svg))
	seen := shares(readPNG(t, png))
	above, below, none := seen[blueToRed[8]], seen[blueToRed[0]], seen[blueToRed[4]]
	assert.InDelta(t, 3, above/below, 0.7)
	assert.InDelta(t, 4, none/below, 1)
	words := wellFormed(t, svg)
	for _, word := range []string{"signs", "how much", "−1", "−0.5", "0", "0.5", "1"} {
		assert.Contains(t, words, word)
	}
	h.Most = 2
	require.NoError(t, h.Save(png))
	assert.Positive(t, shares(readPNG(t, png))[blueToRed[6]], "half of the strongest")
}

func TestSkeletonHeat(t *testing.T) {
	h := SkeletonHeat("walk", "c", 2, 3, [][]int{{2}, {0}}, []string{"hip", "knee", "head"}, []float64{0, 1, 2, 3, 4, 5})
	assert.Equal(t, []string{"head", "hip", "knee"}, h.RowNames)
	assert.Equal(t, []float64{2, 5, 0, 3, 1, 4}, h.Values)
	_, svg := paths(t)
	require.NoError(t, h.Save(svg))
	assert.Subset(t, wellFormed(t, svg), []string{"walk", "hip", "frame", "joint"})
}

func TestHeatPoints(t *testing.T) {
	for _, n := range []int{0, 1, 5, 900} {
		a, err := affinity.New(n, nil)
		require.NoError(t, err)
		h := HeatPoints{Title: "graph", X: make([]float64, n), Y: make([]float64, n), Graph: a, Values: make([]float64, n)}
		for i := range n {
			h.X[i], h.Y[i], h.Names = float64(i%30), float64(i/30), append(h.Names, fmt.Sprintf("word%d", i))
		}
		if n > 4 {
			h.Values[3], h.Values[4] = -1, 2
		}
		png, svg := paths(t)
		require.NoError(t, h.Save(png, svg), "%d", n)
		words := wellFormed(t, svg)
		if n > 4 {
			assert.Contains(t, words, "word4")
			assert.NotContains(t, words, "word2", "it has no weight")
			assert.Positive(t, shares(readPNG(t, png))[blueToRed[8]])
		}
	}
}

func TestImage(t *testing.T) {
	png, _ := paths(t)
	grey := Image{Rows: 1, Columns: 2, Channels: 1, Values: []float32{3, 7}}
	colour := Image{Rows: 1, Columns: 2, Channels: 3, Values: []float32{0, 1, 0.2, 1, 0, 0}}
	flat := Image{Rows: 1, Columns: 1, Channels: 1, Values: []float32{5}}
	require.NoError(t, Sheet{Panels: [][]Panel{{grey, colour, flat, nil}}, Width: 80, Height: 60}.Save(png))
	seen := shares(readPNG(t, png))
	for _, want := range []color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {0, 255, 51, 255}, {255, 0, 0, 255}} {
		assert.Greater(t, seen[want], 0.02, "%v", want)
	}
}

func ExampleHeat() {
	h := Heat{Title: "contributions", Rows: 1, Columns: 3, Values: []float64{-1, 0, 2}, Label: "logit"}
	path := filepath.Join(os.TempDir(), "contributions.svg")
	defer os.Remove(path)
	fmt.Println(h.Save(path))
	// Output: <nil>
}
