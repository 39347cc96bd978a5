package picture

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCurves(t *testing.T) {
	png, svg := paths(t)
	c := Curves{Title: "learning", XLabel: "epoch", YLabel: "accuracy", Lines: []Curve{
		{Name: "one", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Spread: []float64{0.1, 0.2, 0.1}},
		{Name: "other", X: []float64{1, 2, 3}, Y: []float64{3, 2, 1}, Colour: 1},
	}}
	require.NoError(t, c.Save(png, svg))
	seen := shares(readPNG(t, png))
	assert.Positive(t, seen[lineColours[0]])
	assert.Positive(t, seen[lineColours[1]])
	assert.Subset(t, wellFormed(t, svg), []string{"learning", "epoch", "accuracy", "one", "other", "1.5"})

	p := c.plot()
	assert.InDelta(t, 0.9-0.04*2.2, p.Y.Min, 1e-9, "the band is in it")
	c.FromZero = true
	assert.Zero(t, c.plot().Y.Min)
	c.Low, c.High = -1, 9
	assert.Equal(t, []float64{-1, 9.4}, []float64{c.plot().Y.Min, c.plot().Y.Max})
	for _, lines := range [][]Curve{nil, {{}}, {{X: []float64{1}, Y: []float64{2}, Spread: []float64{0}}}} {
		require.NoError(t, Curves{Lines: lines}.Save(png), "%d lines", len(lines))
	}
}

// A plane has straight lines of equal value; at a saddle they pass beside the middle, on the side of the corners that are cut off.
func TestContour(t *testing.T) {
	plane := Field{From: -1, To: 1, Side: 3, Values: []float64{-1, 0, 1, -1, 0, 1, -1, 0, 1}}
	segments := plane.contour(0.25)
	require.Len(t, segments, 2)
	for _, s := range segments {
		assert.InDelta(t, 0.25, s[0][0], 1e-12)
		assert.InDelta(t, 0.25, s[1][0], 1e-12)
	}
	assert.Empty(t, plane.contour(2))
	saddle := Field{From: 0, To: 1, Side: 2, Values: []float64{1, -1, -1, 1}}
	for level, cut := range map[float64][][2]float64{0.5: {{0.25, 0}, {0, 0.25}}, -0.5: {{0.75, 0}, {1, 0.25}}} {
		segments := saddle.contour(level)
		require.Len(t, segments, 2)
		var all [][2]float64
		found := false
		for _, s := range segments {
			all = append(all, s[:]...)
			found = found || s == [2][2]float64{cut[0], cut[1]} || s == [2][2]float64{cut[1], cut[0]}
		}
		assert.True(t, found, "%g: %v", level, all)
	}
	assert.Empty(t, Field{Side: 1, Values: []float64{1}}.contour(0))
}

func TestField(t *testing.T) {
	png, svg := paths(t)
	f := Field{Title: "bowl", XLabel: "a", YLabel: "b", From: -1, To: 1, Side: 5, Label: "loss"}
	for i := range 25 {
		f.Values = append(f.Values, f.place(i%5)*f.place(i%5)+f.place(i/5)*f.place(i/5))
	}
	require.NoError(t, f.Save(png, svg))
	seen := shares(readPNG(t, png))
	low, high := seen[darkToLight[0]], seen[darkToLight[9]]
	assert.InDelta(t, 4, high/low, 1, "four corners, one middle")
	assert.Subset(t, wellFormed(t, svg), []string{"bowl", "a", "b", "loss", "−0.5", "2"})
	flat := Field{From: -1, To: 1, Side: 2, Values: []float64{1, 1, 1, 1}}
	require.NoError(t, flat.Save(png), "nothing to draw lines through")
	f.High = 4
	require.NoError(t, f.Save(png))
	assert.Zero(t, shares(readPNG(t, png))[darkToLight[9]], "only the bar reaches the end, in shades")
}

func TestSheet(t *testing.T) {
	cells := Cells{Title: "clusters", Rows: 1, Columns: 2, Cluster: []int32{0, 1}, Clusters: 2}
	s := Sheet{Title: "both & more", Rows: []string{"first", "second"}, Panels: [][]Panel{{cells, Heat{Title: "heat", Rows: 1, Columns: 1, Values: []float64{1}}}, {nil, cells}},
		Legend: []Curve{{Name: "solid"}, {Name: "dashed", Colour: 1}}, Width: 100, Height: 80}
	width, height := s.size()
	assert.InDelta(t, 6+18+100+12+100+barWidth+6, float64(width), 1e-9)
	assert.InDelta(t, 6+22+80+12+80+18+6, float64(height), 1e-9)
	png, svg := paths(t)
	require.NoError(t, s.Save(png, svg))
	drawn := readPNG(t, png).Bounds()
	assert.InDelta(t, 2*float64(width), float64(drawn.Dx()), 1, "144 dots an inch")
	assert.Subset(t, wellFormed(t, svg), []string{"both & more", "first", "second", "clusters", "heat", "solid", "dashed"})
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
	curves := Curves{XLabel: "epoch", YLabel: "C", Lines: []Curve{{Name: "task + C", X: []float64{1, 2}, Y: []float64{3, 4}}}}
	path := filepath.Join(os.TempDir(), "sheet.svg")
	defer os.Remove(path)
	fmt.Println(Sheet{Title: "C", Panels: [][]Panel{{curves, curves}}, Legend: curves.Lines, Width: 200, Height: 150}.Save(path))
	// Output: <nil>
}
