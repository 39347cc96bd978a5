package training

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models/along"
)

// streamed is a data set of windows of two recordings: a of 10 s, b of 20, a of 30, b of 40, and a of 50 alone. The
// windows of the stretch of 30 are the test.
func streamed() *datasets.Dataset {
	d := &datasets.Dataset{Raw: datasets.Raw{Info: signal.Info{ClassNames: []string{"a", "b"},
		Form: &recording.Form{Longest: 100, Rate: 50, Cut: &recording.Cut{Window: recording.Span{Length: 2},
			Step: recording.Span{Length: 0.5}}}}}}
	at := 0.0
	for i, lasts := range []float64{10, 20, 30, 40, 50} {
		recorded := i / 4
		if i == 4 {
			at = 0
		}
		d.Stretches = append(d.Stretches, datasets.Stretch{Recording: recorded, Start: at, End: at + lasts, Class: i % 2})
		for start := at; start+2 <= at+lasts; start += 0.5 {
			if i == 2 {
				d.Test = append(d.Test, len(d.Windows))
			} else {
				d.Train = append(d.Train, len(d.Windows))
			}
			d.Windows = append(d.Windows, datasets.Window{Stretch: i, Start: start, End: start + 2})
			d.Labels = append(d.Labels, int32(i%2))
		}
		at += lasts
	}
	return d
}

// What is learned along time comes of the training windows alone: neither how long a test stretch lasts, nor what
// follows what across it.
func TestAlongOf(t *testing.T) {
	d := streamed()
	assert.Equal(t, []along.Stretch{{Recording: 1, Class: 0, Lasts: 10}, {Recording: 1, Class: 1, Lasts: 20},
		{Recording: 2, Class: 1, Lasts: 40}, {Recording: 3, Class: 0, Lasts: 50}}, trainedStretches(d))
	m := alongOf(d)
	require.NotNil(t, m)
	assert.True(t, m.Learned)
	assert.Equal(t, 0.5, m.Step)
	assert.Equal(t, 0.25, m.Power)
	assert.InDeltaSlice(t, []float64{(10 + 50 + 30) / 3., (20 + 40 + 30) / 3.}, m.Lasts, 1e-9)

	d.Windows, d.Stretches = nil, nil
	m = alongOf(d)
	assert.False(t, m.Learned)
	assert.Equal(t, 2.0, m.Step, "the length of a recording")
	d.Form = nil
	assert.Nil(t, alongOf(d))
}

// The notice says from when the delay of a change counts; none is said where no change was told.
func TestAlongNotice(t *testing.T) {
	form := &recording.Form{Rate: 10}
	h := &along.HeldOut{Windows: 20, Changes: 3, Missed: 1, Told: 2, Raw: 5, Accuracy: 0.9, RawAccuracy: 0.8, Delay: 1.5}
	messagetest.Names(t, alongNotice(h, form.Lasting), "90.0% … 20 windows … 80.0% alone … 2 … 3 … 5 alone … "+
		"1.5 s after … first whole window … new class")
	for _, missed := range []along.HeldOut{{Windows: 20, Changes: 3, Missed: 3}, {Windows: 20}} {
		assert.NotContains(t, alongNotice(&missed, form.Lasting), " s after")
	}
}
