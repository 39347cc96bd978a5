package datasets

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

var nan32 = float32(math.NaN())

// lab is 10 recordings of three sensors, with x and y, of 4 to 6 time points. Values tell where they come from.
func lab() (arrays, []int64) {
	series, labels, lengths := make([]float32, 10*3*6*2), make([]int64, 10), make([]int64, 10)
	for i := range 10 {
		labels[i], lengths[i] = int64(i%2), int64(4+i%3)
		for at := range 3 * 6 * 2 {
			sensor, timepoint, axis := at/12, at/2%6, at%2
			series[i*36+at] = float32(1000*i + 100*sensor + 10*timepoint + axis)
			if timepoint >= int(lengths[i]) {
				series[i*36+at] = nan32
			}
		}
	}
	return arrays{"series": {Shape: []int{10, 3, 6, 2}, Data: series}, "labels": vectorOf(labels...)}, lengths
}

// Recordings stay whole, at their own lengths. The network reads frames of them, on a graph of sensors and time.
func TestSeries(t *testing.T) {
	a, lengths := lab()
	for _, marked := range []bool{false, true} { // NaN after the end, or lengths
		if marked {
			for i, v := range a["series"].Data.([]float32) {
				if v != v {
					a["series"].Data.([]float32)[i] = 7
				}
			}
			a = a.with("lengths", vectorOf(lengths...))
		}
		d := a.load(t, Options{})
		require.NoError(t, d.Validate())
		for i, length := range lengths {
			assert.Len(t, d.Series[i], int(length)*6)
		}
		assert.Equal(t, []float32{2000, 2001, 2100, 2101, 2200, 2201, 2010, 2011}, d.Series[2][:8],
			"timepoints, sensors, axes")
		assert.Equal(t, []int{5, 3}, d.Grid, "the median length of the training samples")
		assert.Equal(t, 15, d.Nodes)
		assert.Equal(t, "sensor 1@4", d.NodeName(13))
		assert.Equal(t, 5*3+4*3, d.Affinity.Edges(), "all with all, and each with itself a frame later")
		x := make([]float32, 30)
		d.Signals.Read(1, x)
		assert.Equal(t, d.Series[1], x, "of 5 time points")
		d.Signals.Read(2, x)
		assert.InDelta(t, d.Series[2][30], x[24], 2, "nearly the last time point")
		assert.Equal(t, 4, d.Form.Shortest)
		assert.Equal(t, []int{2, 3}, a.load(t, Options{Frames: 2}).Grid)
	}
}

// Gaps are filled in time, and a sensor without any value by the others; rates and times are kept.
func TestSeriesGaps(t *testing.T) {
	a, _ := lab()
	values := a["series"].Data.([]float32)
	values[2*36+2] = nan32 // sensor 0, time point 1, x of sample 2
	for timepoint := range 6 {
		values[3*36+12+2*timepoint] = nan32 // sensor 1, x of sample 3
	}
	d := a.with("rate", &npz.Array{Shape: []int{}, Data: []float64{50}}).load(t, Options{})
	assert.Equal(t, float32(2010), d.Series[2][6])
	assert.InDelta(t, 3100, d.Series[3][2], 400, "as the linked sensors let expect")
	assert.Equal(t, 50.0, d.Form.Rate)
	other := *d.Form
	other.Rate, other.Frames = 100, 5
	faster := a.load(t, Options{Form: &other})
	assert.Len(t, faster.Series[0], 7*6, "twice the time points in the same time")
	messagetest.Names(t, faster.Warnings[len(faster.Warnings)-1], "10 of 10 samples … long")

	// The rate that an import has kept counts as well.
	imported := `{"sensors":["a","b","c"],"channels":2,"rate":50}`
	again := a.with("recording", &npz.Array{Shape: []int{1}, Data: []string{imported}}).load(t, Options{Form: &other})
	assert.Equal(t, faster.Series, again.Series)

	// A classifier whose training had no gaps learns nothing of new samples to fill theirs with.
	other.Filled, other.Fill = false, nil
	_, err := Load(t.Context(), a.write(t), Options{Form: &other})
	messagetest.Names(t, err, `series[3] … "b" … channel 0 … no value`)
	other.Zeros = true
	assert.Equal(t, []float32{3000, 3001, 0}, a.load(t, Options{Form: &other}).Series[3][:3])

	// What comes after the end of a sample is no value of a sensor.
	for timepoint := range 6 {
		if v := &values[3*36+12+2*timepoint]; timepoint >= 4 {
			*v = 0
		}
	}
	lengths := vectorOf[int64](6, 6, 6, 4, 6, 6, 6, 6, 6, 6)
	assert.InDelta(t, 3100, a.with("lengths", lengths).load(t, Options{}).Series[3][2], 400)
}

