package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
)

// gridOf is the layout of a grid.
func gridOf(t testing.TB, rows, columns int) *Layout {
	t.Helper()
	graph, err := affinity.New(rows*columns, nil)
	require.NoError(t, err)
	return NewLayout(graph, Nodes{Grid: []int{rows, columns}})
}

func TestScale(t *testing.T) {
	s := signed([]float64{-2, 0.5, 1})
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
	assert.Equal(t, middle, signed([]float64{0, 0}).at(0))
	assert.Equal(t, middle, signed(nil).at(0))

	growing := unsigned(1, 3, "")
	grey := func(v float64) uint8 { return color.GrayModel.Convert(growing.at(v)).(color.Gray).Y }
	for v := 1.0; v < 3; v += 0.25 {
		assert.Less(t, grey(v), grey(v+0.25), "%g", v)
	}
	assert.Equal(t, growing.at(1), unsigned(1, 1, "").at(1), "all alike")
}

func TestValuesOnAGrid(t *testing.T) {
	png, svg := paths(t)
	values := []float64{1, 1, 1, -1, 0, 0, 0, 0.5}
	s := signed(values)
	require.NoError(t, Save(gridOf(t, 2, 4).Values("signs", values), 250, 150, png, svg))
	seen := shares(readPNG(t, png))
	at := func(v float64) float64 { return seen[s.at(v).(color.RGBA)] }
	assert.InDelta(t, 3, at(1)/at(-1), 0.7)
	assert.InDelta(t, 3, at(0)/at(-1), 0.7)
	assert.InDelta(t, 1, at(0.5)/at(-1), 0.3, "half of the strongest")
	words := wellFormed(t, svg)
	for _, word := range []string{"signs"} {
		assert.Contains(t, words, word)
	}
}

func TestValuesOnASkeleton(t *testing.T) {
	graph, err := affinity.New(6, nil)
	require.NoError(t, err)
	l := NewLayout(graph, skeleton([][]int{{2}, {0}}, 2, "hip", "knee", "head"))
	assert.Equal(t, []string{"head", "hip", "knee"}, l.RowNames)
	assert.Equal(t, []int32{2, 5, 0, 3, 1, 4}, l.Cells)
	_, svg := paths(t)
	require.NoError(t, Save(l.Values("walk", []float64{0, 1, 2, 3, 4, 5}), 200, 200, svg))
	assert.Subset(t, wellFormed(t, svg), []string{"walk", "hip", "frame"})
}

func TestValuesOnAPlane(t *testing.T) {
	for _, n := range []int{0, 1, 5, 900} {
		a, err := affinity.New(n, nil)
		require.NoError(t, err)
		values, positions, names := make([]float64, n), make([]float64, 0, 2*n), []string{}
		for i := range n {
			positions, names = append(positions, float64(i%30), float64(i/30)), append(names, fmt.Sprintf("word%d", i))
		}
		if n > 4 {
			values[3], values[4] = -1, 2
		}
		png, svg := paths(t)
		l := NewLayout(a, Nodes{Coordinates: positions, Names: names})
		width, height := l.Size()
		require.NoError(t, Save(l.Values("graph", values), width, height, png, svg), "%d", n)
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
	l := NewLayout(graph, skeleton([][]int{{2}, {0, 2}}, 2, "hip", "knee", "head"))
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
	for _, word := range []string{"walk", "hip", "knee", "head", "frame"} {
		assert.Contains(t, words, word)
	}
	graph, err = affinity.New(2, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"0", "1"}, NewLayout(graph, Nodes{Grid: []int{1, 2}, Parts: [][]int{}}).RowNames)
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
			l := NewLayout(a, Nodes{})
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
	url, err := l.Inline(l.Values("title", values))
	require.NoError(t, err)
	encoded, found := strings.CutPrefix(url, "data:image/png;base64,")
	require.True(t, found)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	drawn, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	assert.Equal(t, []int{320, 320}, []int{drawn.Bounds().Dx(), drawn.Bounds().Dy()})
	assert.Less(t, len(raw), 3000, "cells have whole pixels")
	seen, s := shares(drawn), signed(values)
	for _, v := range values {
		assert.Greater(t, seen[s.at(v).(color.RGBA)], 0.2, "%g", v)
	}
	assert.Greater(t, seen[s.at(0).(color.RGBA)], 0.4)
}

