package datasets

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// Recordings in memory become the same data set as an .npz file of them.
func TestNewSeries(t *testing.T) {
	nan := float32(math.NaN())
	series := [][]float32{{1, 10, nan, 20, 3, 30}, {4, 40, 5, 50}, {6, 60, 7, 70, 8, 80, 9, 95}, {1, 2, 3, 4}}
	r, err := NewSeries("walks", series, []string{"hip", "knee"}, []string{"walk", "run", "walk", "run"})
	require.NoError(t, err)
	assert.Equal(t, []string{"run", "walk"}, r.ClassNames)
	assert.Equal(t, []int32{1, 0, 1, 0}, r.Labels)
	assert.Equal(t, []float32{1, 10, 2, 20, 3, 30}, r.Series[0], "the gap is filled")
	assert.True(t, math.IsNaN(float64(series[0][2])), "not in the caller's slice")
	d, err := Make(r, Split{Train: []int{0, 1, 2}, Test: []int{3}})
	require.NoError(t, err)
	assert.Equal(t, []any{2 * d.Form.Frames, 2, 4}, []any{d.Nodes, d.Form.Shortest, d.Form.Longest})
}

// Columns of one sensor become its channels by Recorded alone; Channels without it is an error that says so.
func TestChannelsOfSeries(t *testing.T) {
	nan := float32(math.NaN())
	var series [][]float32
	for i := range 3 {
		x := float32(i)
		series = append(series, []float32{x, 1, 2, 30 + x, nan, 5, 6, 70, 8, 9, x * x, 110})
	}
	columns, labels := []string{"hip x", "hip y", "knee x", "knee y"}, []string{"a", "b", "a"}
	r, err := NewSeries("walks", series, columns, labels)
	require.NoError(t, err)
	split := Split{Train: []int{0, 1}, Test: []int{2}}
	r.Channels = 2
	_, err = Make(r, split)
	messagetest.Names(t, err, "walks … Channels is 2 … 4 sensors of 1 … Recorded.Sensors … Recorded.Channels")
	r.Channels, r.Recorded.Sensors, r.Recorded.Channels = 0, []string{"hip", "knee"}, 2
	d, err := Make(r, split)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 3, 6}, []int{d.Channels, d.Form.Frames, d.Nodes})
	assert.InDelta(t, 5, d.Series[2][4], 1e-6, "a gap is filled from its own column, of 2, NaN and 8")
	r.Recorded.Channels = 5
	_, err = Make(r, split)
	messagetest.Names(t, err, "walks … series[0] … 12 values … multiple of 2 x 5")
}

func TestNewSeriesErrors(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for want, c := range map[string]struct {
		series          [][]float32
		sensors, labels []string
	}{
		"no sensors":                {[][]float32{{1}}, nil, []string{"a"}},
		"1 recordings and 2 labels": {[][]float32{{1}}, []string{"x"}, []string{"a", "b"}},
		"0 recordings":              {nil, []string{"x"}, nil},
		"series[1]: it has 3 values": {[][]float32{{1, 2}, {1, 2, 3}}, []string{"x", "y"},
			[]string{"a", "b"}},
		"series[0] … no values":          {[][]float32{{}}, []string{"x"}, []string{"a"}},
		`series[0] … "y" … time point 1`: {[][]float32{{1, 2, 3, inf}}, []string{"x", "y"}, []string{"a"}},
		`series[0] … "y" … no value`:     {[][]float32{{1, nan, 3, nan}}, []string{"x", "y"}, []string{"a"}},
	} {
		_, err := NewSeries("walks", c.series, c.sensors, c.labels)
		messagetest.Names(t, err, want)
	}
}

// Two sensors that recordings cannot tell apart by name, or one without a name, are refused as in a file.
func TestSensorNames(t *testing.T) {
	series, labels := [][]float32{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 8, 7, 5}}, []string{"a", "b", "a"}
	for want, sensors := range map[string][]string{
		`walks … two sensors … "l"`:  {"l", "l"},
		`walks … two sensors … "l "`: {"l", "l "},
		"walks … sensor 1 … no name": {"l", " "},
	} {
		r, err := NewSeries("walks", series, sensors, labels)
		require.NoError(t, err)
		_, err = Make(r, Split{Train: []int{0, 1}, Test: []int{2}})
		messagetest.Names(t, err, want)
	}
}

// The class "" is that of a rejected prediction, and none of a sample, from memory as from a file.
func TestEmptyClass(t *testing.T) {
	want := `class_names[0] is "" … name`
	r, err := NewSeries("walks", [][]float32{{1, 2}, {5, 6}, {9, 8}}, []string{"x"}, []string{"a", "", "a"})
	require.NoError(t, err)
	_, err = Make(r, Split{Train: []int{0, 1}, Test: []int{2}})
	messagetest.Names(t, err, "walks … "+want)
	labels := slices.Repeat([]string{"", "a"}, 10)
	for _, a := range []arrays{path4().with("labels", vectorOf(labels...)),
		path4().with("class_names", vectorOf("", "a"))} {
		report, err := CheckNPZ(a.write(t), Options{})
		require.NoError(t, err)
		messagetest.EachNames(t, report.Errors, want)
	}
}
