package training

import (
	"cmp"
	"fmt"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
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
func Activations(s models.Spec, batch int) (all []Activation) {
	if !s.Network().Clusters {
		return nil
	}
	dtype := dtypes.Float32
	if s.Options.DType == nn.BFloat16 {
		dtype = dtypes.BFloat16
	}
	nodes, channels := s.Nodes, s.Channels
	around := func(part string) {
		shape := shapes.Make(dtype, batch, nodes, min(s.Options.Reach, nodes), channels)
		all = append(all, Activation{part + "'s gathered neighbourhoods", shape})
	}
	for _, part := range s.Convolutions(0) {
		around(part)
		channels = s.Options.Stem
	}
	for i, l := range s.Levels {
		part := fmt.Sprintf("level_%d", i+1)
		name, o := part+"'s gathered neighbourhoods", s.Options.Of(part)
		all = append(all, Activation{name, shapes.Make(dtype, batch, l.Clusters, l.Neighbours, channels)})
		if s.Learns() {
			shape := shapes.Make(dtypes.Float32, nodes, min(cmp.Or(o.Candidates, l.Clusters), l.Clusters))
			all = append(all, Activation{part + "'s memberships", shape})
		}
		nodes, channels = l.Clusters, l.Filters
		for _, part := range s.Convolutions(i + 1) {
			around(part)
		}
	}
	return all
}

// Products counts the multiply-adds of the levels' filters for one signal.
func Products(s models.Spec) (sum float64) {
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
