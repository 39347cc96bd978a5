package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// Activation is a tensor that a training step makes at a level, and keeps until its gradient is known.
type Activation struct {
	Name  string
	Shape shapes.Shape
}

// Activations are the largest tensors of a network with clusters that are no variables, for batches of that many samples: at each
// level, and at each convolution of a stem and of residual blocks, the gathered neighbourhoods, and, where memberships are learned, these. Links, ranks and all gradients have the same
// sizes again. Other models have none here.
func (s Spec) Activations(batch int) (all []Activation) {
	if !s.Clusters() {
		return nil
	}
	dtype := dtypes.Float32
	if s.Settings.Of("").DType == nn.BFloat16 {
		dtype = dtypes.BFloat16
	}
	nodes, channels := s.Nodes, s.Channels
	around := func(part string, resolution int) {
		all = append(all, Activation{part + "'s gathered neighbourhoods", shapes.Make(dtype, batch, nodes, s.reach(resolution), channels)})
	}
	for _, part := range s.Convolutions(0) {
		around(part, 0)
		channels = s.Settings.Of("").Stem
	}
	for i, l := range s.Levels {
		name, gathered := fmt.Sprintf("level_%d's gathered neighbourhoods", i+1), s.Settings.Level(i).Block(l.Clusters)
		if gathered < l.Clusters {
			name += ", those of a block of clusters"
		}
		all = append(all, Activation{name, shapes.Make(dtype, batch, gathered, l.Neighbours, channels)})
		if !s.FrozenInTraining() {
			all = append(all, Activation{fmt.Sprintf("level_%d's memberships", i+1), shapes.Make(dtypes.Float32, nodes, s.candidates(i))})
		}
		nodes, channels = l.Clusters, l.Filters
		for _, part := range s.Convolutions(i + 1) {
			around(part, i+1)
		}
	}
	return all
}