// A table with gaps is recordings of one time point.
func TestTableWithGaps(t *testing.T) {
	features, labels := make([]float32, 20*3), make([]int64, 20)
	for i := range labels {
		labels[i] = int64(i % 2)
		for node := range 3 {
			features[3*i+node] = float32(i * (node + 1))
		}
	}
	features[3*5+1] = nan32
	a := arrays{"features": {Shape: []int{20, 3}, Data: features}, "labels": vectorOf(labels...),
		"edges": matrixOf(2, int64(0), 1, 1, 2), "node_names": vectorOf("a", "b", "c")}
	d := a.load(t, Options{})
	assert.InDelta(t, 10, d.Series[5][1], 1)
	assert.Equal(t, []int{1, 3}, d.Grid)
	assert.Equal(t, "b@0", d.NodeName(1))
	d = a.with("coordinates", &npz.Array{Shape: []int{3, 2}, Data: []float32{0, 0, 1, 0, 2, 0}}).load(t, Options{})
	assert.Nil(t, d.Grid, "a map")
	assert.Equal(t, "b", d.NodeName(1))

	// The classifier takes tables without gaps, too.
	features[3*5+1] = 10
	for name, data := range map[string]any{"float32": features, "uint8": make([]uint8, len(features))} {
		full, err := Load(t.Context(), a.with("features", &npz.Array{Shape: []int{20, 3}, Data: data}).write(t),
			Options{Form: d.Form})
		require.NoError(t, err, name)
		assert.NoError(t, d.Form.Fits(full.Form), name)
	}
	assert.Nil(t, a.load(t, Options{}).Form)
	npy := filepath.Join(t.TempDir(), "new.npy")
	file, err := os.Create(npy)
	require.NoError(t, err)
	require.NoError(t, npz.WriteNPY(file, a["features"]))
	require.NoError(t, file.Close())
	plain := *d.Form
	plain.Sensors = []string{"sensor 0", "sensor 1", "sensor 2"}
	got, err := ReadSeries(npy, &plain, false, nil)
	require.NoError(t, err)
	assert.Equal(t, features[:3], got.Series[0])
}

// Of more than eight sensors each is linked with the most correlated ones, without a look at what is held out.
func TestSeriesLinks(t *testing.T) {
	series, labels := make([]float32, 40*12*3), make([]int64, 40)
	for i := range labels {
		labels[i] = int64(i % 2)
		for sensor := range 12 {
			for timepoint := range 3 {
				series[(i*12+sensor)*3+timepoint] = float32(math.Sin(float64(i*(1+sensor/4) + timepoint)))
			}
		}
	}
	a := arrays{"series": {Shape: []int{40, 12, 3}, Data: series}, "labels": vectorOf(labels...)}
	few := arrays{"series": {Shape: []int{40, 6, 6}, Data: series[:40*6*6]}, "labels": vectorOf(labels...)}
	for neighbours, linked := range map[int]int{0: 15, 4: 14, 5: 15} {
		got := few.load(t, Options{KNN: neighbours, Frames: 1})
		assert.Equal(t, linked, got.Affinity.Edges(), "%d of six sensors, as was asked", neighbours)
	}
	d := a.load(t, Options{KNN: 3})
	assert.Equal(t, 3*(3*6)+2*12, d.Affinity.Edges(), "three groups of four in three frames")
	held := heldOut(t, d, 0.3, 0)
	assert.NotSame(t, d.Affinity, held.Affinity)
	assert.Equal(t, 3*(3*6)+2*12, held.Affinity.Edges())
}

