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
		"zeros": {padded(waves(3, 20), 0, true),
			"every sensor is 0 … to the end … 10 of 12 … series[0] … 2 time points"},
		"zeros of one sensor": {padded(waves(1, 20), 0, true), "every sensor is 0 … to the end"},
		"-1":                  {padded(waves(3, 20), -9, true), "every sensor is -9 … to the end"},
		"zeros before": {padded(waves(3, 20), 0, false),
			"every sensor is 0 … begin … 10 of 12"},
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
		messagetest.Names(t, warnings, c.says, name)
		form := c.a.load(t, Options{}).Form
		raw, err := ReadSeries(c.a.write(t), form, false, nil)
		require.NoError(t, err, name)
		messagetest.Names(t, strings.Join(raw.Warnings, "\n"), c.says, "predict: "+name)
	}
}

// Values without a time are left out, and values that are interpolated are not those of the file: both are told.
func TestSeriesThatAreNotAsTheFileHasThemAreToldOf(t *testing.T) {
	nan := math.NaN()
	seriesAt := func(times ...float64) (d *Dataset, messages string) {
		d = waves(2, 6).with("times", vectorOf(times...)).load(t, Options{})
		return d, strings.Join(slices.Concat(d.Warnings, d.Notes), "\n")
	}
	_, even := seriesAt(0, 1, 2, 3, 4, 5)
	assert.NotContains(t, even, "times")
	_, uneven := seriesAt(0, 1, 1.5, 3, 4.5, 5)
	messagetest.Names(t, uneven, "times … uneven … 12 of 12")
	d, cut := seriesAt(0, 1, 2, 3, nan, nan)
	messagetest.Names(t, cut, "times … NaN … 12 of 12 … series[0] … time point 4")
	assert.Len(t, d.Series[0], 8)
}

// Series with their time points and sensors in each other's place are told of where the values show it.
func TestTurnedSeriesAreToldOf(t *testing.T) {
	right := waves(4, 20)
	assert.NotContains(t, strings.Join(right.load(t, Options{}).Warnings, "\n"), "transpose")
	turned := waves(4, 20)
	turned["series"] = transposed(turned["series"], 0, 2, 1)
	messagetest.Names(t, strings.Join(turned.load(t, Options{}).Warnings, "\n"),
		"series … 20 sensors … 4 time points … transpose")
	many := waves(30, 20) // sensors in no order
	assert.NotContains(t, strings.Join(many.load(t, Options{}).Warnings, "\n"), "transpose")
}

// Masks of PyTorch Geometric and scipy's other sparse matrices are not understood, and what they are here is said.
func TestMasksAndSparseMatricesHaveTheirHints(t *testing.T) {
	mask := vectorOf(slices.Repeat([]bool{true, false}, 10)...)
	messagetest.OneNames(t, path4().with("train_mask", mask).load(t, Options{}).Warnings,
		`"train_mask" … not used … split`)
	a := path4().with("edges", nil).with("row", vectorOf[int32](0, 1)).with("col", vectorOf[int32](1, 0)).with("data",
		vectorOf(1.0, 1))
	_, err := Load(t.Context(), a.write(t), Options{})
	messagetest.Names(t, err, "indptr, indices … not there")
}
