package models

import (
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On a grid, cut and directed, every level is a convolution with zero padding, by the graph alone: a slot is one
// displacement, in the filters that pool (4x4, stride 2) and in those of the blocks (3x3); where it leads off the
// grid there is nothing.
func TestDirectedLevelsAreConvolutions(t *testing.T) {
	const side = 16
	graph, err := affinity.Grid(side, side, 8)
	require.NoError(t, err)
	s := Spec{Model: "ccp", Levels: mustLevels("64x2/16,16x2/16,1x2/16"), Hidden: nil,
		Info: signal.Info{Nodes: side * side, Channels: 1, ClassNames: make([]string, 2)},
		Options: settings(Patch{"ccp_hierarchy": ccp.Prepared, "ccp_search": "cut", "ccp_slots": "directed",
			"ccp_padding": "zeros",
			"ccp_blocks":  "0,1,1"})}
	require.NoError(t, s.Check())
	store := drawn(t, backendtest.Go(t), s, graph)

	positions := make([][]float64, side*side) // of the pixels; clusters lie in the middle of their members
	for i := range positions {
		positions[i] = []float64{float64(i / side), float64(i % side)}
	}
	for i, step := range []float64{1, 2} {
		cluster := tensors.MustCopyFlatData[int32](store.GetVariable(variables.Network + levelName(i) +
			"/clusters").MustValue())
		centres := centresOf(positions, cluster, s.Levels[i].Clusters)
		level := readTables(t, s, store, graph, i)
		for _, f := range []struct {
			slots slotted
			taps  map[[2]float64]bool
		}{
			{slotted{level[0].nodes, level[0].ranks, positions, centres}, square(4, step)},
			{slotted{level[1].nodes, level[1].ranks, centres, centres}, square(3, 2*step)},
		} {
			requireConvolution(t, f.slots, f.taps, side, i+1)
		}
		positions = centres
	}
}

// requireConvolution fails unless each slot of neighbourhoods is one of the taps, and empty where the tap is off the
// grid.
func requireConvolution(t *testing.T, slots slotted, taps map[[2]float64]bool, side float64, level int) {
	t.Helper()
	size := len(taps)
	inside := func(at [2]float64) bool {
		return min(at[0], at[1]) >= 0 && max(at[0], at[1]) <= side-1
	}
	for slot := range size {
		var shift [2]float64
		for at := slot; at < len(slots.nodes); at += size {
			if slots.ranks[at] > 0 {
				shift = between(slots.centres[at/size], slots.positions[slots.nodes[at]])
			}
		}
		assert.True(t, taps[shift], "level %d: %v is none of %d taps, or already another slot's", level,
			shift, size)
		delete(taps, shift)
		for at := slot; at < len(slots.nodes); at += size {
			centre := slots.centres[at/size]
			there := [2]float64{centre[0] + shift[0], centre[1] + shift[1]}
			require.Equal(t, inside(there), slots.ranks[at] > 0, "level %d, slot %v of the cluster at %v",
				level, shift, centre)
			if inside(there) {
				require.Equal(t, shift, between(centre, slots.positions[slots.nodes[at]]))
			}
		}
	}
}

// slotted are neighbourhoods, and the positions of their nodes and centres.
type slotted struct {
	nodes              []int32
	ranks              []float64
	positions, centres [][]float64
}

// readTables are the neighbourhoods that store holds for level i: those it pools, and those of its blocks.
func readTables(t *testing.T, s Spec, store *model.Store, graph *affinity.Matrix, i int) (p [2]slotted) {
	t.Helper()
	levels, err := s.preparation(graph).Read(store.Scope(networkPath), 0)
	require.NoError(t, err)
	read := levels[i]
	for k, neighbourhood := range read.Neighbourhoods {
		p[0].nodes = append(p[0].nodes, neighbourhood...)
		for _, rank := range read.Ranks[k] {
			p[0].ranks = append(p[0].ranks, float64(rank))
		}
	}
	p[1].nodes = read.Around
	for _, is := range read.Present {
		p[1].ranks = append(p[1].ranks, float64(is))
	}
	return p
}

// square are the displacements of n x n taps, so far apart.
func square(n int, step float64) map[[2]float64]bool {
	taps := map[[2]float64]bool{}
	for y := range n {
		for x := range n {
			taps[[2]float64{step * (float64(y) - float64(n-1)/2), step * (float64(x) - float64(n-1)/2)}] = true
		}
	}
	return taps
}

func between(a, b []float64) [2]float64 { return [2]float64{b[0] - a[0], b[1] - a[1]} }

// What a stem sees is kept where its slots are directed: another machine may round the positions otherwise. After one
// cluster there is no block, whatever the setting.
func TestStemIsKept(t *testing.T) {
	graph, err := affinity.Grid(6, 6, 8)
	require.NoError(t, err)
	backend := backendtest.Go(t)
	for slots, kept := range map[string]bool{"directed": true, "rank": false} {
		s := Spec{Model: "ccp", Levels: mustLevels("9x4/9,1x4/4"), Hidden: nil,
			Info: signal.Info{Nodes: 36, Channels: 1, ClassNames: make([]string, 2)},
			Options: settings(Patch{"ccp_hierarchy": ccp.Prepared, "ccp_slots": slots, "ccp_stem": 2,
				"ccp_blocks": "0,2,2"})}
		var parts []string
		for _, l := range s.Layers() {
			parts = append(parts, l.Part)
		}
		assert.Equal(t, []string{"stem", "level_1", "level_1/block_1/1", "level_1/block_1/2", "level_1/block_2/1",
			"level_1/block_2/2", "level_2"}, parts)
		store := drawn(t, backend, s, graph)
		v, p := store.GetVariable("/model/stem/around_present"), s.preparation(graph)
		assert.Equal(t, kept, v != nil)
		around, present, err := p.Input(s.NewStore(0).Scope(networkPath))
		require.NoError(t, err)
		gotAround, gotPresent, err := p.Input(store.Scope(networkPath))
		require.NoError(t, err)
		assert.Equal(t, around, gotAround)
		assert.Equal(t, present, gotPresent)
		if kept {
			require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(make([]float32, 36*9), 36, 9)))
			_, gotPresent, err = p.Input(store.Scope(networkPath))
			require.NoError(t, err)
			assert.NotContains(t, gotPresent, float32(1), "it is what was kept")
		}
	}
}

