package recordings

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pulse and a temperature are of one channel, but not of one scale. The tests do not count.
func TestScale(t *testing.T) {
	text := "sample,time,sensor,value,label\n"
	for i := range 20 {
		for timepoint := range 2 {
			pulse, heat := 60+20*timepoint, 36+timepoint
			if i >= 15 {
				pulse, heat = 70+20*(2*timepoint-1), 500
			}
			text += fmt.Sprintf("s%02d,%d,pulse,%d,%c\ns%02d,%d,heat,%d,%c\ns%02d,%d,off,7.1,%c\n", i, timepoint, pulse,
				'a'+i%2, i, timepoint, heat, 'a'+i%2, i, timepoint, 'a'+i%2)
		}
	}
	path := put(t, t.TempDir(), "ward.csv", text)
	yes, no := true, false
	for _, o := range []Options{{}, {Scale: &yes}} {
		o.Test = "s1[5-9]"
		result, d := imported(t, o, path)
		messagetest.EachNames(t, result.Notes, `sensor "heat" is 500 … 10 of 40 … --gap 500`)
		if o.Scale == nil {
			messagetest.OneNames(t, d.Notes, `"pulse" … 20 times … "heat"`)
		}
		assert.Equal(t, []float32{70, 36.5, 7.1}, d.Mean, "the raw values are in the file")
		assert.InDeltaSlice(t, []float32{-1, -1, 0, 1, 1, 0}, normalised(d, 0), 1e-6)
		assert.InDeltaSlice(t, []float32{-2, 927, 0, 2, 927, 0}, normalised(d, 15), 1e-4)
		assert.True(t, d.Form.Alone())
	}
	for _, o := range []Options{{Scale: &no}, {Origin: "heat"}} {
		o.Test = "s1[5-9]"
		_, d := imported(t, o, path)
		assert.Len(t, d.Mean, 1)
	}
}

// Without a marked test, or with folds, the samples of each training decide.
func TestScaleOfAFold(t *testing.T) {
	text := "sample,time,sensor,value,label\n"
	for i := range 20 {
		for timepoint := range 3 {
			text += fmt.Sprintf("s%02d,%d,pulse,%d,%c\ns%02d,%d,heat,%g,%c\n", i, timepoint, i*i+timepoint, 'a'+i%2, i,
				timepoint, 0.01*float64(i+timepoint), 'a'+i%2)
		}
	}
	path := filepath.Join(t.TempDir(), "made.npz")
	_, err := Import(context.Background(), []string{put(t, t.TempDir(), "ward.csv", text)}, path, Options{})
	require.NoError(t, err)
	for number := range 6 {
		o := datasets.Options{Validation: 0.2}
		if number > 0 {
			o.Fold = datasets.Fold{Number: number, Of: 5}
		}
		d, err := datasets.Load(t.Context(), path, o)
		require.NoError(t, err)
		sums, squares := make([]float64, 2), make([]float64, 2)
		for _, i := range d.Train {
			for at, v := range normalised(d, i) {
				sums[at%2] += float64(v)
				squares[at%2] += float64(v) * float64(v)
			}
		}
		assert.InDeltaSlice(t, []float64{0, 0}, sums, 1e-3)
		n := float64(3 * len(d.Train))
		assert.InDeltaSlice(t, []float64{n, n}, squares, 1e-2)
	}
}

// Sensors that vary alike, but far apart, are lost as well where all are taken alike.
func TestScaleOfSensorsFarApart(t *testing.T) {
	text := "sample,time,sensor,value,label\n"
	for i := range 10 {
		for timepoint := range 2 {
			text += fmt.Sprintf("s%d,%d,oil,%d,%c\ns%d,%d,flow,%d,%c\n", i, timepoint, 60+timepoint, 'a'+i%2, i, timepoint,
				1+2*timepoint, 'a'+i%2)
		}
	}
	_, d := imported(t, Options{}, put(t, t.TempDir(), "plant.csv", text))
	messagetest.Names(t, strings.Join(d.Notes, "; "), "by itself … all sensors together")
	same := strings.NewReplacer("oil,60", "oil,2", "oil,61", "oil,3").Replace(text)
	_, d = imported(t, Options{}, put(t, t.TempDir(), "plant.csv", same))
	assert.Len(t, d.Mean, 1)
}

// normalised is sample i of a data set as a network reads it.
func normalised(d *datasets.Dataset, i int) []float32 {
	out := make([]float32, d.Nodes*d.Channels)
	d.Sample(i, out)
	return out
}