// named are nodes that are sensors over time, frame by frame.
func named(frames int, sensors ...string) Nodes {
	n := Nodes{Grid: []int{frames, len(sensors)}, Sensors: sensors,
		Series: affinity.Layout{Frames: frames, Sensors: len(sensors)}.Series()}
	for frame := range frames {
		for _, sensor := range sensors {
			n.Names = append(n.Names, fmt.Sprintf("%s@%d", sensor, frame))
		}
	}
	return n
}

// skeleton are nodes that are the joints of a body over time.
func skeleton(parts [][]int, frames int, joints ...string) Nodes {
	n := named(frames, joints...)
	n.Series, n.Parts = nil, parts
	return n
}

// Nodes of a grid are pixels unless the data states that they are sensors over time, whatever the sides of the grid.
func TestPixelsOrSensors(t *testing.T) {
	for _, c := range []struct {
		kind         string
		rows, column int
		frames       affinity.Layout
		sensors      []string
		parts        [][]int
	}{
		{OnGrid, 8, 8, affinity.Layout{}, nil, nil},
		{OnGrid, 3, 40, affinity.Layout{}, nil, nil},
		{OnGrid, 128, 3, affinity.Layout{}, nil, nil},
		{OnGrid, 128, 3, affinity.Layout{Frames: 128, Sensors: 3, Guessed: true}, nil, nil},
		{OverTime, 128, 3, affinity.Layout{Frames: 128, Sensors: 3}, nil, nil},
		{OverTime, 2, 3, affinity.Layout{}, []string{"x", "y", "a@b"}, nil},
		{OverTime, 2, 3, affinity.Layout{}, nil, [][]int{{0, 1, 2}}},
	} {
		graph, err := affinity.New(c.rows*c.column, nil)
		require.NoError(t, err)
		l := NewLayout(graph, Nodes{Grid: []int{c.rows, c.column}, Series: c.frames.Series(), Sensors: c.sensors,
			Parts: c.parts})
		assert.Equal(t, c.kind, l.Kind, "%+v", c)
		if c.kind == OverTime {
			assert.Equal(t, []int{c.column, c.rows}, []int{l.Rows, l.Columns}, "a row for each sensor")
			assert.Equal(t, float64(c.rows)-0.5, l.X[len(l.X)-1], "time goes to the right")
		}
	}
}

// Frames that are the columns of the grid lie in the columns of the picture, too.
func TestSensorWiseLayout(t *testing.T) {
	graph, err := affinity.New(8, nil)
	require.NoError(t, err)
	l := NewLayout(graph, Nodes{Grid: []int{2, 4}, Parts: [][]int{{1}, {0}},
		Series: affinity.Layout{Frames: 4, Sensors: 2, SensorWise: true}.Series()})
	assert.Equal(t, []any{OverTime, 2, 4}, []any{l.Kind, l.Rows, l.Columns})
	assert.Equal(t, []int32{4, 5, 6, 7, 0, 1, 2, 3}, l.Cells)
	assert.Equal(t, []int{1, 0}, []int{l.Sensor(0), l.Sensor(1)})
}

