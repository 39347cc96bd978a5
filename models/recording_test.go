package models

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

// A signal far outside the training data, or much calmer than any of it, is told of.
func TestOutside(t *testing.T) {
	m := Metadata{Spec: Spec{Info: signal.Info{Nodes: 2, Channels: 2}}}
	assert.Empty(t, m.Outside([]float32{1e9, 0, 0, 0}), "an earlier checkpoint has no range")
	samples := [][]float32{{0, 5, 1, 5}, {-1, 5, 1, 5}}
	m.Measure(len(samples), slices.Values(samples))
	assert.Equal(t, &signal.Range{Least: []float32{-1, 5}, Most: []float32{1, 5}, Spread: []float32{1, 0},
		Stuck: []float32{0.5, 1}}, m.Range)
	for _, s := range append(samples, []float32{3, 5, -3, 10}, []float32{0.7, 0, 1, 5}) {
		assert.Empty(t, m.Outside(s))
	}
	assert.Equal(t, []string{"channel 0 goes from 0 to 3.1, in the training data from -1 to 1; is it in another unit?"},
		m.Outside([]float32{0, 5, 3.1, 5}))
	assert.Equal(t, []string{"channel 0 varies by 0.1, in each training sample by 1 or more; is it in another unit?"},
		m.Outside([]float32{0.5, 5, 0.6, 5}))
	assert.Equal(t,
		[]string{"channel 0 goes from 0 to 3000, in the training data from -1 to 1, and 1 other channels or sensors " +
			"are as odd; is it in another unit?"}, m.Outside([]float32{0, 5000, 3000, 5000}))

	m.Form = &recording.Form{Sensors: []string{"heat"}, Channels: 2, Frames: 2}
	assert.Contains(t, m.Outside([]float32{0, 5, 3.1, 5})[0], `sensor "heat" channel 0 goes`)
	m.Mean = []float32{0, 5}
	m.Measure(len(samples), slices.Values(samples))
	assert.Equal(t, []float32{0.25, 5}, m.Baseline, "of a sensor, over its frames")
}

// A classifier whose training data was no recordings says so.
func TestClassifyRecordingWithoutForm(t *testing.T) {
	c := tinyClassifier(t, backendtest.Go(t))
	_, err := c.ClassifyRecording(t.Context(), recording.Recording{Values: make([]float64, 24)})
	require.ErrorIs(t, err, recording.ErrNoForm)
	require.ErrorAs(t, err, new(*SignalError))
	require.EqualError(t, err, "unusable signal 0: "+recording.ErrNoForm.Error())
	_, err = c.ClassifySeries(t.Context(), [][]float32{{1, 2, 3}})
	require.ErrorIs(t, err, recording.ErrNoForm)
	require.ErrorAs(t, err, new(*SignalError))
}

// A recording has the prediction of its signal, also through a Reloader, and says what was odd about it.
func TestClassifyRecording(t *testing.T) {
	backend := backendtest.Go(t)
	c := tinyClassifier(t, backend)
	c.Form = &recording.Form{Sensors: []string{"hip", "hand", "head"}, Channels: 2, Frames: 4}
	c.Measure(1, slices.Values([][]float32{make([]float32, 24)}))

	signal := make([]float32, 24)
	turned := recording.Recording{Name: "turned", Sensors: []string{"head", "hand", "hip"},
		Times: []float64{0, 1, 2, 3}, Width: 6}
	for i := range signal {
		signal[i] = float32(i) / 8
		frame, sensor := i/6, i%6/2
		turned.Values = append(turned.Values, float64(6*frame+2*(2-sensor)+i%2)/8)
	}
	_, err := c.Classify(t.Context(), [][]float32{signal})
	require.ErrorAs(t, err, new(*SignalError))
	require.ErrorContains(t, err, "a bare slice does not say which of its axes is time")
	want, err := c.ClassifySeries(t.Context(), [][]float32{signal})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "saved")
	require.NoError(t, c.Save(dir))
	r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	newest, release, err := r.Acquire()
	require.NoError(t, err)
	defer func() { require.NoError(t, release()) }()
	for _, classify := range []func(context.Context, ...recording.Recording) ([]Prediction, error){c.ClassifyRecording,
		newest.ClassifyRecording} {
		got, err := classify(t.Context(), turned)
		require.NoError(t, err)
		assert.InDeltaSlice(t, want[0].Probabilities, got[0].Probabilities, 1e-6)
		require.Len(t, got[0].Warnings, 2)
		assert.Contains(t, got[0].Warnings[0], "another order")
		assert.Contains(t, got[0].Warnings[1],
			`sensor "hip" channel 0 goes from 0 to 2.25, in the training data from 0 to 0`)
		nan := slices.Repeat([]float32{float32(math.NaN())}, 24)
		mixed, err := classify(t.Context(), recording.Recording{Name: "b",
			Values: []float64{1, 2, 3, math.Inf(1), 5, 6}}, turned,
			recording.Recording{Series: nan}, recording.Recording{Name: "empty"})
		var wrong *SignalError
		require.ErrorAs(t, err, &wrong)
		require.EqualError(t, err,
			`unusable signal 0: b: sensor "hand" channel 1 at time point 0 is +Inf, which float32 does not hold`)
		require.Len(t, wrong.More, 2)
		assert.ErrorContains(t, wrong.More[0], "unusable signal 2: ")
		assert.EqualError(t, wrong.More[1], "unusable signal 3: empty: it has no values")
		require.Len(t, mixed, 4)
		assert.Equal(t, got[0], mixed[1], "the other recordings have their predictions")
	}

	// Rows are time points. Rows of sensors are an error that says so.
	for _, wrong := range []struct {
		rows, width int
		err         string
	}{
		{3, 8, "its time points have 8 values; want sensors x channels, 3 x 2: its 3 rows look like sensors, and " +
			"must be time points; turn them"},
		{6, 4, "its time points have 4 values; want sensors x channels, 3 x 2: its 6 rows look like sensors, and " +
			"must be time points; turn them"},
		{5, 4, "its time points have 4 values; want sensors x channels, 3 x 2"},
	} {
		r := recording.Recording{Name: "file", Sensors: turned.Sensors,
			Values: make([]float64, wrong.rows*wrong.width), Width: wrong.width}
		_, err = c.ClassifyRecording(t.Context(), r)
		require.EqualError(t, err, "unusable signal 0: file: "+wrong.err)
	}

	// A file that was changed by hand is refused.
	c.Form.Frames = 3
	broken := filepath.Join(t.TempDir(), "broken")
	require.NoError(t, c.Save(broken))
	_, err = Load(broken, LoadOptions{Backend: backend})
	require.ErrorContains(t, err, "its recordings have 3 frames of 3 sensors and 2 channels, its signals 12 nodes "+
		"and 2 channels")
}