// A matrix of series is of one sensor.
func TestSeriesOfOneSensor(t *testing.T) {
	series, labels := make([]float32, 20*12), make([]int64, 20)
	for i := range series {
		labels[i/12] = int64(i / 12 % 2)
		series[i] = float32(i % 7)
	}
	d := arrays{"series": {Shape: []int{20, 12}, Data: series}, "labels": vectorOf(labels...)}.load(t, Options{})
	assert.Equal(t, []int{12, 1}, []int{d.Nodes, d.Channels})
	assert.Equal(t, series[3*12:4*12], d.Series[3])
	assert.NotContains(t, fmt.Sprint(d.Notes), "linked", "there is nothing to link it with")

	// Its place, or that of the only node of a table, needs no neighbour.
	place := &npz.Array{Shape: []int{1, 2}, Data: []float64{3, 4}}
	for _, name := range []string{"series", "features"} {
		one := arrays{name: {Shape: []int{20, 12}, Data: series}, "labels": vectorOf(labels[:20]...), "coordinates": place}
		if name == "features" {
			one[name] = &npz.Array{Shape: []int{20, 1}, Data: series[:20]}
			one["labels"] = vectorOf(slices.Repeat([]int64{0, 1}, 10)...)
		}
		d := one.load(t, Options{})
		assert.Equal(t, d.Nodes, d.Affinity.N(), name)
	}
	_, err := Load(t.Context(), arrays{"series": {Shape: []int{20, 12}, Data: series}, "labels": vectorOf(labels[:20]...),
		"coordinates": place}.write(t), Options{KNN: 1})
	assert.ErrorContains(t, err, "k=1 nearest neighbours among 1 points")
}

func TestSeriesErrors(t *testing.T) {
	for want, change := range map[string]func(a arrays){
		"series has shape [360]":     func(a arrays) { a["series"].Shape = []int{360} },
		"features and series … both": func(a arrays) { a["features"] = a["series"] },
		"series[1,2,3,1] is +Inf":    func(a arrays) { a["series"].Data.([]float32)[36+2*12+7] = float32(math.Inf(1)) },
		"series[1,2,3,1] … -1e+300 … float32 … power": func(a arrays) {
			wide, _ := a["series"].Floats()
			wide[36+2*12+7] = -1e300
			a["series"].Data = wide
		},
		"lengths[1] is 9; want 1 to": func(a arrays) { a["lengths"] = vectorOf[int64](4, 9, 4, 4, 4, 4, 4, 4, 4, 4) },
		"rate … above":               func(a arrays) { a["rate"] = vectorOf(0.0) },
		"rate and times … both": func(a arrays) {
			a["rate"], a["times"] = &npz.Array{Shape: []int{}, Data: []float64{50}}, vectorOf(0.0, 1, 2, 3, 4, 5)
		},
		"times has shape [2]; want [6]": func(a arrays) {
			a["times"] = vectorOf(0.0, 1)
		},
		"labels … [3] … [10] … series": func(a arrays) {
			a["labels"] = vectorOf[int64](0, 1, 0)
		},
		"series[0] … time point 1 … time 0; … ascend": func(a arrays) {
			a["times"] = vectorOf(0.0, 0, 1, 2, 3, 4)
		},
		`series[0] … two sensors … "a"`: func(a arrays) {
			a["sensor_names"] = vectorOf("a", "b", "a")
		},
		`series[0] … two sensors … "a "`: func(a arrays) {
			a["sensor_names"] = vectorOf("a", "b", "a ")
		},
		"sensor 2 … no name": func(a arrays) {
			a["sensor_names"] = vectorOf("a", "b", "")
		},
		"series[0] … time 0.4 to 600 … 5996 times": func(a arrays) {
			a["times"] = vectorOf(0, 0.1, 0.2, 0.3, 0.4, 600)
		},
		"series[0] … time point 3 … time 0.1": func(a arrays) {
			a["times"] = vectorOf(0, 0.1, 0.2, 0.1, 0.4, 0.5)
		},
		"sensor_names has shape [1]": func(a arrays) {
			a["sensor_names"] = vectorOf("a")
		},
		"series[3] … no sensor … value": func(a arrays) {
			for at := range 36 {
				a["series"].Data.([]float32)[3*36+at] = nan32
			}
		},
		"1 sensors … 1 channels … 3 and 2": func(a arrays) {
			a["recording"] = vectorOf(`{"sensors":["a"],"channels":1}`)
		},
		`sensor_names[1] … "c" … recording … "b" … order`: func(a arrays) {
			a["recording"] = vectorOf(`{"sensors":["a","b","c"],"channels":2}`)
			a["sensor_names"] = vectorOf("a", "c", "b")
		},
	} {
		a, _ := lab()
		form := a.load(t, Options{}).Form
		change(a)
		_, err := Load(t.Context(), a.write(t), Options{})
		messagetest.Names(t, err, want)
		_, err = Load(t.Context(), a.write(t), Options{Form: form}) // as the data of a classifier
		messagetest.Names(t, err, want)
	}
}

