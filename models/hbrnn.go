package models

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// hierarchicalRNN is HBRNN-L of Du et al. (2015): four recurrent layers in both directions of time, of tanh units and at the top of LSTMs.
// The first has a pair for each part of the body, trunk first. The second has one for each limb together with the trunk, the third for each two of
// these, arms and legs, the fourth for all of the body. The class layer gets the mean of the outputs over time, where theirs
// adds up the scores. The graph's edges have no part in it.
func hierarchicalRNN(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	widths := [...]int{30, 60, 60, 80} // of each direction
	beside := func(parts ...*Node) *Node { return Concatenate(parts, -1) }
	parts := recurrentParts(scope.In("parts"), partsOf(spec, framesOf(scope, spec, signal, optionsOf(scope).Segments)), widths[0])
	if len(parts) > 1 {
		var limbs []*Node
		for _, limb := range parts[1:] {
			limbs = append(limbs, beside(parts[0], limb))
		}
		parts = recurrentParts(scope.In("limbs"), limbs, widths[1])
	}
	var halves []*Node
	for p := 0; p < len(parts); p += 2 {
		halves = append(halves, beside(parts[p:min(p+2, len(parts))]...))
	}
	whole := beside(recurrentParts(scope.In("halves"), halves, widths[2])...)
	body := scope.In("body")
	forward := partLSTM(body.In("forward"), []*Node{whole}, widths[3])
	backward := backwards(partLSTM(body.In("backward"), []*Node{backwards(whole)}, widths[3]))
	spec.Hidden = nil
	return readout(scope, spec, ReduceMean(beside(forward, backward), 0))
}