func TestSensorsOverTime(t *testing.T) {
	graph, err := affinity.New(60, nil)
	require.NoError(t, err)
	l := NewLayout(graph, named(20, "left", "right", "a very long name of a sensor"))
	assert.Equal(t, []string{"left", "right", "a very long name of a sensor"}, l.RowNames)
	signal, values, cluster := make([]float32, 60), make([]float64, 60), make([]int32, 60)
	for i := range signal {
		signal[i], cluster[i] = float32(i%3*i), int32(i/30)
	}
	for frame := 5; frame < 15; frame++ {
		values[3*frame+1] = 2 // of the sensor "right", in the middle
	}
	values[2] = -1
	png, svg := paths(t)
	drawn := l.Sample(signal, values, 1)
	require.Len(t, drawn, 1)
	require.NoError(t, Save(drawn[0], 360, 200, png, svg))
	words := wellFormed(t, svg)
	for _, word := range []string{"left", "0 to 0", "right", "1 to 58", "a very long nam…", "4 to 118", "frame",
		"0", "8"} {
		assert.Contains(t, words, word)
	}
	seen, s := shares(readPNG(t, png)), signed(values)
	assert.Positive(t, seen[s.at(2).(color.RGBA)], "the colour along the curve")
	assert.Positive(t, seen[color.RGBA{0x30, 0x30, 0x30, 255}], "the curve")

	require.NoError(t, Save(l.Values("mean", values), 360, 200, png, svg))
	assert.Subset(t, wellFormed(t, svg), []string{"mean", "left", "right", "frame"})
	bars := shares(readPNG(t, png))
	assert.Greater(t, bars[mostAbove], 4*bars[mostBelow], "the sums are 20 and 1")
	assert.Positive(t, bars[mostBelow])

	require.NoError(t, Save(l.Clusters("blocks", cluster, 2, true), 360, 200, png, svg))
	assert.Subset(t, wellFormed(t, svg), []string{"blocks", "left", "right", "frame", "0", "1"})
	blocks, colours := shares(readPNG(t, png)), l.Colours(cluster, 2)
	assert.InDelta(t, 1, blocks[Palette[colours[0]]]/blocks[Palette[colours[1]]], 0.1, "half of the time each")
}

// Of many sensors with several channels, those are drawn that contributed most, in their order.
func TestManySensors(t *testing.T) {
	const sensors, frames, channels = 30, 4, 2
	graph, err := affinity.New(sensors*frames, nil)
	require.NoError(t, err)
	var names []string
	for i := range sensors {
		names = append(names, fmt.Sprintf("s%d", i))
	}
	l := NewLayout(graph, named(frames, names...))
	values := make([]float64, sensors*frames*channels)
	for i := range values {
		values[i] = float64(i / channels % sensors)
	}
	_, svg := paths(t)
	require.NoError(t, Save(l.Sample(make([]float32, len(values)), values, channels)[0], 360, 300, svg))
	words := wellFormed(t, svg)
	messagetest.Names(t, words, "10 of 30 … sensors")
	assert.Contains(t, words, "s29")
	assert.Less(t, slices.Index(words, "s20"), slices.Index(words, "s29"))
	assert.NotContains(t, words, "s19")
	for _, n := range []int{1, 20, 100, 1000} {
		l.Rows = n
		width, height := l.Size()
		assert.Less(t, float64(height/width), 2.0, "not higher than two screens")
	}
}

// The joints of a skeleton have curves, too, those of a part of the body beside each other.
func TestJointsOverTime(t *testing.T) {
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}}, 3, 7)
	require.NoError(t, err)
	l := NewLayout(graph, skeleton([][]int{{1}, {0, 2}}, 7, "head", "hip", "foot"))
	drawn := l.Sample(make([]float32, 63), make([]float64, 63), 3)
	require.Len(t, drawn, 1)
	_, svg := paths(t)
	require.NoError(t, Save(drawn[0], 360, 150, svg))
	words := wellFormed(t, svg)
	assert.Less(t, slices.Index(words, "hip"), slices.Index(words, "head"))
	assert.Less(t, slices.Index(words, "head"), slices.Index(words, "foot"))
}

// Points with coordinates have their signal and its contributions on a map; words without coordinates have no signal.
func TestSampleOnAPlane(t *testing.T) {
	graph, err := affinity.New(3, nil)
	require.NoError(t, err)
	names, signal, values := []string{"Fz", "Cz", "Oz"}, []float32{1, 2, 3}, []float64{0, 1, 0}
	_, svg := paths(t)
	drawn := NewLayout(graph, Nodes{Coordinates: []float64{0, 2, 0, 1, 0, 0}, Names: names}).Sample(signal, values, 1)
	require.Len(t, drawn, 2)
	require.NoError(t, Save(drawn[1], 300, 300, svg))
	assert.Contains(t, wellFormed(t, svg), "Cz")
	assert.Len(t, NewLayout(graph, Nodes{Names: names}).Sample(signal, values, 1), 1)
}
