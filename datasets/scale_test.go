package datasets

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

// heldOut makes a data set anew with validation samples.
func heldOut(t *testing.T, d *Dataset, share float64, seed uint64) *Dataset {
	t.Helper()
	held, err := Make(&d.Raw, d.Raw.HoldOut(d.Split, share, seed))
	require.NoError(t, err)
	return held
}

// A scale or a graph that the caller has given with the raw samples is kept when validation samples are held out. What
// was made of all training samples is made anew.
func TestHoldOutKeepsWhatIsTheCallers(t *testing.T) {
	a := path4().with("edges", nil)
	own := a.load(t, Options{KNN: 2})
	own.Scale = func(*Raw, []int) (mean, std []float32) { return []float32{1, 2}, []float32{3, 4} }
	held := heldOut(t, own, 0.3, 0)
	require.NotEmpty(t, held.Validation)
	assert.Equal(t, []float32{1, 2}, held.Mean)
	assert.Equal(t, []float32{3, 4}, held.Std)

	path, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1},
		{I: 2, J: 3, Weight: 1}})
	require.NoError(t, err)
	own = a.load(t, Options{KNN: 2})
	own.Graph = path
	held = heldOut(t, own, 0.3, 0)
	assert.Same(t, path, held.Affinity)

	own = path4().load(t, Options{})
	own.Train = own.Train[:10]
	held = heldOut(t, own, 0.3, 0)
	mean, std := own.ChannelStats(held.Train)
	assert.Equal(t, mean, held.Mean)
	assert.Equal(t, std, held.Std)
	assert.NotEqual(t, mean, own.Mean, "the test needs samples that matter")
}

// A graph that cannot be made without the validation samples is an error: the one of before has seen them.
func TestHoldOutOfAGraphThatFails(t *testing.T) {
	d := path4().with("edges", nil).load(t, Options{KNN: 2})
	d.Scale = func(*Raw, []int) (mean, std []float32) { return d.Mean, []float32{1e-38, 1} }
	_, err := Make(&d.Raw, d.Raw.HoldOut(d.Split, 0.3, 0))
	messagetest.Names(t, err, "mine.npz … 11 samples … row 0 … coordinate 0 … -Inf")
}

// ward is 20 recordings of two sensors at two time points whose units differ; from sample 15 on both are far from the
// others'. recording is what an import says.
func ward(recording string) arrays {
	var series []float32
	labels := make([]int64, 20)
	for i := range labels {
		labels[i] = int64(i % 2)
		for sensor, base := range []float32{60, 36} {
			for frame := range 2 {
				v := base + []float32{20, 1}[sensor]*float32(frame)
				if i >= 15 {
					v += []float32{100, 10}[sensor] * float32(i)
				}
				series = append(series, v)
			}
		}
	}
	a := arrays{"series": {Shape: []int{20, 2, 2}, Data: series}, "labels": vectorOf(labels...)}
	if recording != "" {
		a["recording"] = vectorOf(fmt.Sprintf(`{"sensors":["pulse","heat"],"channels":1%s}`, recording))
	}
	return a
}

// Sensors of an import that says so are scaled one by one, over the samples that are trained on: those of the split, of
// a fold, or of what validation leaves.
func TestScaleBySensor(t *testing.T) {
	split := make([]int64, 20)
	for i := 15; i < 20; i++ {
		split[i] = 2
	}
	d := ward(`,"scale":true`).with("split", vectorOf(split...)).load(t, Options{})
	assert.Equal(t, []float32{70, 36.5}, d.Mean)
	assert.Equal(t, []float32{10, 0.5}, d.Std)
	x := make([]float32, 4)
	d.Sample(3, x)
	assert.Equal(t, []float32{-1, -1, 1, 1}, x)
	require.NoError(t, d.Validate())

	own := func(d *Dataset) {
		t.Helper()
		for sensor := range 2 {
			sum, squares, n := 0.0, 0.0, float64(2*len(d.Train))
			for _, i := range d.Train {
				d.Sample(i, x)
				for frame := range 2 {
					v := float64(x[2*frame+sensor])
					sum, squares = sum+v, squares+v*v
				}
			}
			assert.InDelta(t, 0, sum/n, 1e-5)
			assert.InDelta(t, 1, squares/n, 1e-4)
		}
	}
	for number := 1; number <= 5; number++ {
		own(ward(`,"scale":true`).load(t, Options{Fold: Fold{Number: number, Of: 5}}))
		own(ward("").load(t, Options{Fold: Fold{Number: number, Of: 5}})) // since they differ
	}
	drawn := ward(`,"scale":true`).load(t, Options{})
	own(drawn)
	held := heldOut(t, drawn, 0.3, 0)
	own(held)
	assert.NotEqual(t, drawn.Mean, held.Mean)
	assert.Equal(t, ward(`,"scale":true`).load(t, Options{Validation: 0.3}).Mean, held.Mean)

	assert.Len(t, ward(`,"scale":false`).load(t, Options{}).Mean, 1, "not scaled")
}

