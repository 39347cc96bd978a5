package datasets

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// pathOfFour is a data set of 40 samples on a path of 4 nodes, 2 channels, made anew.
func pathOfFour(t *testing.T) *Dataset {
	t.Helper()
	features, labels := make([]float32, 40*4*2), make([]int32, 40)
	for i := range features {
		features[i] = float32(i*i%97) / 7
	}
	for i := range labels {
		labels[i] = int32(i % 2)
	}
	graph, err := affinity.New(4,
		[]affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 2, J: 3, Weight: 1}})
	require.NoError(t, err)
	d, err := New("path", features, labels, graph, Options{})
	require.NoError(t, err)
	return d
}

func TestFingerprint(t *testing.T) {
	was := pathOfFour(t).Fingerprint()
	assert.Empty(t, was.Differences(pathOfFour(t).Fingerprint()))
	raw, err := json.Marshal(was)
	require.NoError(t, err)
	var kept Fingerprint
	require.NoError(t, json.Unmarshal(raw, &kept))
	assert.Equal(t, was, kept)
	for want, change := range map[string]func(d *Dataset){
		"features": func(d *Dataset) { d.Signals.(*Floats).Values[3] = -1 },
		"labels":   func(d *Dataset) { d.Labels[0], d.Labels[1] = 1, 0 },
		"graph": func(d *Dataset) {
			d.Affinity, _ = affinity.New(4, []affinity.Edge{{I: 0, J: 2, Weight: 1}, {I: 1, J: 2, Weight: 1},
				{I: 2, J: 3, Weight: 1}})
		},
		"graph … was 3 … is 1": func(d *Dataset) {
			d.Affinity,
				_ = affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}})
		},
		"groups … was 0 … is 40":        func(d *Dataset) { d.Groups = slices.Repeat([]string{"a", "b"}, 20) },
		"scale":                         func(d *Dataset) { d.Std[0] *= 2 },
		"split":                         func(d *Dataset) { d.Train[0], d.Test[0] = d.Test[0], d.Train[0] },
		"split (was 32/0/8, is 28/4/8)": func(d *Dataset) { d.Validation, d.Train = d.Train[:4], d.Train[4:] },
	} {
		d := pathOfFour(t)
		change(d)
		messagetest.EachNames(t, was.Differences(d.Fingerprint()), want)
	}
	other := pathOfFour(t)
	other.Coordinates = []float64{1, 2, 3, 4}
	assert.Equal(t, []string{"graph"}, was.Differences(other.Fingerprint()), "directed slots depend on them")
	other = pathOfFour(t)
	other.Form = &recording.Form{Sensors: []string{"a", "b"}, Channels: 2, Frames: 2}
	imported := other.Fingerprint()
	messagetest.EachNames(t, imported.Differences(was), "import … is none")
	other.Form.Frames = 1
	assert.Equal(t, []string{"import"}, imported.Differences(other.Fingerprint()))
	assert.Empty(t, Fingerprint{}.Differences(was), "an earlier version kept fewer parts")
}

// Transforms use a recording whole, also what its frames lose, such as its direction.
// The direction of links is part of the graph, and data without has the fingerprint of before there were directions.
func TestFingerprintOfDirections(t *testing.T) {
	d := pathOfFour(t)
	was := d.Fingerprint()
	d.Directed = [][2]int{{1, 0}}
	there := d.Fingerprint()
	d.Directed = [][2]int{{0, 1}}
	assert.Equal(t, []string{"graph"}, was.Differences(there))
	assert.Equal(t, []string{"graph"}, there.Differences(d.Fingerprint()))
}

func TestFingerprintOfRecordings(t *testing.T) {
	a, _ := lab()
	values := a["series"].Data.([]float32)
	for i, v := range values {
		if v != v {
			values[i] = 0
		}
	}
	was := a.load(t, Options{Frames: 1}).Fingerprint()
	assert.Empty(t, was.Differences(a.load(t, Options{Frames: 1}).Fingerprint()))
	for series := range slices.Chunk(values, 12) {
		for timepoint := range 3 {
			for axis := range 2 {
				series[2*timepoint+axis], series[10-2*timepoint+axis] = series[10-2*timepoint+axis], series[2*timepoint+axis]
			}
		}
	}
	back := a.load(t, Options{Frames: 1}).Fingerprint()
	require.Equal(t, was.Parts["features"], back.Parts["features"], "the test needs equal frames")
	assert.Equal(t, []string{"recordings"}, was.Differences(back))
	delete(was.Parts, "recordings")
	assert.Empty(t, was.Differences(back), "an earlier version did not keep them")
}

func TestTrainedOn(t *testing.T) {
	d := pathOfFour(t)
	f := d.Fingerprint()
	assert.Len(t, f.Trained, 8*len(d.Train))
	assert.Equal(t, 32, f.TrainedOn(d, d.Train))
	assert.Zero(t, f.TrainedOn(d, d.Test))
	assert.Equal(t, 32, f.TrainedOn(d, slices.Concat(d.Test, d.Train)))

	// The order of the samples and their labels do not matter, their values do.
	other := pathOfFour(t)
	values := other.Signals.(*Floats).Values
	first := slices.Clone(values[8*d.Train[0] : 8*d.Train[0]+8])
	copy(values[8*d.Train[0]:], values[8*d.Test[0]:8*d.Test[0]+8])
	copy(values[8*d.Test[0]:], first)
	assert.Equal(t, 1, f.TrainedOn(other, d.Test))
	values[8*d.Test[0]] += 1e-3
	assert.Zero(t, f.TrainedOn(other, d.Test))
}

// Signals that take the place of others have their own hashes, though those of the others are kept.
func TestFingerprintOfOtherSignals(t *testing.T) {
	d := pathOfFour(t)
	was := d.Fingerprint()
	assert.Equal(t, was, d.Fingerprint(), "from what was kept")
	other := *d
	floats := d.Signals.(*Floats)
	other.Signals = &Floats{Values: append(slices.Clone(floats.Values[:8*39]), make([]float32, 8)...), Size: 8}
	assert.Equal(t, []string{"features"}, was.Differences(other.Fingerprint()))
	assert.Equal(t, was, d.Fingerprint())
}
