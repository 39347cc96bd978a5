package datasets

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wide is recordings of noise of many sensors, half of each class.
func wide(samples, sensors, timepoints, axes int) *Raw {
	rng, names := rand.New(rand.NewPCG(1, 2)), make([]string, sensors*axes)
	series, labels := make([][]float32, samples), make([]string, samples)
	for i := range series {
		series[i], labels[i] = make([]float32, timepoints*sensors*axes), string(rune('a'+i%2))
		for at := range series[i] {
			series[i][at] = float32(rng.NormFloat64())
		}
	}
	for i := range names {
		names[i] = fmt.Sprint("s", i)
	}
	raw, err := NewSeries("wide", series, names, labels)
	if err != nil {
		panic(err) // the lengths fit
	}
	raw.Recorded.Sensors, raw.Recorded.Channels = names[:sensors], axes
	return raw
}

// allocated returns how many bytes f allocates.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// Blocks of sensors find the links that the whole matrix of correlations tells, with ties and a constant sensor.
func TestCorrelateByBlocks(t *testing.T) {
	const sensors, axes, k = 1_100, 2, 4 // of which a block is less than half
	raw := wide(6, sensors, 2, axes)
	for _, series := range raw.Series {
		for at := range 2 {
			row := series[at*sensors*axes:][:sensors*axes]
			copy(row[10:12], row[900*axes:]) // equal sensors
			copy(row[20:22], row[900*axes:])
			row[30], row[31] = 1, 2
		}
	}
	d, err := Make(raw, Split{Train: loop.Indices(4), Test: []int{4, 5}})
	require.NoError(t, err)
	var columns [sensors * axes][]float64
	for c := range columns {
		for i := range 4 {
			columns[c] = append(columns[c], float64(raw.Series[i][c]), float64(raw.Series[i][sensors*axes+c]))
		}
	}
	r := func(x, y []float64) float64 {
		var mx, my, xx, yy, xy float64
		for i := range x {
			mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(x))
		}
		for i := range x {
			xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
		}
		if xx < 1e-12 || yy < 1e-12 {
			return 0
		}
		return math.Abs(xy) / math.Sqrt(xx*yy)
	}
	for _, a := range []int{0, 5, 10, 15, 450, 900, sensors - 1} {
		others, strength := slices.Delete(loop.Indices(sensors), a, a+1), make([]float64, sensors)
		for _, b := range others {
			for axis := range axes {
				strength[b] += math.Round(1e5*r(columns[a*axes+axis], columns[b*axes+axis])) / 1e5
			}
		}
		slices.SortStableFunc(others, func(i, j int) int { return cmp.Compare(strength[j], strength[i]) })
		for _, b := range others[:k] {
			assert.NotZero(t, d.Affinity.At(a, b), "%d and %d", a, b)
		}
	}
}

// What loading allocates grows with the sensors, not with their square, be they few enough for links or not.
func TestManySensorsTakeLinearMemory(t *testing.T) {
	make1 := func(sensors int) float64 {
		raw := wide(12, sensors, 1, 1)
		return allocated(func() {
			_, err := Make(raw, Split{Train: loop.Indices(8), Test: []int{8, 9, 10, 11}})
			require.NoError(t, err)
		})
	}
	for _, sensors := range []int{1_500, 5_000, 20_000} {
		few, many := make1(sensors), make1(2*sensors)
		assert.Less(t, many, 2.5*few+productsAtOnce*8, sensors)
	}
}

// Sensors that are too many for correlations stay apart, and a sentence says so in place of the one about a graph in
// pieces.
func TestTooManySensorsForCorrelations(t *testing.T) {
	d, err := Make(wide(12, mostCompared+1, 1, 1), Split{Train: loop.Indices(8), Test: []int{8, 9, 10, 11}})
	require.NoError(t, err)
	assert.Zero(t, d.Affinity.Edges())
	messagetest.OneNames(t, d.Warnings, "no sensors are linked … 4096 … 4097")
	assert.NotContains(t, strings.Join(d.Warnings, "\n"), "disconnected")
	d, err = Make(wide(12, mostCompared, 1, 1), Split{Train: loop.Indices(8), Test: []int{8, 9, 10, 11}})
	require.NoError(t, err)
	assert.NotZero(t, d.Affinity.Edges())
}

// A series whose time points are in the place of sensors is told how to turn it before anything else, and takes no more
// memory than its values do a few times.
func TestTransposedSeriesIsToldFirst(t *testing.T) {
	const samples, timepoints, sensors = 20, 30_000, 3
	values := make([]float32, samples*timepoints*sensors)
	for i := range values {
		values[i] = float32(i * 7919 % 1013)
	}
	labels := make([]int64, samples)
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	path := arrays{"series": {Shape: []int{samples, timepoints, sensors}, Data: values},
		"labels": vectorOf(labels...)}.write(t)
	var report Report
	bytes := allocated(func() {
		var err error
		report, err = CheckNPZ(path, Options{})
		require.NoError(t, err)
	})
	require.True(t, report.Usable)
	assert.Contains(t, report.Warnings[0], "transpose it (series.transpose(0, 2, 1))")
	assert.Less(t, bytes, 40*4.0*float64(len(values)))
}

