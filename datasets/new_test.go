package datasets

import (
	"fmt"
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewIsAsFromAFile(t *testing.T) {
	want := path4().load(t, Options{Seed: 3, Validation: 0.25})
	a := path4()
	labels := make([]int32, 20)
	for i, label := range a["labels"].Data.([]int64) {
		labels[i] = int32(label)
	}
	d, err := New("path", a["features"].Data.([]float32), labels, want.Affinity, Options{Seed: 3, Validation: 0.25})
	require.NoError(t, err)
	// of the drawn splits, which New documents
	want.Finite = false // which the reader of a file has looked at
	want.Name, want.Provenance, want.Warnings = "path", d.Provenance, want.Warnings[1:]
	assert.ElementsMatch(t, want.Warnings, d.Warnings)
	d.Warnings, want.Warnings, want.Raw.Warnings = nil, nil, nil
	assert.Equal(t, want, d)
}

func TestNewErrors(t *testing.T) {
	pair, err := affinity.New(2, []affinity.Edge{{I: 0, J: 1, Weight: 1}})
	require.NoError(t, err)
	none, err := affinity.New(0, nil)
	require.NoError(t, err)
	ten := make([]float32, 40)
	labels := []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	spoiled := append([]float32(nil), ten...)
	spoiled[5] = float32(math.NaN())
	for _, c := range []struct {
		features []float32
		labels   []int32
		graph    *affinity.Matrix
		opts     Options
		want     string
	}{
		{ten, labels, nil, Options{}, "tiny … no graph"},
		{ten, nil, pair, Options{}, "0 labels and 2 nodes"},
		{ten, labels, none, Options{}, "10 labels and 0 nodes"},
		{nil, labels, pair, Options{}, "0 features … multiple of 10 x 2"},
		{ten[:39], labels, pair, Options{}, "39 features"},
		{ten, append([]int32{10}, labels[1:]...), pair, Options{}, "label 10 … 10 samples"},
		{ten, append([]int32{-1}, labels[1:]...), pair, Options{}, "labels[0] is -1, outside 0 to 1"},
		{ten, make([]int32, 10), pair, Options{}, "labels name 1 class"},
		{spoiled, labels, pair, Options{}, "sample 1, node 0 … channel 1 … NaN"},
		{ten[:4], labels[:2], pair, Options{}, "test split … empty"},
		{ten, labels, pair, Options{Validation: 2}, "validation=2: "},
	} {
		_, err := New("tiny", c.features, c.labels, c.graph, c.opts)
		messagetest.Names(t, err, c.want)
	}
}

func ExampleNew() {
	// 40 samples of 3 sensors in a row, 1 channel each. Class 1 has the larger values.
	row, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var features []float32
	var labels []int32
	for i := range 40 {
		class := i % 2
		labels = append(labels, int32(class))
		for sensor := range 3 {
			features = append(features, float32(10*class+i%5+sensor))
		}
	}
	d, err := New("sensors", features, labels, row, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d.ClassNames = []string{"low", "high"}
	fmt.Println(d.Signals.Len(), d.Nodes, d.Channels, d.ClassNames, d.Validate())
	fmt.Println(len(d.Train), len(d.Validation), len(d.Test))
	// Output:
	// 40 3 1 [low high] <nil>
	// 32 0 8
}
