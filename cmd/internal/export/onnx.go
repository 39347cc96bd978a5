package export

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
)

// opset is the version of ONNX's operators that the models use, of 2020: old enough for every runtime in use.
const opset = 13

// WriteONNX writes the network as an ONNX model, see ONNX. It replaces the file at path all at once.
func (n *Network) WriteONNX(path string) error {
	model, err := n.ONNX()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return files.WriteBytes(path, model)
}

// ONNX is the network as an ONNX model. Its input is `signals`, float32 `[batch, nodes, channels]` in raw units; its
// outputs are `probabilities` and `logits`, float32 `[batch, classes]`. A model of 2 GiB or more is an error: that is
// protobuf's limit.
func (n *Network) ONNX() ([]byte, error) {
	g := &onnxGraph{x: "signals"}
	g.node("Sub", "input/centred", g.scale("input/mean", n.Mean, n.Spec))
	g.node("Div", "input/normalised", g.scale("input/std", n.Std, n.Spec))
	g.network(n)
	if n.Temperature != 1 {
		g.node("Mul", "tempered", g.constant("sharpness", []float32{float32(1 / n.Temperature)}, 1))
	}
	g.node("Softmax", "probabilities") // along the last axis, the default
	metadata := []string{texts(1, "data") + texts(2, n.Data), texts(1, "ccp_version") + texts(2, version())}
	carried := map[string]any{"class_names": n.ClassNames}
	if n.Form != nil {
		carried["recording"], carried["range"] = n.Form, n.Range
	}
	for _, name := range slices.Sorted(maps.Keys(carried)) {
		raw, err := json.Marshal(carried[name])
		if err != nil {
			return nil, err
		}
		metadata = append(metadata, texts(1, name)+texts(2, string(raw)))
	}
	return g.model("ccp", version(), []string{declared("signals", n.Spec.Nodes, n.Spec.Channels)},
		[]string{declared("probabilities", n.Spec.Classes()), declared("logits", n.Spec.Classes())},
		metadata)
}

// scale adds a constant of means or deviations: those of the channels, or else those of each value of a signal.
func (g *onnxGraph) scale(name string, values []float32, s models.Spec) string {
	if len(values) == s.Channels {
		return g.constant(name, values, s.Channels)
	}
	return g.constant(name, slices.Repeat(values, s.Nodes*s.Channels/len(values)), s.Nodes, s.Channels)
}

// network computes the network's logits from the normalised signal.
func (g *onnxGraph) network(n *Network) {
	before := ""
	for i, l := range n.Levels {
		above := g.x
		g.level(fmt.Sprintf("level_%d", i+1), l, before)
		before = above
	}
	if n.Hierarchies == 1 {
		g.node("Flatten", "readout/flat")
	} else {
		g.node("Reshape", "readout/flat", g.constant("readout/shape", []int64{-1, int64(n.Dense[0].In)}, 2))
	}
	for i, d := range n.Dense {
		name, last := fmt.Sprintf("dense_%d", i+1), i == len(n.Dense)-1
		sum := name + "/sum"
		if last && n.Hierarchies == 1 {
			sum = "logits"
		}
		g.node("Gemm", sum, g.constant(name+"/kernel", d.Kernel, d.In, d.Out), g.constant(name+"/bias", d.Bias, d.Out))
		if !last {
			g.node("Elu", name+"/elu")
		}
	}
	if n.Hierarchies > 1 {
		apart := []int64{-1, int64(n.Hierarchies), int64(n.Spec.Classes())}
		g.node("Reshape", "hierarchies/logits", g.constant("hierarchies/shape", apart, 3))
		g.node("ReduceMean", "logits")
		g.attribute("axes", integers(1))
		g.attribute("keepdims", integer(0))
	}
}

// level gathers each cluster's neighbourhood, gates it, and multiplies it with the kernel. x is `[batch, N, C]` before
// and `[batch, K, filters]` after. A Skip adds the value before, the input of the previous level.
func (g *onnxGraph) level(name string, l Level, before string) {
	k, size, filters := l.Clusters, l.Neighbours, l.Filters
	g.node("Gather", name+"/gathered", g.constant(name+"/nodes", loop.Convert[int64](l.Nodes), k*size))
	g.attribute("axis", integer(1))
	g.node("Mul", name+"/gated", g.constant(name+"/gates", l.Gates, k*size, 1))
	rows := []int64{0, int64(k), int64(size * l.Channels)} // 0 keeps the batch's size
	g.node("Reshape", name+"/rows", g.constant(name+"/shape", rows, 3))
	g.node("MatMul", name+"/filtered", g.constant(name+"/kernel", l.Kernel, size*l.Channels, filters))
	g.node("Add", name+"/sum", g.constant(name+"/bias", l.Bias, filters))
	if l.Skip {
		g.node("Add", name+"/skipped", before)
	}
	g.node("Elu", name+"/elu")
}

// version returns the version of this program.
func version() string { return backend.Versions()["ccp"] }
