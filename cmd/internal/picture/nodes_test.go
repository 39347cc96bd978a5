package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
)

// gridOf is the layout of a grid.
func gridOf(t testing.TB, rows, columns int) *Layout {
	t.Helper()
	graph, err := affinity.New(rows*columns, nil)
	require.NoError(t, err)
	return NewLayout(graph, []int{rows, columns}, nil, nil, nil)
}

func TestScale(t *testing.T) {
	s := signed([]float64{-2, 0.5, 1}, "")
	assert.Equal(t, []float64{-2, 2}, []float64{s.Min(), s.Max()}, "as far above 0 as below it")
	assert.Equal(t, mostBelow, s.at(-2))
	assert.Equal(t, mostBelow, s.at(-9), "beyond the end")
	assert.Equal(t, mostAbove, s.at(2))
	lightness := func(v float64) uint8 { return color.GrayModel.Convert(s.at(v)).(color.Gray).Y }
	assert.Greater(t, lightness(0), uint8(240), "light in the middle")
	for _, sign := range []float64{-1, 1} {
		for v := 0.0; v < 2; v += 0.25 {
			assert.Greater(t, lightness(sign*v), lightness(sign*(v+0.25)), "%g", sign*v)
		}
	}
	middle := s.at(0)
	assert.Equal(t, middle, signed([]float64{0, 0}, "").at(0))
	assert.Equal(t, middle, signed(nil, "").at(0))

	growing := unsigned(1, 3, "")
	assert.Equal(t, darkToLight[0], growing.at(1))
	assert.Equal(t, darkToLight[5], growing.at(3))
	assert.Equal(t, darkToLight[0], unsigned(1, 1, "").at(1), "all alike")
}

func TestValuesOnAGrid(t *testing.T) {
	png, svg := paths(t)
	values := []float64{1, 1, 1, -1, 0, 0, 0, 0.5}
	s := signed(values, "")
	require.NoError(t, Save(gridOf(t, 2, 4).Values("signs", "how much", values), 250, 150, png, svg))
	seen := shares(readPNG(t, png))
	at := func(v float64) float64 { return seen[s.at(v).(color.RGBA)] }
	assert.InDelta(t, 3, at(1)/at(-1), 0.7)
	assert.InDelta(t, 3, at(0)/at(-1), 0.7)
	assert.InDelta(t, 1, at(0.5)/at(-1), 0.3, "half of the strongest")
	words := wellFormed(t, svg)
	for _, word := range []string{"signs", "how much", "-1", "0", "1"} {
		assert.Contains(t, words, word)
	}
}

func TestValuesOnASkeleton(t *testing.T) {
	graph, err := affinity.New(6, nil)
	require.NoError(t, err)
	l := NewLayout(graph, []int{2, 3}, [][]int{{2}, {0}}, nil, []string{"hip@0", "knee@0", "head@0", "hip@1", "knee@1", "head@1"})
	assert.Equal(t, []string{"head", "hip", "knee"}, l.RowNames)
	assert.Equal(t, []int32{2, 5, 0, 3, 1, 4}, l.Cells)
	_, svg := paths(t)
	require.NoError(t, Save(l.Values("walk", "c", []float64{0, 1, 2, 3, 4, 5}), 200, 200, svg))
	assert.Subset(t, wellFormed(t, svg), []string{"walk", "hip", "frame", "joint", "c"})
}

func TestValuesOnAPlane(t *testing.T) {
	for _, n := range []int{0, 1, 5, 900} {
		a, err := affinity.New(n, nil)
		require.NoError(t, err)
		values, places, names := make([]float64, n), make([]float64, 0, 2*n), []string{}
		for i := range n {
			places, names = append(places, float64(i%30), float64(i/30)), append(names, fmt.Sprintf("word%d", i))
		}
		if n > 4 {
			values[3], values[4] = -1, 2
		}
		png, svg := paths(t)
		l := NewLayout(a, nil, nil, places, names)
		width, height := l.Size()
		require.NoError(t, Save(l.Values("graph", "", values), width, height, png, svg), "%d", n)
		words := wellFormed(t, svg)
		if n > 4 {
			assert.Contains(t, words, "word4")
			assert.NotContains(t, words, "word2", "it has no weight")
			assert.Positive(t, shares(readPNG(t, png))[mostAbove])
		}
	}
}

