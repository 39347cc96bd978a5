package picture

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readPNG decodes a picture.
func readPNG(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	picture, err := png.Decode(f)
	require.NoError(t, err)
	return picture
}

// shares are the shares of the picture that have each colour exactly.
func shares(picture image.Image) map[color.RGBA]float64 {
	b, seen := picture.Bounds(), map[color.RGBA]float64{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			seen[color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA)] += 1 / float64(b.Dx()*b.Dy())
		}
	}
	return seen
}

// wellFormed parses an SVG and gives the words in it.
func wellFormed(t *testing.T, path string) (words []string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	d := xml.NewDecoder(f)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words
		}
		require.NoError(t, err)
		if text, ok := token.(xml.CharData); ok {
			words = append(words, string(text))
		}
	}
}

func paths(t *testing.T) (png, svg string) {
	t.Helper()
	dir := t.TempDir()
	return filepath.Join(dir, "a.png"), filepath.Join(dir, "a.svg")
}

func TestColours(t *testing.T) {
	ring := [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 3}}
	colours := Colours(5, ring)
	require.Len(t, colours, 5)
	for _, pair := range ring[:4] {
		assert.NotEqual(t, colours[pair[0]], colours[pair[1]])
	}
	var all [][2]int32
	for i := range len(Palette) {
		for j := range i {
			all = append(all, [2]int32{int32(i), int32(j)})
		}
	}
	assert.ElementsMatch(t, loop.Indices(len(Palette)), Colours(len(Palette), all), "as many as there are, each once")
	uses := map[int]int{}
	for _, c := range Colours(3*len(Palette), all) {
		uses[c]++
	}
	for _, n := range uses {
		assert.Equal(t, 3, n)
	}
	assert.Empty(t, Colours(0, nil))
}

// The first colours must be told apart in grey.
func TestPaletteInGrey(t *testing.T) {
	for i := range 4 {
		for j := range i {
			a, b := color.GrayModel.Convert(Palette[i]).(color.Gray), color.GrayModel.Convert(Palette[j]).(color.Gray)
			assert.Greater(t, math.Abs(float64(a.Y)-float64(b.Y)), 10.0, "%d and %d", i, j)
		}
	}
}

// withoutCoordinates is the layout of a graph that has none.
func withoutCoordinates(a *affinity.Matrix) (x, y []float64) {
	l := NewLayout(a, Nodes{})
	return l.X, l.Y
}

func TestByGraph(t *testing.T) {
	path := func(n, from int) (edges []affinity.Edge) {
		for i := range n - 1 {
			edges = append(edges, affinity.Edge{I: from + i, J: from + i + 1, Weight: 1})
		}
		return edges
	}
	for _, n := range []int{5, 400, 430} {
		a, err := affinity.New(n, path(n, 0))
		require.NoError(t, err)
		x, y := withoutCoordinates(a)
		assert.Greater(t, math.Abs(x[0]-x[n-1]), 0.8, "%d nodes: the ends of a path lie far apart", n)
		again, _ := withoutCoordinates(a)
		assert.Equal(t, x, again)
		for i := range x {
			assert.False(t, math.IsNaN(x[i]+y[i]))
		}
	}

	// Two cliques joined by an edge are two heaps.
	var edges []affinity.Edge
	for i := range 5 {
		for j := range i {
			edges = append(edges, affinity.Edge{I: i, J: j, Weight: 1}, affinity.Edge{I: i + 5, J: j + 5, Weight: 1})
		}
	}
	a, err := affinity.New(10, append(edges, affinity.Edge{I: 0, J: 5, Weight: 0.1}))
	require.NoError(t, err)
	x, _ := withoutCoordinates(a)
	side := math.Signbit(x[0] - x[5])
	for i := range 5 {
		for j := range 5 {
			assert.Equal(t, side, math.Signbit(x[i]-x[5+j]))
		}
	}

	// Components stand beside each other; a node alone is one.
	a, err = affinity.New(9, append(path(4, 0), path(4, 4)...))
	require.NoError(t, err)
	x, y := withoutCoordinates(a)
	for i := range 4 {
		for j := 4; j < 9; j++ {
			assert.False(t, math.Abs(x[i]-x[j]) < 1e-9 && math.Abs(y[i]-y[j]) < 1e-9, "%d and %d", i, j)
		}
	}
	a, err = affinity.New(0, nil)
	require.NoError(t, err)
	x, _ = withoutCoordinates(a)
	assert.Empty(t, x)
}

func TestSaveErrors(t *testing.T) {
	p := gridOf(t, 1, 1).Clusters("", []int32{0}, 1, true)
	bad := filepath.Join(t.TempDir(), "a.bmp")
	require.ErrorContains(t, Save(p, 100, 100, bad), bad)
	absent := filepath.Join(t.TempDir(), "none", "a.png")
	require.ErrorContains(t, Save(p, 100, 100, absent), absent)
}

func ExampleLayout_Clusters() {
	graph, _ := affinity.Grid(2, 4, 4)
	layout := NewLayout(graph, Nodes{Grid: []int{2, 4}})
	path := filepath.Join(os.TempDir(), "two-halves.svg")
	defer os.Remove(path)
	fmt.Println(Save(layout.Clusters("two halves", []int32{0, 0, 1, 1, 0, 0, 1, 1}, 2, true), 140, 72, path))
	// Output: <nil>
}

func ExampleLayout_Values() {
	graph, _ := affinity.Grid(1, 3, 4)
	layout := NewLayout(graph, Nodes{Grid: []int{1, 3}})
	path := filepath.Join(os.TempDir(), "contributions.svg")
	defer os.Remove(path)
	fmt.Println(Save(layout.Values("contributions", []float64{-1, 0, 2}), 200, 150, path))
	// Output: <nil>
}