func TestLevelBlocksCheck(t *testing.T) {
	spec := Spec{Options: DefaultOptions(), Model: "ccp", Levels: mustLevels("4x6/4,1x8/3"), Hidden: nil,
		Info: signal.Info{Nodes: 12, Channels: 1, ClassNames: make([]string, 2)}}
	for _, c := range []struct {
		settings map[string]any
		want     string
	}{
		{map[string]any{"ccp_blocks": "1,one"}, "ccp_blocks=1,one … whole numbers from 0 … 1 or 0,1,1"},
		{map[string]any{"ccp_blocks": "-1"}, "ccp_blocks=-1 … whole numbers"},
		{map[string]any{"ccp_blocks": "0,0,0,0"}, "ccp_blocks=0,0,0,0 … 3 levels … 2"},
		{map[string]any{"ccp_search": "cut"}, "ccp_search=cut … searched … learned … ccp_hierarchy=prepared"},
		{map[string]any{"ccp_hierarchy_seed": 3}, "ccp_hierarchy_seed=3 … searched … learned … ccp_hierarchy=prepared"},
		{map[string]any{"ccp_hierarchy": ccp.Prepared, "ccp_search": "cut", "ccp_hierarchies": 2},
			"ccp_hierarchies=2 … ccp_search=cut … one hierarchy only"},
		{map[string]any{"ccp_search": "saw"}, "ccp_search=saw … anneal, cut"},
	} {
		spec.Options = settings(c.settings)
		messagetest.Names(t, spec.Check(), c.want)
	}
	spec.Options = settings(Patch{"ccp_blocks": "1,one"})
	assert.Panics(t, func() { spec.blocks(1) }, "no blocks would be another network")
	spec.Options = settings(Patch{"ccp_hierarchy": ccp.Prepared, "ccp_search": "cut"})
	assert.NoError(t, spec.Check())
	spec.Options = settings(Patch{"ccp_hierarchy": ccp.Prepared, "ccp_search": "cut"})
}