// A classifier's new recordings need no labels, and no names if the training's had none.
func TestReadSeries(t *testing.T) {
	a, _ := lab()
	d := a.load(t, Options{})
	delete(a, "labels")
	npy := filepath.Join(t.TempDir(), "new.npy")
	file, err := os.Create(npy)
	require.NoError(t, err)
	require.NoError(t, npz.WriteNPY(file, a["series"]))
	require.NoError(t, file.Close())
	for _, path := range []string{a.write(t), npy} {
		got, err := ReadSeries(path, d.Form, false, nil)
		require.NoError(t, err)
		assert.Equal(t, d.Series, got.Series)
	}
	other := *d.Form
	other.Sensors = []string{"a", "b"}
	_, err = ReadSeries(npy, &other, false, nil)
	messagetest.Names(t, err, "series … [10 3 6 2] … [samples, 2, timepoints, 2]")
	other.Sensors, other.Origin = d.Form.Sensors, "a"
	_, err = ReadSeries(npy, &other, false, nil)
	messagetest.Names(t, err, "name and import")
	_, err = ReadSeries(path4().write(t), d.Form, false, nil)
	messagetest.Names(t, err, "features … recordings")

	// An array of its own is not narrowed before it is looked at, as one in an .npz is.
	array := func(data any, shape ...int) string {
		path := filepath.Join(t.TempDir(), "one.npy")
		file, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, npz.WriteNPY(file, &npz.Array{Shape: shape, Data: data}))
		require.NoError(t, file.Close())
		return path
	}
	sensor := recording.Form{Sensors: []string{"sensor 0"}, Channels: 1, Longest: 3, Frames: 3}
	_, err = ReadSeries(array([]float64{0, 1, 2, 3, 1e39, math.Inf(1)}, 2, 3), &sensor, false, nil)
	messagetest.Names(t, err, "series[1,0,1] … 1e+39 … float32")
	require.ErrorContains(t, err, "series[1,0,2] is +Inf")
	_, err = ReadSeries(array([]float64{1, 2, 3}, 3, 1), &sensor, false, nil)
	messagetest.Names(t, err, "one.npy … [3 1] … one recording")
}

// What is wrong with two recordings, of which none is left for testing, is not that there is no graph of them yet.
func TestTooFewRecordings(t *testing.T) {
	a := arrays{"series": {Shape: []int{2, 2, 5}, Data: make([]float32, 20)}, "labels": vectorOf[int64](0, 1)}
	_, err := Load(t.Context(), a.write(t), Options{})
	messagetest.Names(t, err, "test split … empty")
}

// A value far outside all others is told of once, whichever sensors have it: instruments write it where they measured
// nothing.
func TestSeriesWithFillValues(t *testing.T) {
	a, ends := lab()
	values, lengths := a["series"].Data.([]float32), vectorOf(ends...)
	for i := 0; i < len(values); i += 36 {
		values[i+1], values[i+13] = -1e15, -1e15
	}
	d := a.load(t, Options{})
	messagetest.EachNames(t, d.Warnings, "no array split",
		`"sensor 0" channel 1 … -9.99999986991104e+14 … 10 of 49 … NaN … 2 columns`)
	for i, v := range values { // after the ends
		if v != v {
			values[i] = 1e30
		}
	}
	assert.Len(t, a.with("lengths", lengths).load(t, Options{}).Warnings, 2)
}

// The links of sensors may have any unit: a recording's graph, with its edges over time, is then the same but for that
// unit.
func TestUnitOfLinksChangesNoRecording(t *testing.T) {
	edges := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}} // six equal weights have a mean that is rounded
	relative := func(unit float64) *affinity.Matrix {
		var list []affinity.Edge
		for _, e := range edges {
			list = append(list, affinity.Edge{I: e[0], J: e[1], Weight: unit})
		}
		sensors, err := affinity.New(6, list)
		require.NoError(t, err)
		m, err := overTime(sensors, 5)
		require.NoError(t, err)
		return m.Relative()
	}
	for _, unit := range []float64{1000, 0.1, 600, 1e300, 1e-300} {
		assert.Equal(t, relative(1), relative(unit), "links that weigh %g", unit)
	}
}
