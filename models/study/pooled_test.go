package study

import (
	"testing"

	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// Folds of one class are pooled: their accuracies are recalls, and differ by their class.
func TestFoldsOfOneClassArePooled(t *testing.T) {
	var p Pooled
	for _, fold := range [][]training.Counted{{{Samples: 10, Right: 9}, {}}, {{}, {Samples: 10, Right: 5}},
		{{Samples: 30, Right: 30}, {}}} {
		assert.True(t, p.add(training.Result{TestClasses: fold}))
	}
	p.settle()
	assert.Equal(t, 50, p.Samples)
	assert.Equal(t, 3, p.OneClass)
	assert.InDelta(t, 44./50, p.Accuracy, 1e-12)
	assert.InDelta(t, (39./40+0.5)/2, p.Balanced, 1e-12)
	assert.False(t, p.add(training.Result{}), "of a result of before")

	line := Line{Name: "fc", Runs: 3, Accuracy: 0.8, Deviation: 0.3, Pooled: &p}
	s := Summary{Lines: []Line{line}}
	assert.Equal(t, "88.0", line.accuracy())
	assert.True(t, s.OnlyPooled())
	messagetest.OneNames(t, s.Pooled(), "fc … 50 held-out … 88.0% … 73.8% … 3 of 3 folds … one class")

	p.OneClass = 0
	assert.Equal(t, "80.0 ± 30.0", line.accuracy())
	assert.False(t, s.OnlyPooled())
}
