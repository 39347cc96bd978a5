package hierarchy

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// soft makes memberships out of rows that sum to 1; zeros are left out.
func soft(rows ...[]float64) Memberships {
	m := Memberships{columns: len(rows[0])}
	for _, row := range rows {
		m.add(row, nil)
	}
	return m
}

// twoLevels are 4 nodes, 3 clusters, of which the last is empty, and 2 clusters of these.
func twoLevels() Levels {
	return Levels{
		{Clusters: 3, Neighbours: 2, Choices: 3, Memberships: soft([]float64{0.75, 0.25, 0}, []float64{0.5, 0.5, 0},
			[]float64{0, 1, 0}, []float64{0.25, 0.75, 0}),
			Neighbourhoods: [][]int32{{0, 1}, {2, 1}, {0, 1}}, Gates: [][]float32{{0.5, 0.25}, {0.75, 0.5}, {0.5, 0.5}}},
		{Clusters: 2, Neighbours: 1, Choices: 1, Memberships: Hard([]int32{1, 0, 0}, 2),
			Neighbourhoods: [][]int32{{1}, {0}}, Gates: [][]float32{{0.5}, {0.5}}},
	}
}

func TestMembershipsByHand(t *testing.T) {
	h := twoLevels()
	assert.Equal(t, []int32{0, 0, 1, 1}, h[0].Memberships.Hard(), "the first among equals")
	assert.Equal(t, []int32{0, 0, 1, 1}, h.Hard().Path(1))
	assert.Equal(t, []int32{1, 1, 0, 0}, h.Hard().Path(2))

	inputs := h.Inputs()
	require.Len(t, inputs, 2)
	assert.Equal(t, soft([]float64{0.25, 0.75}, []float64{0.5, 0.5}, []float64{1, 0}, []float64{0.75, 0.25}), inputs[1])
	assert.Equal(t, 4, inputs[1].Nodes())
	assert.InDelta(t, 0.75, inputs[1].Weight(0, 1), 1e-7)
	assert.Zero(t, inputs[1].Weight(2, 1))

	assert.Equal(t, []float64{1.5, 2.5, 0}, h.Mass(1))
	assert.Equal(t, []float64{2.5, 1.5}, h.Mass(2))
}

func TestCentral(t *testing.T) {
	a, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 1, J: 3, Weight: 5},
		{I: 0, J: 0, Weight: 9}})
	require.NoError(t, err)
	h := Levels{{Clusters: 3, Memberships: Hard([]int32{0, 0, 0, 2}, 3)}}
	assert.Equal(t, [][]int32{{1, 0, 2}, nil, {3}}, h.Central(1, h.Inputs()[0], a),
		"links to other clusters and loops do not count")
}

func TestHealthByHand(t *testing.T) {
	health := twoLevels().Health([]float64{0.75, 0.5})
	entropy := func(ps ...float64) (sum float64) {
		for _, p := range ps {
			sum -= p * math.Log(p)
		}
		return sum
	}
	first := health[0]
	assert.InDelta(t, (2*entropy(0.75, 0.25)+entropy(0.5, 0.5))/4/math.Log(3), first.Entropy, 1e-6)
	first.Entropy = 0
	messagetest.EachNames(t, first.Warnings, "level 1 … no neighbourhood … 25% … ccp_hierarchy=prepared")
	first.Warnings = nil
	assert.Equal(t, Health{Level: 1, Nodes: 4, Clusters: 3, Neighbours: 2, Objective: 0.75, InUse: 2, Unselected: 0.25,
		Overlap: (1 + 0.5 + 1) / 3.0, GateLow: 0.25, GateHigh: 0.75}, first)
	assert.Equal(t, 2, health[1].Level)
	assert.Zero(t, health[1].Entropy)
	messagetest.Names(t, health[1].Warnings[0], "2 clusters … L=1 … 2 slots … larger L")
}

// A node counts where its slot is open, not where an empty slot names it.
func TestShutSlotsShowNothing(t *testing.T) {
	h := twoLevels()
	h[0].Gates = [][]float32{{0.5, 0.25}, {0, 0.5}, {0.5, 0.5}} // node 2 is named by the slot that is shut
	assert.Equal(t, 0.5, h.Health(nil)[0].Unselected)
	messagetest.Names(t, h.Health(nil)[0].Warnings[0], "no neighbourhood … 50%")
	assert.Equal(t, 0.75, Coverage([]int32{0, 1, 2, 3}, []float64{1, 1e-30, 0, 2}, 4))
}

// An empty slot repeats a node of its neighbourhood.
func TestOverlapCountsANodeOnce(t *testing.T) {
	assert.InDelta(t, 0.25, overlap([][]int32{{0, 1, 1, 2}, {1, 3, 3, 4}}, 5), 1e-12)
	assert.InDelta(t, 0.5, overlap([][]int32{{0, 0, 1, 1}, {0, 0, 1, 1}}, 2), 1e-12)
}

func TestPath(t *testing.T) {
	c := Clusters{{0, 0, 2, 1, 2}, {1, 0, 0}}
	assert.Equal(t, []int32{1, 1, 0, 0, 0}, c.Path(2))
	assert.Equal(t, []int32{0, 0, 2, 1, 2}, c.Path(1))
	assert.Equal(t, []int32{0, 0, 2, 1, 2}, c[0], "it is left as it was")
	assert.Equal(t, []int32{5, 6, 5}, Clusters{{1, 0, 1}, {6, 5}}.Path(2))
	assert.Empty(t, Clusters{{}}.Path(1))

	const beyond = "hierarchy: … level 3 of 2 … from 1"
	messagetest.Panics(t, func() { c.Path(3) }, beyond)
	messagetest.Panics(t, func() { make(Levels, 2).Mass(3) }, beyond)
	messagetest.Panics(t, func() { make(Levels, 2).Central(3, Memberships{}, nil) }, beyond)
	messagetest.Panics(t, func() { c.Path(0) }, "hierarchy: … level 0 of 2")
	messagetest.Panics(t, func() { Clusters{}.Path(1) }, "hierarchy: … level 1 of 0")
}

// Who uses a prepared hierarchy is not told to use one.
func TestLossOfASearchedHierarchy(t *testing.T) {
	unread := []int32{1, 2, 3, 5, 6, 7, 8}
	assert.Empty(t, Loss(unread, 35, 9, 9, 1), "a fifth")
	loss := Loss(unread, 10, 3, 9, 1)
	messagetest.Names(t, loss, "no neighbourhood … 70% … nodes 1, 2, 3, 5, 6 … 2 more … no links")
	assert.NotContains(t, loss, "prepared")
	assert.NotContains(t, loss, "train longer")
	assert.Contains(t, Loss(unread, 10, 3, 9, 4), "use ccp_hierarchy=prepared")
	messagetest.Names(t, Loss(unread, 10, 1, 3, 1), "1 clusters … L=3 … 3 slots")
}
