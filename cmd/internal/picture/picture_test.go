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
	for i := range len(palette) {
		for j := range i {
			all = append(all, [2]int32{int32(i), int32(j)})
		}
	}
	assert.ElementsMatch(t, palette, Colours(len(palette), all), "as many as there are, each once")
	uses := map[color.Color]int{}
	for _, c := range Colours(3*len(palette), all) {
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
			a, b := color.GrayModel.Convert(palette[i]).(color.Gray), color.GrayModel.Convert(palette[j]).(color.Gray)
			assert.Greater(t, math.Abs(float64(a.Y)-float64(b.Y)), 10.0, "%d and %d", i, j)
		}
	}
}

func TestCells(t *testing.T) {
	png, svg := paths(t)
	c := Cells{Title: "left & right", Rows: 2, Columns: 4, Cluster: []int32{0, 0, 0, 1, 0, 0, 0, 1}, Clusters: 2}
	require.NoError(t, c.Save(png, svg))
	colours := Colours(2, c.touching())
	seen := shares(readPNG(t, png))
	left, right := seen[colours[0].(color.RGBA)], seen[colours[1].(color.RGBA)]
	assert.Greater(t, right, 0.05)
	assert.InDelta(t, 3, left/right, 0.6, "three times the cells")
	assert.Positive(t, seen[color.RGBA{0, 0, 0, 255}], "lines between clusters")
	words := wellFormed(t, svg)
	for _, word := range []string{"left & right", "0", "1"} {
		assert.Contains(t, words, word)
	}
}

func TestSkeleton(t *testing.T) {
	// 2 frames of 3 joints; the part of joint 2 comes first, joint 1 is in none.
	c := Skeleton("walk", 2, 3, [][]int{{2}, {0, 2}}, []string{"hip", "knee", "head"}, []int32{0, 1, 2, 3, 4, 5}, 6)
	assert.Equal(t, []string{"head", "hip", "knee"}, c.RowNames)
	assert.Equal(t, []int32{2, 5, 0, 3, 1, 4}, c.Cluster)
	assert.Equal(t, []int{1, 2}, c.Rules)
	assert.Equal(t, []int{3, 2}, []int{c.Rows, c.Columns})
	png, svg := paths(t)
	require.NoError(t, c.Save(png, svg))
	words := wellFormed(t, svg)
	for _, word := range []string{"walk", "hip", "knee", "head", "frame", "joint"} {
		assert.Contains(t, words, word)
	}
	assert.Equal(t, []string{"0", "1"}, Skeleton("", 1, 2, nil, nil, []int32{0, 0}, 1).RowNames)
}

func TestSpectral(t *testing.T) {
	path := func(n, from int) (edges []affinity.Edge) {
		for i := range n - 1 {
			edges = append(edges, affinity.Edge{I: from + i, J: from + i + 1, Weight: 1})
		}
		return edges
	}
	for _, n := range []int{5, denseNodes, denseNodes + 30} { // exact and iterated
		a, err := affinity.New(n, path(n, 0))
		require.NoError(t, err)
		x, y := Spectral(a)
		assert.Greater(t, math.Abs(x[0]-x[n-1]), 0.8*math.Sqrt(float64(n)), "%d nodes: the ends of a path lie far apart", n)
		again, _ := Spectral(a)
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
	x, _ := Spectral(a)
	side := math.Signbit(x[0] - x[5])
	for i := range 5 {
		for j := range 5 {
			assert.Equal(t, side, math.Signbit(x[i]-x[5+j]))
		}
	}

	// Components stand beside each other; a node alone is one.
	a, err = affinity.New(9, append(path(4, 0), path(4, 4)...))
	require.NoError(t, err)
	x, y := Spectral(a)
	for i := range 4 {
		for j := 4; j < 9; j++ {
			assert.False(t, math.Abs(x[i]-x[j]) < 1e-9 && math.Abs(y[i]-y[j]) < 1e-9, "%d and %d", i, j)
		}
	}
	a, err = affinity.New(0, nil)
	require.NoError(t, err)
	x, _ = Spectral(a)
	assert.Empty(t, x)
}

func TestPoints(t *testing.T) {
	for _, n := range []int{1, 2, 30} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			a, err := affinity.RandomConnected(n, 2*n, 1)
			if n < 3 {
				a, err = affinity.New(n, nil)
			}
			require.NoError(t, err)
			cluster := make([]int32, n)
			for i := range cluster {
				cluster[i] = int32(i % 2)
			}
			x, y := Spectral(a)
			png, svg := paths(t)
			require.NoError(t, Points{Title: "graph", X: x, Y: y, Graph: a, Cluster: cluster, Clusters: 3}.Save(png, svg))
			seen := shares(readPNG(t, png))
			for _, k := range cluster {
				assert.Positive(t, seen[palette[k]])
			}
			assert.Contains(t, wellFormed(t, svg), "graph")
		})
	}
}

func TestTree(t *testing.T) {
	tree := Tree{Title: "tree", First: 1, Used: []bool{true, true, false, true, true}, Parents: [][]int32{{1, 0, 2, 0, 1}, {0, 0, 0}}}
	roots := tree.grow()
	require.Len(t, roots, 1)
	assert.Equal(t, 1.5, roots[0].x)
	require.Len(t, roots[0].children, 2, "cluster 2, which has no nodes, is left out")
	var order []int
	for i, child := range roots[0].children {
		assert.Equal(t, []int{1, 0}[i], child.cluster)
		assert.Equal(t, []float64{0.5, 2.5}[i], child.x)
		for _, leaf := range child.children {
			order = append(order, leaf.cluster)
		}
	}
	assert.Equal(t, []int{0, 4, 1, 3}, order)
	png, svg := paths(t)
	require.NoError(t, tree.Save(png, svg))
	assert.Positive(t, shares(readPNG(t, png))[color.RGBA{255, 255, 255, 255}])
	words := wellFormed(t, svg)
	for _, word := range []string{"tree", "level", "3", "4"} {
		assert.Contains(t, words, word)
	}
	require.NoError(t, Tree{First: 1, Used: []bool{true}}.Save(png), "one level of one cluster")
}

func TestSaveErrors(t *testing.T) {
	c := Cells{Rows: 1, Columns: 1, Cluster: []int32{0}, Clusters: 1}
	bad := filepath.Join(t.TempDir(), "a.bmp")
	require.ErrorContains(t, c.Save(bad), bad)
	absent := filepath.Join(t.TempDir(), "none", "a.png")
	require.ErrorContains(t, c.Save(absent), absent)
}

func ExampleCells() {
	c := Cells{Title: "two halves", Rows: 2, Columns: 4, Cluster: []int32{0, 0, 1, 1, 0, 0, 1, 1}, Clusters: 2}
	path := filepath.Join(os.TempDir(), "two-halves.svg")
	defer os.Remove(path)
	fmt.Println(c.Save(path))
	// Output: <nil>
}