// Missing values are filled by the links that there are, and nobody looks for others.
func TestGapsOfManySensors(t *testing.T) {
	const samples, sensors = 20, 30_000
	values, labels := make([]float32, samples*sensors), make([]int64, samples)
	for i := range values {
		values[i] = float32(i * 7919 % 1013)
	}
	values[5] = nan32
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	d := arrays{"series": {Shape: []int{samples, sensors, 1}, Data: values}, "labels": vectorOf(labels...),
		"edges": {Shape: []int{2, 2}, Data: []int64{5, 6, 5, 7}}}.load(t, Options{})
	require.NotNil(t, d.Form.Fill)
	assert.Equal(t, []int{6, 7}, d.Form.Fill.Neighbours[5])
}

// Neighbours that are asked for are found among very many columns, be they features or sensors, of either sign.
func TestNeighboursOfManyColumns(t *testing.T) {
	const samples, columns, k = 20, 6_000, 2
	rng := rand.New(rand.NewPCG(3, 4))
	values, labels := make([]float32, samples*columns), make([]int64, samples)
	for i := range samples {
		labels[i] = int64(i % 2)
		for c := 0; c < columns; c += 3 { // three of a kind, one of them upside down
			x := rng.NormFloat64()
			for j := range 3 {
				values[i*columns+c+j] = float32(x + 0.01*rng.NormFloat64())
			}
		}
	}
	for _, form := range []string{"features", "series"} {
		a := arrays{"features": {Shape: []int{samples, columns}, Data: values}, "labels": vectorOf(labels...)}
		if form == "series" {
			upside := slices.Clone(values)
			for at := 1; at < len(upside); at += 3 {
				upside[at] = -upside[at]
			}
			a = arrays{"series": {Shape: []int{samples, columns, 1}, Data: upside}, "labels": vectorOf(labels...)}
		}
		d := a.load(t, Options{KNN: k})
		messagetest.OneNames(t, d.Notes, "knn 2 … 6000 nodes … not with all")
		found := 0
		for c := 0; c < columns; c += 3 {
			for _, pair := range [][2]int{{c, c + 1}, {c, c + 2}, {c + 1, c + 2}} {
				if d.Affinity.At(pair[0], pair[1]) > 0 {
					found++
				}
			}
		}
		assert.Greater(t, found, columns*95/100, form)
		assert.Less(t, d.Affinity.Edges(), columns*12/10, form)
	}
}

// Equal samples are found in the order of the splits: the first of each content is the one that others repeat.
func TestRepeatedSamples(t *testing.T) {
	values, labels := []float32{1, 2, 3, 2, 1, 2, 4, 3, 5, 6}, []int32{0, 1, 0, 0, 0, 1, 1, 1, 0, 1}
	d := &Dataset{Raw: Raw{Signals: &Floats{Values: values, Size: 1}, Labels: labels},
		Split: Split{Train: []int{0, 1, 2, 8, 9}, Validation: []int{3, 6}, Test: []int{4, 5, 7}}}
	d.Nodes, d.Channels = 1, 1
	copies, clashes := d.repeated()
	// 3 is 1; 4 is 0, 5 is 1 and 7 is 2
	assert.Equal(t, map[string]*equals{"validation": {count: 1, first: 3, before: 1, firstPlace: 5},
		"test": {count: 3, first: 4, before: 0, firstPlace: 7}}, copies)
	assert.Equal(t, equals{count: 2, first: 3, before: 1, firstPlace: 5}, clashes)
}

// The look at a file with ten times the samples, or the columns, of one value takes some ten times the memory, and less
// than a bound for each.
func TestCheckTakesLinearMemory(t *testing.T) {
	bytes := func(samples, sensors, timepoints int) float64 {
		values, labels := make([]float32, samples*sensors*timepoints), make([]int64, samples)
		for i := range values {
			values[i] = float32(i * 7919 % 1013)
		}
		for i := range labels {
			labels[i] = int64(i % 2)
		}
		path := arrays{"series": {Shape: []int{samples, sensors, timepoints}, Data: values},
			"labels": vectorOf(labels...)}.write(t)
		return allocated(func() {
			report, err := CheckNPZ(path, Options{})
			require.NoError(t, err)
			require.True(t, report.Usable)
		})
	}
	const fixed = 4 << 20 // buffers, whatever the size
	for _, shape := range [][3]int{{20_000, 1, 1}, {20, 10_000, 1}, {20, 1, 10_000}} {
		grown := shape
		grown[slices.Index(shape[:], slices.Max(shape[:]))] *= 8
		assert.Less(t, bytes(grown[0], grown[1], grown[2]), 10*bytes(shape[0], shape[1], shape[2])+fixed, shape)
	}
}
