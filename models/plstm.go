package models

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// partAwareLSTM is the part-aware LSTM of Shahroudy et al. (2016) with two layers. A recording is divided into segments, or frames
// where these are fewer, and one frame of each is a step: one drawn anew in each training step, else the one in the middle. The second
// layer's parts are those of the first one's output. The class layer gets the mean of the outputs over time. The graph's edges have no
// part in it.
func partAwareLSTM(segments int) Network {
	return func(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
		const units = 50 // of each part
		parts := partsOf(spec, framesOf(scope, spec, signal, segments))
		h := partLSTM(scope.In("lstm_1"), parts, units)
		for p := range parts {
			parts[p] = SliceAxis(h, -1, AxisRange(p*units, (p+1)*units))
		}
		h = partLSTM(scope.In("lstm_2"), parts, units)
		spec.Hidden = nil
		return readout(scope, spec, ReduceMean(h, 0))
	}
}