// A sensor that does not change is named.
func TestConstantSensor(t *testing.T) {
	a := ward(`,"scale":true`)
	for i := range 20 {
		a["series"].Data.([]float32)[4*i], a["series"].Data.([]float32)[4*i+1] = 7, 7
	}
	d := a.load(t, Options{})
	messagetest.OneNames(t, d.Warnings, `"pulse" … constant … 7`)
	assert.Equal(t, float32(1), d.Std[0])
}

// A file that is there to be tested needs no split, no graph and no more than one sample.
func TestWhole(t *testing.T) {
	graph := path4().load(t, Options{}).Affinity
	for _, samples := range []int{1, 20} {
		a := path4().with("edges", nil)
		a["features"] = &npz.Array{Shape: []int{samples, 4, 2}, Data: a["features"].Data.([]float32)[:samples*8]}
		a["labels"] = vectorOf(a["labels"].Data.([]int64)[:samples]...)
		a["class_names"] = vectorOf("no", "yes")
		d := a.load(t, Options{Whole: true, Graph: graph})
		assert.Equal(t, loop.Indices(samples), d.Test)
		assert.Empty(t, d.Train)
		assert.Len(t, d.Warnings, map[int]int{1: 1}[samples], "a class without a sample")
		assert.Same(t, graph, d.Affinity)
	}
	split := make([]int64, 20)
	split[3], split[4] = 2, 2
	d := path4().with("split", vectorOf(split...)).load(t, Options{Whole: true})
	assert.Equal(t, []int{3, 4}, d.Test, "its own split")
	assert.NotSame(t, graph, d.Affinity, "its own graph")
}

// Frames, scale, lengths and links of recordings are those that Load learns without the validation samples.
func TestHoldOutOfRecordings(t *testing.T) {
	series, lengths, labels := make([]float32, 40*9*30), make([]int64, 40), make([]int64, 40)
	for i := range labels {
		labels[i], lengths[i] = int64(i%2), int64(1+(i*i*7)%30)
		for at := range 9 * 30 {
			series[i*270+at] = float32(i * (at/30*at%7 - 3) % (5 + at/30))
		}
		for at := range 30 {
			series[i*270+at] *= float32(i) * 0.1 // its deviation tells whether sensors are normalised one by one
		}
	}
	a := arrays{"series": {Shape: []int{40, 9, 30}, Data: series}, "lengths": vectorOf(lengths...),
		"labels": vectorOf(labels...)}
	frames := map[int]bool{}
	for seed := range uint64(6) {
		want, all := a.load(t, Options{Validation: 0.5, Seed: seed}), a.load(t, Options{Seed: seed})
		got := heldOut(t, all, 0.5, seed)
		assert.Empty(t, want.Fingerprint().Differences(got.Fingerprint()))
		assert.Equal(t, want.Form, got.Form)
		assert.Equal(t, want.Notes, got.Notes)
		assert.Equal(t, want.Grid, got.Grid)
		assert.Equal(t, want.Signals.(*framed).form, got.Form)
		assert.Equal(t, all.Form, a.load(t, Options{Seed: seed}).Form, "the data set itself stays as it was")
		frames[got.Form.Frames-all.Form.Frames] = true
	}
	assert.Greater(t, len(frames), 1, "the test needs samples that matter")

	all := a.load(t, Options{})
	all.Scale = func(*Raw, []int) (mean, std []float32) { return []float32{1}, []float32{2} } // the caller's
	all.Recorded.Scale = new(bool)
	got := heldOut(t, all, 0.5, 0)
	assert.Equal(t, []float32{1}, got.Mean)
	assert.False(t, got.Form.Alone())
	for at := range 30 {
		series[at] = nan32 // of the first sensor
	}
	got = heldOut(t, a.load(t, Options{}), 0.5, 0)
	messagetest.OneNames(t, got.Warnings, "missing values … HoldOut … Validation")
}
