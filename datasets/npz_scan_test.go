package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// odd are values of noise, of which some stand for missing ones.
func odd(rng *rand.Rand, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		switch rng.IntN(50) {
		case 0:
			values[i] = float32(math.NaN())
		case 1:
			values[i] = -9999
		default:
			values[i] = float32(rng.NormFloat64())
		}
	}
	return values
}

// A scan in pieces of any size finds the extremes that a visit of one column after another does.
func TestScanIsAsColumnByColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][4]int{{9, 1, 300, 1}, {40, 3, 50, 1}, {40, 3, 50, 2}, {900, 4, 1, 3}, {900, 1, 1, 7}} {
		samples, sensors, timepoints, axes := shape[0], shape[1], shape[2], shape[3]
		values := odd(rng, samples*sensors*timepoints*axes)
		var lengths []int64
		if timepoints > 1 {
			for range samples {
				lengths = append(lengths, int64(1+rng.IntN(timepoints)))
			}
		}
		r := &npzReader{raw: &Raw{}, samples: samples, nodes: sensors,
			series: &seriesReader{values: values, timepoints: timepoints, lengths: lengths}}
		r.raw.Channels = axes
		name := func(column int) string { return fmt.Sprint("column ", column) }
		r.warnGaps(sensors*axes, r.visit, name)
		want := r.raw.Warnings
		require.NotEmpty(t, want)
		r.raw.Warnings, r.scan = nil, newScan(sensors, timepoints, axes, lengths)
		for rest := values; len(rest) > 0; {
			n := min(1+rng.IntN(200), len(rest))
			r.scan.see(rest[:n])
			rest = rest[n:]
		}
		r.warnGaps(sensors*axes, r.visit, name)
		assert.Equal(t, want, r.raw.Warnings, "%v", shape)
		assert.Equal(t, []bool{true, false}, []bool{r.scan.missing, r.scan.infinite})
	}
}

func TestAllFinite(t *testing.T) {
	assert.True(t, allFinite([]float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32,
		math.SmallestNonzeroFloat32}))
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		assert.False(t, allFinite([]float32{1, float32(v), 2}), "%g", v)
	}
}

// Recordings without gaps are turned as they are; those with gaps, too, are filled, and both lose the time points at
// their ends at which nothing was measured.
func TestTurnedSeries(t *testing.T) {
	const samples, sensors, timepoints, axes = 20, 3, 150, 2
	rng, nan := rand.New(rand.NewPCG(3, 4)), float32(math.NaN())
	values := make([]float32, samples*sensors*timepoints*axes)
	lengths := make([]int, samples)
	at := func(i, sensor, timepoint, axis int) *float32 {
		return &values[((i*sensors+sensor)*timepoints+timepoint)*axes+axis]
	}
	for i := range samples {
		lengths[i] = timepoints - i%5*20
		for k := range sensors * timepoints * axes {
			sensor, timepoint, axis := k/(timepoints*axes), k/axes%timepoints, k%axes
			*at(i, sensor, timepoint, axis) = float32(rng.NormFloat64())
			if timepoint >= lengths[i] {
				*at(i, sensor, timepoint, axis) = nan
			}
		}
	}
	gap := [4]int{7, 1, 4, 1} // in the middle
	*at(gap[0], gap[1], gap[2], gap[3]) = nan
	d := path4().with("features", nil).with("edges", nil).with("series",
		&npz.Array{Shape: []int{samples, sensors, timepoints, axes}, Data: slices.Clone(values)}).load(t, Options{})
	for i, series := range d.Series {
		require.Len(t, series, lengths[i]*sensors*axes, "%d", i)
		for k, v := range series {
			timepoint, sensor, axis := k/(sensors*axes), k/axes%sensors, k%axes
			want := *at(i, sensor, timepoint, axis)
			if [4]int{i, sensor, timepoint, axis} == gap {
				before, after := float64(*at(i, sensor, timepoint-1, axis)), float64(*at(i, sensor, timepoint+1, axis))
				want = float32(before + 0.5*(after-before))
			}
			require.Equal(t, want, v, "%d: %d", i, k)
		}
	}
	messagetest.OneNames(t, d.Notes, "1 missing values … interpolated")
}

// The statistics of several widths at once are those of each alone, as the plain sums have them.
func TestStatsOfSeveralWidths(t *testing.T) {
	raw := wide(5, 3, 6_000, 2)
	raw.Nodes = 1
	all := raw.stats(loop.Indices(5), 6, 2, 1)
	for _, s := range all {
		mean, square, count := make([]float64, s.width), make([]float64, s.width), 5.*36_000/float64(s.width)
		for _, series := range raw.Series {
			for at, v := range series {
				mean[at%s.width] += float64(v)
			}
		}
		for k := range mean {
			mean[k] /= count
		}
		for _, series := range raw.Series {
			for at, v := range series {
				difference := float64(v) - mean[at%s.width]
				square[at%s.width] += difference * difference
			}
		}
		for k := range mean {
			assert.Equal(t, float32(mean[k]), s.mean[k])
			assert.Equal(t, float32(math.Sqrt(square[k]/count)), s.std[k])
		}
	}
}
