package export

import (
	"encoding/json"
	"fmt"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/files"
)

// opset is the version of ONNX's operators that the models use, of 2020: old enough for every runtime in use.
const opset = 13

// WriteONNX writes the network as an ONNX model, see ONNX. The file replaces what was at path, and appears whole or not at
// all.
func (n *Network) WriteONNX(path string) error {
	model, err := n.ONNX()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return files.WriteBytes(path, model)
}

// ONNX is the network as an ONNX model: of `signals`, float32 `[batch, nodes, channels]` in raw units, it makes
// `probabilities` and `logits`, float32 `[batch, classes]`. A model of 2 GiB and more is an error: protobuf ends there.
func (n *Network) ONNX() ([]byte, error) {
	g := &onnxGraph{}
	x := g.node("Sub", "input/centred", []string{"signals", g.floats("input/mean", n.Mean, n.Channels)})
	x = g.node("Div", "input/normalised", []string{x, g.floats("input/std", n.Std, n.Channels)})
	for i, l := range n.Levels {
		x = g.level(fmt.Sprintf("level_%d", i+1), l, x)
	}
	x = g.node("Flatten", "readout/flat", []string{x})
	for i, d := range n.Dense {
		name, last := fmt.Sprintf("dense_%d", i+1), i == len(n.Dense)-1
		parts := []string{x, g.floats(name+"/kernel", d.Kernel, d.In, d.Out), g.floats(name+"/bias", d.Bias, d.Out)}
		if last {
			x = g.node("Gemm", "logits", parts)
		} else {
			x = g.node("Elu", name+"/elu", []string{g.node("Gemm", name+"/sum", parts)})
		}
	}
	g.node("Softmax", "probabilities", []string{x}) // along the last axis, the default
	names, err := json.Marshal(n.ClassNames)
	if err != nil {
		return nil, err
	}
	g.input("signals", n.Nodes, n.Channels)
	g.output("probabilities", n.Classes())
	g.output("logits", n.Classes())
	return g.model("ccp", version(), [][2]string{{"class_names", string(names)}, {"data", n.Data}, {"ccp_version", version()}})
}

// level gathers each cluster's neighbourhood, gates it, and multiplies it with the kernel. x names a `[batch, N, C]`, the
// result a `[batch, K, filters]`.
func (g *onnxGraph) level(name string, l Level, x string) string {
	k, size, channels, filters := l.Clusters, l.Neighbours, l.Channels, l.Filters
	nodes := make([]int64, len(l.Nodes))
	for i, v := range l.Nodes {
		nodes[i] = int64(v)
	}
	x = g.node("Gather", name+"/gathered", []string{x, g.ints(name+"/nodes", nodes, k*size)}, attribute{"axis", 1})
	x = g.node("Mul", name+"/gated", []string{x, g.floats(name+"/gates", l.Gates, k*size, 1)})
	// 0 keeps the batch's dimension, whatever it is.
	x = g.node("Reshape", name+"/rows", []string{x, g.ints(name+"/shape", []int64{0, int64(k), int64(size * channels)}, 3)})
	x = g.node("MatMul", name+"/filtered", []string{x, g.floats(name+"/kernel", l.Kernel, size*channels, filters)})
	x = g.node("Add", name+"/sum", []string{x, g.floats(name+"/bias", l.Bias, filters)})
	x = g.node("Elu", name+"/elu", []string{x})
	if l.Scale != nil {
		x = g.node("Mul", name+"/scaled", []string{x, g.floats(name+"/scale", l.Scale, filters)})
		x = g.node("Add", name+"/pooled", []string{x, g.floats(name+"/shift", l.Shift, filters)})
	}
	return x
}

// version is that of this program.
func version() string { return backend.Versions()["ccp"] }
