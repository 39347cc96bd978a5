package export

import (
	"fmt"

	"github.com/clusterpool/ccp/internal/npz"
)

// WriteNPZ writes the network as the arrays that docs/serving.md lists. It replaces the file at path all at once.
func (n *Network) WriteNPZ(path string) error {
	var arrays []npz.Named
	add := func(name string, data any, shape ...int) {
		arrays = append(arrays, npz.Named{Name: name, Array: &npz.Array{Shape: shape, Data: data}})
	}
	add("ccp_version", []string{version()})
	add("data", []string{n.Data})
	add("class_names", n.ClassNames, len(n.ClassNames))
	add("nodes", []int32{int32(n.Spec.Nodes)})
	add("mean", n.Mean, n.Spec.Channels)
	add("std", n.Std, n.Spec.Channels)
	add("hierarchies", []int32{int32(n.Hierarchies)})
	add("levels", []int32{int32(len(n.Levels))})
	for i, l := range n.Levels {
		name := fmt.Sprintf("level_%d_", i+1)
		add(name+"nodes", l.Nodes, l.Clusters, l.Neighbours)
		add(name+"gates", l.Gates, l.Clusters, l.Neighbours)
		add(name+"kernel", l.Kernel, l.Neighbours*l.Channels, l.Filters)
		add(name+"bias", l.Bias, l.Filters)
		add(name+"skip", []bool{l.Skip})
	}
	add("dense_layers", []int32{int32(len(n.Dense))})
	for i, d := range n.Dense {
		add(fmt.Sprintf("dense_%d_kernel", i+1), d.Kernel, d.In, d.Out)
		add(fmt.Sprintf("dense_%d_bias", i+1), d.Bias, d.Out)
	}
	return npz.Write(path, arrays)
}
