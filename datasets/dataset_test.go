package datasets

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// small is a hand-made data set: 6 samples of 2 nodes and 2 channels, 2 classes.
func small(t *testing.T) *Dataset {
	t.Helper()
	graph, err := affinity.New(2, []affinity.Edge{{I: 0, J: 1, Weight: 1}})
	require.NoError(t, err)
	return &Dataset{
		Name: "small", Info: signal.Info{Nodes: 2, Channels: 2, ClassNames: []string{"a", "b"}, Mean: []float32{4, 5},
			Std: []float32{2, 1}}, Signals: &Floats{Size: 4, Values: []float32{
			1, 5, 3, 5,
			5, 5, 7, 5,
			0, 1, 0, 1,
			2, 2, 2, 2,
			9, 9, 9, 9,
			4, 3, 2, 1,
		}},
		Labels: []int32{0, 1, 0, 1, 0, 1},
		Train:  []int{0, 1}, Validation: []int{2, 3}, Test: []int{4, 5},
		Affinity: graph, Provenance: "by hand",
	}
}

func TestSampleAndChannelStats(t *testing.T) {
	d := small(t)
	require.NoError(t, d.Validate())
	mean, std := d.ChannelStats(d.Train) // channel 0: 1 3 5 7; channel 1: 5 5 5 5
	assert.Equal(t, []float32{4, 5}, mean)
	assert.Equal(t, []float32{float32(math.Sqrt(5)), 0}, std)

	dst := make([]float32, 4)
	d.Sample(2, dst)
	assert.Equal(t, []float32{-2, -4, -2, -4}, dst)

	mean, std = d.ChannelStats(nil)
	assert.Equal(t, []float32{0, 0}, mean)
	assert.Equal(t, []float32{0, 0}, std)
}

func TestChannelStatsOfLargeAndConstantValues(t *testing.T) {
	// 1e6 ± 0.5: a sum of squares in one pass would lose the deviation in float32 and most of it in float64.
	signals := &Floats{Size: 2}
	for i := range 1000 {
		signals.Values = append(signals.Values, 1e6+float32(i%2)-0.5, 0.1)
	}
	d := &Dataset{Info: signal.Info{Nodes: 1, Channels: 2}, Signals: signals, Train: make([]int, 1000)}
	for i := range d.Train {
		d.Train[i] = i
	}
	mean, std := d.ChannelStats(d.Train)
	assert.Equal(t, []float32{1e6, 0.1}, mean)
	assert.Equal(t, float32(0.5), std[0])
	assert.Equal(t, float32(0), std[1], "0.1 is not exact, yet a constant channel has no deviation")

	d.standardise()
	assert.Equal(t, []float32{0.5, 1}, d.Std)
	require.Len(t, d.Warnings, 1)
	assert.Contains(t, d.Warnings[0], "channel 1 is constant (0.1)")
}

func TestSignals(t *testing.T) {
	planar := &Bytes{Records: []byte{9, 0, 255, 51, 102, 8, 1, 2, 3, 4}, Record: 5, Skip: 1, Nodes: 2, Channels: 2,
		Planar: true, Scale: 255}
	require.Equal(t, 2, planar.Len())
	dst := make([]float32, 4)
	planar.Read(0, dst)
	assert.Equal(t, []float32{0, 0.2, 1, 0.4}, dst)

	flat := &Bytes{Records: []byte{1, 2, 3, 4, 5, 6, 7, 8}, Record: 4, Nodes: 2, Channels: 2, Scale: 1}
	flat.Read(1, dst)
	assert.Equal(t, []float32{5, 6, 7, 8}, dst)

	assert.Zero(t, (&Bytes{}).Len())
	assert.Zero(t, (&Floats{}).Len())
}

func TestValidate(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	other, err := affinity.New(3, nil)
	require.NoError(t, err)
	for want, spoil := range map[string]func(*Dataset){
		`"ab" … fewer than 3`:                 func(d *Dataset) { d.Name = "ab" },
		"0 nodes and 2 channels":              func(d *Dataset) { d.Nodes = 0 },
		"no samples":                          func(d *Dataset) { d.Signals = nil },
		"no graph":                            func(d *Dataset) { d.Affinity = nil },
		"graph … 3 nodes … samples have 2":    func(d *Dataset) { d.Affinity = other },
		"5 labels for 6 samples":              func(d *Dataset) { d.Labels = d.Labels[:5] },
		"1 class … at least 2":                func(d *Dataset) { d.ClassNames = d.ClassNames[:1] },
		"labels[3] is 2, outside 0 to 1":      func(d *Dataset) { d.Labels[3] = 2 },
		"labels[0] is -1, outside 0 to 1":     func(d *Dataset) { d.Labels[0] = -1 },
		"train split … empty":                 func(d *Dataset) { d.Train = nil },
		"test split … empty":                  func(d *Dataset) { d.Test = nil },
		"test[1] … sample 6 … outside 0 to 5": func(d *Dataset) { d.Test[1] = 6 },
		"test[0] … sample 1 … train":          func(d *Dataset) { d.Test[0] = 1 },
		"train[1] … sample 0 … train":         func(d *Dataset) { d.Train[1] = 0 },
		"1 means … 2 deviations … 2 channels": func(d *Dataset) { d.Mean = d.Mean[:1] },
		"channel 1 … mean 5 … deviation 0":    func(d *Dataset) { d.Std[1] = 0 },
		"channel 0 has mean NaN":              func(d *Dataset) { d.Mean[0] = nan },
		"sample 1, node 1 … channel 0 … NaN":  func(d *Dataset) { d.Signals.(*Floats).Values[6] = nan },
		"sample 5, node 0 … channel 1 … -Inf": func(d *Dataset) { d.Signals.(*Floats).Values[21] = inf },
	} {
		d := small(t)
		spoil(d)
		messagetest.Names(t, d.Validate(), "data set "+d.Name+" … "+want)
	}
	d := small(t)
	d.Validation = nil
	assert.NoError(t, d.Validate(), "nobody needs to validate")
}

func TestOddities(t *testing.T) {
	d := small(t)
	var err error
	d.Affinity, err = affinity.New(2, []affinity.Edge{{I: 0, J: 0, Weight: 1}})
	require.NoError(t, err)
	d.ClassNames = []string{"0", "cat", "2"}
	d.Validation = []int{2}
	d.warnOddities()
	messagetest.EachNames(t, d.Warnings,
		"graph is disconnected … 2 components … 2 nodes without neighbours",
		"graph … self-loops … 1",
		"no samples of 1 … 0 to 2 … such as 2 … numpy.unique … labels.astype(str)",
		"class 1 (cat) … no validation sample")
}
