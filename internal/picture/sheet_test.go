package picture

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
)

func TestCurves(t *testing.T) {
	png, svg := paths(t)
	c := Curves{Title: "learning", XLabel: "epoch", YLabel: "accuracy", Lines: []Curve{
		{Name: "one", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Spread: []float64{0.1, 0.2, 0.1}},
		{Name: "other", X: []float64{1, 2, 3}, Y: []float64{3, 2, 1}},
	}}
	require.NoError(t, Sheet{Panels: [][]*plot.Plot{{c.Plot()}}, Width: 360, Height: 250}.Save(png, svg))
	seen := shares(readPNG(t, png))
	assert.Positive(t, seen[lineColours[0]])
	assert.Positive(t, seen[lineColours[1]])
	assert.Subset(t, wellFormed(t, svg), []string{"learning", "epoch", "accuracy", "one", "other", "2"})

	p := c.Plot()
	assert.InDelta(t, 0.9-0.04*2.2, p.Y.Min, 1e-9, "the band is in it")
	for _, lines := range [][]Curve{nil, {{}}, {{X: []float64{1}, Y: []float64{2}, Spread: []float64{0}}}} {
		require.NoError(t, Save(Curves{Lines: lines}.Plot(), 200, 200, png), "%d lines", len(lines))
	}
}

func TestField(t *testing.T) {
	png, svg := paths(t)
	f := Field{Title: "bowl", XLabel: "a", YLabel: "b", Side: 9, Label: "loss"}
	for i := range 81 {
		x, y := points{f}.X(i%9), points{f}.Y(i/9)
		f.Values = append(f.Values, x*x+y*y)
	}
	require.NoError(t, Save(f.Plot(), 356, 300, png, svg))
	drawn := readPNG(t, png)
	left, right, top, bottom := 100, 500, 50, 520 // within the data
	middle := color.GrayModel.Convert(drawn.At((left+right)/2, (top+bottom)/2+20)).(color.Gray).Y
	for _, x := range []int{left, right} {
		for _, y := range []int{top, bottom} {
			assert.Greater(t, color.GrayModel.Convert(drawn.At(x, y)).(color.Gray).Y, middle+80, "four corners, one middle")
		}
	}
	assert.Subset(t, wellFormed(t, svg), []string{"bowl", "a", "b", "loss", "-1", "2"})
	flat := Field{Side: 2, Values: []float64{1, 1, 1, 1}}
	require.NoError(t, Save(flat.Plot(), 300, 300, png), "flat")
	require.NoError(t, Save(Field{Side: 1, Values: []float64{1}}.Plot(), 300, 300, png), "one point")
	f.High = 4
	require.NoError(t, Save(f.Plot(), 356, 300, png))
	assert.Less(t, shares(readPNG(t, png))[darkToLight[5].(color.RGBA)], 0.001, "only the bar reaches the end, in shades")
}

func TestSheet(t *testing.T) {
	cells := gridOf(t, 1, 2).Clusters("clusters", []int32{0, 1}, 2, true)
	heat := gridOf(t, 1, 1).Values("heat", []float64{1})
	cells.Y.Label.Text = "first"
	s := Sheet{Title: "both & more", Panels: [][]*plot.Plot{{cells, heat}, {nil, cells}},
		Width: 150, Height: 80}
	_, width, height := s.tiles()
	assert.InDelta(t, 6+150+12+150+6, float64(width), 1e-9)
	assert.InDelta(t, 6+20+80+12+80+6, float64(height), 1e-9)
	png, svg := paths(t)
	require.NoError(t, s.Save(png, svg))
	drawn := readPNG(t, png).Bounds()
	assert.InDelta(t, 2*float64(width), float64(drawn.Dx()), 1, "144 dots an inch")
	assert.Subset(t, wellFormed(t, svg), []string{"both & more", "first", "clusters", "heat"})
	before, err := os.ReadFile(png)
	require.NoError(t, err)
	require.NoError(t, s.Save(png))
	after, err := os.ReadFile(png)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after), "the same again")

	bad := filepath.Join(t.TempDir(), "a.bmp")
	require.ErrorContains(t, s.Save(bad), bad)
	absent := filepath.Join(t.TempDir(), "none", "a.svg")
	require.ErrorContains(t, s.Save(absent), absent)
}

func ExampleSheet() {
	curves := Curves{XLabel: "epoch", YLabel: "C",
		Lines: []Curve{{Name: "task + C", X: []float64{1, 2}, Y: []float64{3, 4}}}}
	path := filepath.Join(os.TempDir(), "sheet.svg")
	defer os.Remove(path)
	fmt.Println(Sheet{Title: "C", Panels: [][]*plot.Plot{{curves.Plot(), curves.Plot()}}, Width: 200,
		Height: 150}.Save(path))
	// Output: <nil>
}
