package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

// missing replaces values of the recordings, [samples, sensors, timepoints], by NaN.
func missing(a arrays, lost func(sample, sensor, timepoint int) bool) arrays {
	shape := a["series"].Shape
	values := slices.Clone(a["series"].Data.([]float32))
	for k := range values {
		if lost(k/shape[2]/shape[1], k/shape[2]%shape[1], k%shape[2]) {
			values[k] = float32(math.NaN())
		}
	}
	return a.with("series", &npz.Array{Shape: shape, Data: values})
}

// What lies in holes of an .npz file's recordings is told, and a classifier refuses recordings with more.
func TestHolesOfFilesAreToldOf(t *testing.T) {
	whole := missing(waves(2, 100), func(int, int, int) bool { return false })
	single := missing(waves(2, 100), func(_, _, at int) bool { return at%20 == 7 })
	holed := missing(waves(2, 100), func(sample, _, at int) bool { return sample == 5 && at >= 30 && at < 70 })
	ends := missing(waves(2, 100), func(sample, sensor, at int) bool { return sample == 5 && sensor == 1 && at%99 != 0 })

	for name, a := range map[string]arrays{"whole": whole, "single": single} {
		d := a.load(t, Options{})
		assert.NotContains(t, strings.Join(d.Warnings, "\n"), "holes", name)
		assert.Zero(t, d.Form.Holes.Share, name)
	}
	d := holed.load(t, Options{})
	messagetest.OneNames(t, d.Warnings, "holes … 1 of 12 series … 40% … series[5] … 41 time points")
	d = ends.load(t, Options{})
	messagetest.OneNames(t, d.Warnings, "holes … 1 of 12 series … 49% … series[5] … 99 time points")

	clean := whole.load(t, Options{})
	path := holed.write(t)
	_, err := ReadSeries(path, clean.Form, false, nil)
	messagetest.Names(t, err, "series[5] … 40% … made up … training … 0%")
	left := map[int]string{}
	raw, err := ReadSeries(path, clean.Form, false, func(sample int, err error) { left[sample] = err.Error() })
	require.NoError(t, err)
	assert.Nil(t, raw.Series[5])
	assert.Len(t, left, 1)
	_, err = ReadSeries(single.write(t), clean.Form, false, nil)
	assert.NoError(t, err)
}

// Series that begin without values keep their places: a value at time point 40 stays there. Their ends are cut off.
func TestLateStartsOfFilesKeepPlaces(t *testing.T) {
	a := missing(waves(2, 100), func(sample, _, at int) bool { return at < 2*sample || at >= 95 })
	d := a.load(t, Options{})
	values := a["series"].Data.([]float32)
	for i, series := range d.Series {
		assert.Len(t, series, 95*2)
		assert.Equal(t, values[(i*2+1)*100+40], series[40*2+1])
		assert.Equal(t, values[(i*2+1)*100+2*i], series[1], "the first value is repeated")
	}
	messagetest.OneNames(t, d.Notes, "11 of 12 series … without values … 22 time points … series[11]")
}
