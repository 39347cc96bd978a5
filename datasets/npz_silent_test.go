package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/npz"
)

// waves are 12 recordings of some sensors, [samples, sensors, timepoints], that change slowly in time.
func waves(sensors, timepoints int) arrays {
	const samples = 12
	values := make([]float32, 0, samples*sensors*timepoints)
	labels := make([]int64, samples)
	for i := range samples {
		labels[i] = int64(i % 2)
		for sensor := range sensors {
			for at := range timepoints {
				phase := 0.3*float64(at) + float64(sensor*sensor+i)
				values = append(values, float32(math.Sin(phase)+float64(sensor)*math.Cos(0.1*phase)+1.5))
			}
		}
	}
	return arrays{"labels": vectorOf(labels...),
		"series": {Shape: []int{samples, sensors, timepoints}, Data: values}}
}

// padded replaces the values of each recording from a time point of its own to the end, or up to it.
func padded(a arrays, with float32, back bool) arrays {
	shape := a["series"].Shape
	values := slices.Clone(a["series"].Data.([]float32))
	for i := range shape[0] {
		for sensor := range shape[1] {
			row := values[(i*shape[1]+sensor)*shape[2]:][:shape[2]]
			for k := range (2 + i) % 5 {
				at := k
				if back {
					at = shape[2] - 1 - k
				}
				row[at] = with
			}
		}
	}
	return a.with("series", &npz.Array{Shape: shape, Data: values})
}

// Recordings that were filled up to one length, as torch's pad_sequence does, are told of.
func TestFilledUpRecordingsAreToldOf(t *testing.T) {
	for name, c := range map[string]struct {
		a    arrays
		says string
	}{
		"zeros": {padded(waves(3, 20), 0, true), "every sensor is 0 from some time point to the end in 10 of 12 series (" +
			"the first: series[0], 2 time points)"},
		"zeros of one sensor": {padded(waves(1, 20), 0, true), "every sensor is 0 from some time point to the end"},
		"-1":                  {padded(waves(3, 20), -9, true), "every sensor is -9 from some time point to the end"},
		"zeros before": {padded(waves(3, 20), 0, false),
			"every sensor is 0 from the begin to some time point in 10 of 12 series"},
		"NaN":                  {padded(waves(3, 20), float32(math.NaN()), true), ""},
		"none":                 {waves(3, 20), ""},
		"zeros elsewhere, too": {padded(padded(waves(3, 20), 0, true), 0, false), ""},
		"zeros past their ends": {padded(waves(3, 20), 0, true).with("lengths",
			vectorOf[int64](18, 17, 16, 15, 14, 18, 17, 16, 15, 14, 18, 17)), ""},
	} {
		warnings := strings.Join(c.a.load(t, Options{}).Warnings, "\n")
		if c.says == "" {
			assert.NotContains(t, warnings, "every sensor is", name)
			continue
		}
		assert.Contains(t, warnings, c.says, name)
		form := c.a.load(t, Options{}).Form
		raw, err := ReadSeries(c.a.write(t), form)
		require.NoError(t, err, name)
		assert.Contains(t, strings.Join(raw.Warnings, "\n"), c.says, "predict: "+name)
	}
}

// Values without a time are left out, and values that are interpolated are not those of the file: both are told.
func TestSeriesThatAreNotAsTheFileHasThemAreToldOf(t *testing.T) {
	nan := math.NaN()
	told := func(times ...float64) (d *Dataset, told string) {
		d = waves(2, 6).with("times", vectorOf(times...)).load(t, Options{})
		return d, strings.Join(slices.Concat(d.Warnings, d.Notes), "\n")
	}
	_, even := told(0, 1, 2, 3, 4, 5)
	assert.NotContains(t, even, "times")
	_, uneven := told(0, 1, 1.5, 3, 4.5, 5)
	assert.Contains(t, uneven, "times are uneven in 12 of 12 series: values are interpolated at even times")
	d, cut := told(0, 1, 2, 3, nan, nan)
	assert.Contains(t, cut, "times are NaN at the ends of 12 of 12 series that have values there (the first: series[0], "+
		"from time point 4); these are left out")
	assert.Len(t, d.Series[0], 8)
}

// Series with their time points and sensors in each other's place are told of where the values show it.
func TestTurnedSeriesAreToldOf(t *testing.T) {
	right := waves(4, 20)
	assert.NotContains(t, strings.Join(right.load(t, Options{}).Warnings, "\n"), "transpose")
	turned := waves(4, 20)
	turned["series"] = transposed(turned["series"], 0, 2, 1)
	assert.Contains(t, strings.Join(turned.load(t, Options{}).Warnings, "\n"), "series has 20 sensors at 4 time points, "+
		"and changes much less from sensor to sensor than in time; if it is [samples, timepoints, sensors], transpose it")
	many := waves(30, 20) // sensors in no order
	assert.NotContains(t, strings.Join(many.load(t, Options{}).Warnings, "\n"), "transpose")
}

// Masks of PyTorch Geometric and scipy's other sparse matrices are not understood, and what they are here is said.
func TestMasksAndSparseMatricesHaveTheirHints(t *testing.T) {
	mask := vectorOf(slices.Repeat([]bool{true, false}, 10)...)
	assert.Contains(t, path4().with("train_mask", mask).load(t, Options{}).Warnings,
		`array "train_mask" is not used; store it as split (0 where it is true)`)
	a := path4().with("edges", nil).with("row", vectorOf[int32](0, 1)).with("col", vectorOf[int32](1, 0)).with("data",
		vectorOf(1.0, 1))
	_, err := Load(t.Context(), a.write(t), Options{})
	require.ErrorContains(t, err, "indptr, indices is not there; store those of matrix.tocsr()")
}
