package training

import (
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/floats"
)

// A network that predicts alone gives the held-out samples scores at its temperature.
func TestConformalOfANetworkAlone(t *testing.T) {
	trial := &heldOutTrial{data: &datasets.Dataset{}, heldOut: heldOut{labels: []int32{1, 0}, shares: []float64{0.5, 0.5},
		network: [][]float64{{0.3, 0.7}, {0.8, 0.2}}}}
	c := trial.conformal(transforms.Mixture{}, &models.Calibration{Temperature: 0.5})
	assert.InDeltaSlice(t, []float64{0.04 / 0.68, 0.09 / 0.58}, c.Scores, 1e-12)
	assert.Equal(t, []int{1, 1}, c.PerClass)
	assert.Zero(t, c.Groups)
}

// twoClasses has six samples in three groups. The third class has a single group.
func twoClasses() *datasets.Dataset {
	d := &datasets.Dataset{Groups: []string{"a", "a", "b", "b", "c", "c"}}
	d.Labels, d.ClassNames = []int32{0, 1, 0, 1, 2, 2}, []string{"p", "q", "r"}
	d.Train = []int{1, 2, 3, 0, 5, 4}
	return d
}

// ofLogits returns a reading without a forest.
func ofLogits(x ...float32) transforms.Reading { return transforms.Reading{Ridge: x} }

// Samples held out in turn are found by their numbers among the training samples. Those of a class with one group are
// left out, so that the class has no p-value, and so are mirror images.
func TestInTurn(t *testing.T) {
	held := transforms.HeldOut{Samples: []int{0, 1, 2, 3, 4, 5, 6}}
	for at := range held.Samples {
		held.Readings = append(held.Readings, ofLogits(float32(at), 0, 0))
	}
	each := inTurnOf(twoClasses(), held)
	assert.Equal(t, []int32{1, 0, 1, 0}, each.labels)
	assert.Equal(t, []int{0, 1, 1, 0}, each.units)
	assert.Equal(t, map[int]int{1: 0, 2: 1, 3: 2, 0: 3}, each.at)
	assert.True(t, each.suits(plain))
	c := each.predictor(plain, nil)
	assert.Len(t, c.Scores, 4)
	assert.Equal(t, []int{2, 2, 0}, c.PerClass)
	assert.Equal(t, 2, c.Groups)

	withForest, withNetwork := plain, plain
	withForest.ForestWeight, withNetwork.Weight = 0.4, 0.7
	assert.False(t, each.suits(withForest), "no forest was held out")
	assert.False(t, each.suits(withNetwork), "no network was held out")
	assert.False(t, inTurnOf(twoClasses(), transforms.HeldOut{}).suits(plain))
}

// Beside a network, whose predictions are the quarter's, the ridge classifier's are of samples held out in turn, where
// these are known.
func TestConformalBesideANetwork(t *testing.T) {
	d := twoClasses()
	d.Test = []int{0, 5}
	trial := &heldOutTrial{data: d, heldOut: heldOut{labels: []int32{0, 2}, units: []int{0, 1}, shares: make([]float64, 3),
		readings: []transforms.Reading{ofLogits(0, 9, 0), ofLogits(0, 0, 2)},
		network:  [][]float64{{0.2, 0.4, 0.4}, {0.3, 0.3, 0.4}}}}
	trial.inTurn = inTurnOf(d, transforms.HeldOut{Samples: []int{3}, Readings: []transforms.Reading{ofLogits(5, 0, 0)}})
	m := plain
	m.Weight = 0.5
	c := trial.conformal(m, nil)
	want := []float64{1 - m.Probabilities(ofLogits(5, 0, 0), trial.network[0])[0],
		1 - m.Probabilities(ofLogits(0, 0, 2), trial.network[1])[2]}
	assert.InDelta(t, floats.Min(want), c.Scores[0], 1e-6)
	assert.InDelta(t, floats.Max(want), c.Scores[1], 1e-6)
	assert.Equal(t, 2, c.Groups)
	assert.Equal(t, ofLogits(0, 9, 0), trial.readings[0], "which weighing reads, too")
}
