package ccp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// The names of the variables that Hold keeps.
const (
	heldNeighbourhoods = "held_neighbourhood" // int32 [H·K, L]
	heldRanks          = "held_rank"          // [H·K, L]: 0 at an empty slot
	heldSlots          = "held_slots"         // [L, dims]: the displacements of directed slots
	aroundSlots        = "around_slots"       // [reach, dims]: those of slots around clusters
)

// Hold takes the neighbourhoods of memberships that are being learned: those of each node's largest membership, as
// Done takes them of searched clusters. Levels in Around get the clusters around each cluster, too. Selection has no
// gradient. So layers keep all of this until the next call, such as after an epoch. Ranks and gates follow the
// memberships meanwhile. Directed slots keep their directions from call to call. Hold puts all into variables of the
// levels' scopes, see Hierarchy.Keep. It reads the memberships there, in float32 or float64. If there are none, it
// draws them in float32, with the backend; layers that compute in float64 convert them.
func (p *Preparation) Hold(backend compute.Backend, scope *model.Scope, names ...string) error {
	if err := p.check(); err != nil {
		return err
	}
	h, nodes := &Hierarchy{Levels: make([]HierarchyLevel, len(p.levels))}, []int{p.graph.N()}
	for l, size := range p.levels {
		nodes = append(nodes, size.Clusters)
		at := levelScope(scope, l, names)
		if at.GetVariable(membershipsName) == nil {
			width := size.Clusters
			if of := at.GetVariable(candidateClusters); of != nil {
				width = of.Shape().Dim(1)
			}
			membershipsIn(at, dtypes.Float32, optionsOf(at).MembershipRate, p.hierarchies*nodes[l], width)
		}
		level := &h.Levels[l]
		err := errors.Join(level.Pooled.readSlots(at, heldSlots), level.Around.readSlots(at, aroundSlots))
		if err != nil {
			return err
		}
	}
	if err := scope.Store().InitializeVariables(backend, nil); err != nil {
		return fmt.Errorf("drawing the memberships: %w", err)
	}
	_, err := p.made(h, func(which int, _ *affinity.Matrix) ([][]int32, error) {
		clusters := make([][]int32, len(p.levels))
		for l := range clusters {
			m, _, err := kept{levelScope(scope, l, names), which, p.hierarchies}.memberships(nodes[l], nodes[l+1])
			if err != nil {
				return nil, fmt.Errorf("holding the neighbourhoods: %w", err)
			}
			clusters[l] = m.Hard()
		}
		return clusters, nil
	})
	for l := 0; err == nil && l < len(h.Levels); l++ {
		level, at := h.Levels[l], levelScope(scope, l, names)
		err = errors.Join(level.keepPooled(at, heldNeighbourhoods, heldRanks), level.Pooled.keepSlots(at, heldSlots),
			level.Around.keep(at, aroundNodes, aroundPresent), level.Around.keepSlots(at, aroundSlots))
	}
	return err
}

// readSlots reads the displacements of directed slots, if a variable of scope has them.
func (n *Neighbourhoods) readSlots(scope *model.Scope, name string) error {
	v := scope.GetVariable(name)
	if v == nil {
		return nil
	}
	slots, err := variables.Read[float32](scope, name, v.Shape().Dimensions...)
	n.Slots = slices.Collect(slices.Chunk(loop.Convert[float64](slots), v.Shape().Dim(1)))
	return err
}

// keepSlots puts the displacements of directed slots, if there are any, into a variable of scope.
func (n *Neighbourhoods) keepSlots(scope *model.Scope, name string) error {
	if n.Slots == nil {
		return nil
	}
	return keep(scope, name, floats(dtypes.Float32, slices.Concat(n.Slots...), len(n.Slots), len(n.Slots[0])))
}

// held gives the level the neighbourhoods that Hold has kept. A node there has a rank of partition.Unlinked at least: a
// rank of 0 marks an empty slot.
func (l *Layer) held(level Level, of several, kept *model.Variable) Level {
	one := func(v *model.Variable) *Node { return of.one(v.SetTrainable(false).NodeValue(l.signal.Graph())) }
	level = level.at(one(kept))
	rank := MaxScalar(level.Rank, partition.Unlinked)
	level.Rank = Where(IsPositive(one(l.scope.GetVariable(heldRanks))), rank, ZerosLike(rank))
	return level
}

// several says that n hierarchies are learned, each with memberships of its own. One is drawn: an int32 scalar, from 0.
type several struct {
	n     int
	drawn *Node
}

// The names of the hierarchy that a Freezer wants, and of several, among the parameters of a graph.
const (
	drawnKey   = "ccp_drawn"
	severalKey = "ccp_several"
)

// Several lets the layers below scope learn n hierarchies of one graph, which share all weights but U. U of a level
// is `[n·N, K]`. In training each step draws one hierarchy, by the seed, the scope and the global step alone. signal
// is the network's input.
//
// Freeze before you evaluate. Once a Freezer has frozen the hierarchies, a prediction is the mean over all, see
// Hierarchy.Affinity. Before that it is by the first hierarchy alone and far less accurate: 42 to 50% where the mean
// over eight reached 68.5%. So it is with an evaluation in GoMLX's loop; models.Classifier freezes in Update.
func Several(scope *model.Scope, signal *Node, n int) {
	g := signal.Graph()
	of := several{n, model.GetGraphParamOr[*Node](scope, g, drawnKey, nil)}
	if of.drawn == nil && n > 1 && scope.IsTraining(g) {
		of.drawn = draw(scope, signal, n)
	}
	scope.SetGraphParam(g, severalKey, of)
}

// severalOf returns the number of hierarchies in scope that Several has set, and the one drawn; else one hierarchy.
func severalOf(scope *model.Scope, g *Graph) several {
	return model.GetGraphParamOr(scope, g, severalKey, several{n: 1})
}

// draw draws one of n hierarchies, an int32 scalar.
func draw(scope *model.Scope, signal *Node, n int) *Node {
	return ConvertDType(MulScalar(ops.Uniform(scope, signal, "hierarchy"), float64(n)), dtypes.Int32)
}

// one reads the part of the hierarchy drawn, `[N, width]`, from the variable of all, `[n·N, width]`.
func (s several) one(all *Node) *Node {
	if s.n == 1 {
		return all
	}
	rows, width := all.Shape().Dim(0)/s.n, all.Shape().Dim(1)
	if s.drawn == nil {
		return Slice(all, AxisRange(0, rows))
	}
	return Reshape(Gather(Reshape(all, s.n, rows, width), Reshape(s.drawn, 1)), rows, width)
}
