package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// Activation is a tensor that a training step makes, and keeps until its gradient is known.
type Activation struct {
	Name  string
	Shape shapes.Shape
}

// Activations lists the largest tensors of a training step besides the variables, for batches of that many samples.
// These are the gathered neighbourhoods of each level and of each convolution at one resolution, and learned
// memberships. Links, ranks and all gradients have such sizes again. Only a network with clusters has a list.
func (s Spec) Activations(batch int) (all []Activation) {
	if !s.Clusters() {
		return nil
	}
	dtype := dtypes.Float32
	if s.Options.DType == nn.BFloat16 {
		dtype = dtypes.BFloat16
	}
	nodes, channels := s.Nodes, s.Channels
	around := func(part string, resolution int) {
		shape := shapes.Make(dtype, batch, nodes, s.reach(resolution), channels)
		all = append(all, Activation{part + "'s gathered neighbourhoods", shape})
	}
	for _, part := range s.Convolutions(0) {
		around(part, 0)
		channels = s.Options.Stem
	}
	for i, l := range s.Levels {
		name := fmt.Sprintf("level_%d's gathered neighbourhoods", i+1)
		gathered := s.Options.level(i).Block(l.Clusters)
		if gathered < l.Clusters {
			name += ", those of a block of clusters"
		}
		all = append(all, Activation{name, shapes.Make(dtype, batch, gathered, l.Neighbours, channels)})
		if !s.FrozenInTraining() {
			shape := shapes.Make(dtypes.Float32, nodes, s.candidates(i))
			all = append(all, Activation{fmt.Sprintf("level_%d's memberships", i+1), shape})
		}
		nodes, channels = l.Clusters, l.Filters
		for _, part := range s.Convolutions(i + 1) {
			around(part, i+1)
		}
	}
	return all
}

// Products counts the multiply-adds of the levels' filters for one signal.
func (s Spec) Products() (sum float64) {
	channels := s.Channels
	if stem := s.Options.Stem; stem > 0 {
		channels = stem
	}
	for _, l := range s.Levels {
		sum += float64(l.Clusters*l.Neighbours) * float64(channels*l.Filters)
		channels = l.Filters
	}
	return sum
}
