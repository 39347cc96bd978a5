package datasets

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

// Recordings come as they were measured: gaps of a sensor stay, time points without any value are a pause, and windows
// are those of the table that has the same lines.
func TestReadMeasured(t *testing.T) {
	none := float32(math.NaN())
	a := arrays{"series": {Shape: []int{2, 2, 6}, Data: []float32{
		1, 2, none, 4, none, none, 10, 20, 30, none, none, none, // the last two time points are after the end
		5, 6, none, none, none, 8, 50, 60, none, none, none, 80, // three in a row are a pause
	}}, "rate": {Data: []float64{10}}, "sensor_names": vectorOf("b", "a"), "sample_names": vectorOf("s1", "s2")}
	form := &recording.Form{Sensors: []string{"a", "b"}, Channels: 1, Rate: 10, Filled: true}
	all, _, err := ReadMeasured(a.write(t), form, nil)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, []string{"b", "a"}, all[0].Sensors)
	assert.Equal(t, "s2", all[1].Name)
	nan := math.NaN()
	assert.InDeltaSlice(t, []float64{1, 10, 2, 20, nan, 30, 4, nan}, all[0].Values, 0)
	assert.InDeltaSlice(t, []float64{0, 0.1, 0.2, 0.3}, all[0].Times, 1e-12)
	assert.InDeltaSlice(t, []float64{5, 50, 6, 60, 8, 80}, all[1].Values, 0)
	assert.InDeltaSlice(t, []float64{0, 0.1, 0.5}, all[1].Times, 1e-12)

	a.with("rate", nil).with("times", &npz.Array{Shape: []int{2, 6},
		Data: []float64{0, 1, 2, 3, nan, nan, 0, 1, 2, 3, 4, 6}})
	all, _, err = ReadMeasured(a.write(t), form, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1, 6}, all[1].Times)

	a.with("times", nil) // then time points count, and only those at the end are none
	all, _, err = ReadMeasured(a.write(t), form, nil)
	require.NoError(t, err)
	assert.Nil(t, all[1].Times)
	assert.Equal(t, []int{4, 6}, []int{all[0].Timepoints(), all[1].Timepoints()})
}

// What cannot be cut is refused, with the way out; a recording without a value can be left out.
func TestReadMeasuredRefuses(t *testing.T) {
	none := float32(math.NaN())
	a := arrays{"series": {Shape: []int{2, 2, 2}, Data: []float32{1, 2, 3, 4, none, none, none, none}}}
	form := &recording.Form{Sensors: []string{"a", "b"}, Channels: 1}
	_, _, err := ReadMeasured(a.write(t), form, nil)
	messagetest.Names(t, err, "series[1] … no values")
	left := ""
	all, _, err := ReadMeasured(a.write(t), form, func(name string, _ error) { left = name })
	require.NoError(t, err)
	assert.Len(t, all, 1)
	assert.Equal(t, "1", left)

	_, _, err = ReadMeasured(a.write(t), &recording.Form{Sensors: []string{"a"}, Channels: 1}, nil)
	messagetest.Names(t, err, "[2 2 2] … [samples, 1, timepoints]")
	_, _, err = ReadMeasured(path4().write(t), form, nil)
	messagetest.Names(t, err, "features … recordings")
	origin := &recording.Form{Sensors: []string{"a", "b"}, Channels: 1, Origin: "a"}
	_, _, err = ReadMeasured(a.write(t), origin, nil)
	messagetest.Names(t, err, "name and import")
	a["recording"] = vectorOf(`{"sensors":["a","b"],"channels":1,"origin":"a"}`)
	_, _, err = ReadMeasured(a.write(t), origin, nil)
	messagetest.Names(t, err, `"a" … recordings that were imported`)
}
