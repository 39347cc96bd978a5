package training

import (
	"cmp"

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
	for _, l := range s.Layers() {
		shape := shapes.Make(dtype, batch, l.Clusters, l.Neighbours, l.Channels)
		all = append(all, Activation{l.Part + "'s gathered neighbourhoods", shape})
		if l.Pools && s.Learns() {
			choices := min(cmp.Or(s.Options.Of(l.Part).Candidates, l.Clusters), l.Clusters)
			all = append(all, Activation{l.Part + "'s memberships", shapes.Make(dtypes.Float32, l.Inputs, choices)})
		}
	}
	return all
}

// Products counts the multiply-adds of the levels' filters for one signal.
func Products(s models.Spec) (sum float64) {
	for _, l := range s.Layers() {
		if l.Pools {
			sum += float64(l.Clusters*l.Neighbours) * float64(l.Channels*l.Filters)
		}
	}
	return sum
}