func TestSignal(t *testing.T) {
	png, _ := paths(t)
	grey := gridOf(t, 1, 2).Signal("", []float32{3, 7}, 1)
	colour := gridOf(t, 1, 2).Signal("", []float32{0, 1, 0.2, 1, 0, 0}, 3)
	flat := gridOf(t, 1, 1).Signal("", []float32{5}, 1)
	require.NoError(t, Save(gridOf(t, 1, 4).Signal("", []float32{0, 9, 2, -9, 1, 3, 2, 5}, 2), 80, 60, png))
	seen := shares(readPNG(t, png))
	assert.Greater(t, seen[color.RGBA{128, 128, 128, 255}], 0.1, "of two channels the first")
	require.NoError(t, Sheet{Panels: [][]*plot.Plot{{grey, colour, flat, nil}}, Width: 80, Height: 60}.Save(png))
	seen = shares(readPNG(t, png))
	for _, want := range []color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {0, 255, 51, 255}, {255, 0, 0, 255}} {
		assert.Greater(t, seen[want], 0.02, "%v", want)
	}
}

func TestClustersOnAGrid(t *testing.T) {
	png, svg := paths(t)
	l, cluster := gridOf(t, 2, 4), []int32{0, 0, 0, 1, 0, 0, 0, 1}
	width, height := l.Size()
	require.NoError(t, Save(l.Clusters("left & right", cluster, 2, true), width, height, png, svg))
	colours := l.Colours(cluster, 2)
	seen := shares(readPNG(t, png))
	left, right := seen[Palette[colours[0]]], seen[Palette[colours[1]]]
	assert.Greater(t, right, 0.05)
	assert.InDelta(t, 3, left/right, 0.6, "three times the cells")
	assert.Positive(t, seen[color.RGBA{0, 0, 0, 255}], "lines between clusters")
	words := wellFormed(t, svg)
	for _, word := range []string{"left & right", "0", "1"} {
		assert.Contains(t, words, word)
	}
	require.NoError(t, Save(l.Clusters("plain", cluster, 2, false), width, height, svg))
	assert.NotContains(t, wellFormed(t, svg), "1")
}

func TestClustersOnASkeleton(t *testing.T) {
	// 2 frames of 3 joints; the part of joint 2 comes first, joint 1 is in none.
	graph, err := affinity.New(6, nil)
	require.NoError(t, err)
	l := NewLayout(graph, []int{2, 3}, [][]int{{2}, {0, 2}}, nil, []string{"hip", "knee", "head"})
	assert.Equal(t, []string{"head", "hip", "knee"}, l.RowNames)
	assert.Equal(t, []int32{2, 5, 0, 3, 1, 4}, l.Cells)
	assert.Equal(t, []int{1, 2}, l.Rules)
	assert.Equal(t, []int{3, 2}, []int{l.Rows, l.Columns})
	assert.Equal(t, []float64{0.5, 0.5, 0.5, 1.5, 1.5, 1.5}, l.X)
	assert.Equal(t, []float64{1.5, 0.5, 2.5, 1.5, 0.5, 2.5}, l.Y)
	png, svg := paths(t)
	width, height := l.Size()
	require.NoError(t, Save(l.Clusters("walk", []int32{0, 1, 2, 3, 4, 5}, 6, true), width, height, png, svg))
	words := wellFormed(t, svg)
	for _, word := range []string{"walk", "hip", "knee", "head", "frame", "joint"} {
		assert.Contains(t, words, word)
	}
	graph, err = affinity.New(2, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"0", "1"}, NewLayout(graph, []int{1, 2}, [][]int{}, nil, nil).RowNames)
}

func TestClustersOnAPlane(t *testing.T) {
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
			l := NewLayout(a, nil, nil, nil, nil)
			assert.True(t, l.ByGraph)
			png, svg := paths(t)
			require.NoError(t, Save(l.Clusters("graph", cluster, 3, true), 360, 384, png, svg))
			seen := shares(readPNG(t, png))
			for _, k := range cluster {
				assert.Positive(t, seen[Palette[k]])
			}
			assert.Contains(t, wellFormed(t, svg), "graph")
		})
	}
}

// A picture in a page has its nodes, and nothing else.
func TestInline(t *testing.T) {
	l := gridOf(t, 2, 2)
	values := []float64{-1, 1, 0, 0}
	url, err := l.Inline(l.Values("title", "", values))
	require.NoError(t, err)
	encoded, found := strings.CutPrefix(url, "data:image/png;base64,")
	require.True(t, found)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	drawn, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	assert.Equal(t, []int{320, 320}, []int{drawn.Bounds().Dx(), drawn.Bounds().Dy()})
	assert.Less(t, len(raw), 3000, "cells have whole pixels")
	seen, s := shares(drawn), signed(values, "")
	for _, v := range values {
		assert.Greater(t, seen[s.at(v).(color.RGBA)], 0.2, "%g", v)
	}
	assert.Greater(t, seen[s.at(0).(color.RGBA)], 0.4)
}
