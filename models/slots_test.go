package models

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

// Directed slots hold the nodes and ranks that slots by rank hold, where ranks are positive, in another order. Levels
// differ.
func TestDirectedSlots(t *testing.T) {
	backend := backendtest.Go(t)
	for _, way := range []map[string]any{{"ccp_hierarchy": ccp.Prepared}, {}, {"ccp_candidates": 4}} {
		read := func(slots map[string]any) (levels []map[[2]int]float32, orders [][][]int32) {
			all := maps.Clone(way)
			maps.Copy(all, slots)
			read, _ := gridLevels(t, backend, all)
			for _, level := range read {
				of := map[[2]int]float32{} // the rank of each node of each cluster
				for k, nodes := range level.Neighbourhoods {
					for s, node := range nodes {
						if rank := level.Ranks[k][s]; rank > 0 {
							of[[2]int{k, int(node)}] = rank
						}
					}
				}
				levels, orders = append(levels, of), append(orders, level.Neighbourhoods)
			}
			return levels, orders
		}
		byRank, ranked := read(nil)
		directed, order := read(map[string]any{"ccp_slots": "directed"})
		assert.Equal(t, byRank, directed)
		for i := range 2 {
			assert.NotEqual(t, ranked[i], order[i], "level %d", i+1)
		}
	}
}

// All hierarchies can have directed slots.
func TestDirectedSlotsCheck(t *testing.T) {
	spec := Spec{Options: DefaultOptions(), Model: "ccp", Levels: mustLevels("4x6/4,1x8/3"), Hidden: nil,
		Info: signal.Info{Nodes: 12, Channels: 1, ClassNames: make([]string, 2)}}
	for _, plan := range []ccp.Plan{ccp.Learned, ccp.Random, ccp.TaskOnly, ccp.ObjectiveOnly} {
		spec.Options = settings(Patch{"ccp_hierarchy": plan, "ccp_slots": "directed"})
		assert.NoError(t, spec.Check())
	}
	spec.Options = settings(Patch{"ccp_hierarchy": ccp.Prepared, "ccp_slots": "directed"})
	assert.NoError(t, spec.Check())
	spec.Options = settings(Patch{"ccp_slots": "left"})
	assert.ErrorContains(t, spec.Check(), "ccp_slots=left: it must be one of rank, random, directed")
}

// Where the data has coordinates, slots are directed by these: their displacements agree better than those of slots
// directed by the graph alone. Coordinates that put two nodes at one place are of no use.
func TestDirectedByCoordinates(t *testing.T) {
	const nodes = 60
	points := make([]float64, 2*nodes)
	draw := rand.New(rand.NewPCG(1, 2))
	for i := range points {
		points[i] = draw.Float64()
	}
	graph, err := affinity.KNN(points, nodes, 2, 6, affinity.Euclidean)
	require.NoError(t, err)
	backend := backendtest.Go(t)
	s := Spec{Model: "ccp", Levels: mustLevels("15x4/8,1x4/4"), Hidden: nil,
		Info:    signal.Info{Nodes: nodes, Channels: 1, ClassNames: make([]string, 2)},
		Options: settings(Patch{"ccp_hierarchy": ccp.Prepared, "ccp_slots": "directed", "ccp_stem": 2})}
	positions := slices.Collect(slices.Chunk(points, 2))
	misfits := func(coordinates []float64) (stem, level float64) {
		store := drawn(t, backend, s, graph, coordinates...)
		p, scope := s.preparation(graph), store.Scope(networkPath)
		around, present, err := p.Input(scope)
		require.NoError(t, err)
		levels, err := p.Read(scope, 0)
		require.NoError(t, err)
		read := levels[0]
		return misfit(positions, positions, around, wide(present), nodes, 9),
			misfit(positions, centresOf(positions, read.Memberships.Hard(), 15),
				slices.Concat(read.Neighbourhoods...), wide(slices.Concat(read.Ranks...)), 15, 8)
	}
	graphStem, graphLevel := misfits(nil)
	stem, level := misfits(points)
	t.Logf("misfit of the stem and of level 1: %.3f and %.3f, by the graph alone %.3f and %.3f", stem, level,
		graphStem, graphLevel)
	assert.Less(t, stem, graphStem)
	assert.Less(t, level, graphLevel)
	sameStem, sameLevel := misfits(append(slices.Clone(points[:nodes]), points[:nodes]...))
	assert.Equal(t, []float64{graphStem, graphLevel}, []float64{sameStem, sameLevel})
}

func wide(values []float32) (wide64 []float64) {
	for _, v := range values {
		wide64 = append(wide64, float64(v))
	}
	return wide64
}

// misfit says how badly one template fits all k neighbourhoods: the variance of displacements within the slots as a
// share of the variance over all slots.
func misfit(positions, centres [][]float64, nodes []int32, ranks []float64, k, size int) float64 {
	bySlot, all := make([][][]float64, size), [][]float64{}
	for at, node := range nodes {
		if ranks[at] > 0 {
			shift := floats.SubTo(make([]float64, 2), positions[node], centres[at/size])
			bySlot[at%size], all = append(bySlot[at%size], shift), append(all, shift)
		}
	}
	scatter := func(points [][]float64) (sum float64) {
		mean := make([]float64, 2)
		for _, p := range points {
			floats.AddScaled(mean, 1/float64(len(points)), p)
		}
		for _, p := range points {
			sum += math.Pow(floats.Distance(p, mean, 2), 2)
		}
		return sum
	}
	within := 0.0
	for _, shifts := range bySlot {
		within += scatter(shifts)
	}
	return within / scatter(all)
}

// centresOf computes the middles of k clusters: the means of their nodes' positions.
func centresOf(positions [][]float64, cluster []int32, k int) [][]float64 {
	centres, count := make([][]float64, k), make([]float64, k)
	for c := range centres {
		centres[c] = make([]float64, len(positions[0]))
	}
	for i, c := range cluster {
		floats.Add(centres[c], positions[i])
		count[c]++
	}
	for c := range centres {
		floats.Scale(1/count[c], centres[c])
	}
	return centres
}
