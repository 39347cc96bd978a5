package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/onnx"
)

// Input names the input of a classifier's model, and its shape: of recordings `series`, [batch, timepoints, sensors *
// channels], else `signals`, [batch, nodes, channels].
func Input(c *models.Classifier) (name string, shape []any) {
	if c.Form != nil {
		return "series", []any{"batch", "timepoints", c.Form.Width()}
	}
	return "signals", []any{"batch", c.Spec.Nodes, c.Spec.Channels}
}

// Write writes a classifier as an ONNX model, see ONNX, or in C, see models.Classifier.C, if the path ends in .c. It
// replaces the file at path all at once.
func Write(path string, c *models.Classifier) error {
	write := ONNX
	if strings.EqualFold(filepath.Ext(path), ".c") {
		write = (*models.Classifier).C
	}
	model, err := write(c)
	if err != nil {
		return err
	}
	return files.WriteBytes(path, model)
}

// ONNX is a classifier as an ONNX model, with all members of the ensemble. Its input, see Input, is float32 in raw
// units: what Classify takes or, of recordings, what Form.Series returns, all of one length. Its outputs are
// `probabilities` and `logits`, float32 `[batch, classes]`. A model of 2 GiB or more is an error: that is protobuf's
// limit.
func ONNX(c *models.Classifier) ([]byte, error) {
	g := new(onnx.Graph)
	name, shape := Input(c)
	samples := g.Input(name, shape...)
	some, count := g.Some(samples)
	logits, err := c.Export(g, some, func() (string, error) {
		n, err := Fold(c)
		if err != nil {
			return "", err
		}
		return n.logits(g, some), nil
	})
	if err != nil {
		return nil, err
	}
	temperature := 1.0
	if c.Calibration != nil {
		temperature = c.Calibration.Temperature
	}
	// What is not a number gives no class: counts and gaps in neighbourhoods would hide it.
	g.Scope = "finite/"
	// A comparison finds it: OpenVINO takes products with zero for zero.
	finite := g.Op("LessOrEqual", g.Op("Abs", samples), float32(math.MaxFloat32))
	none := g.Op("ReduceSum", g.Sum(g.Op("Where", finite, float32(0), float32(math.NaN())), 2), []int{1})
	logits = g.Named("logits", "Add", g.First(logits, count), none)
	softmax := g.Op("Softmax", g.Op("Div", logits, float32(temperature)))
	// A runtime's softmax may be greater than 1 by a rounding, which measures such as scikit-learn's log loss refuse: what
	// is above 1 goes. The operator Clip may lose NaN, and of OpenVINO NaN is greater than 1.
	above := g.Op("Relu", g.Op("Sub", softmax, float32(1)))
	g.Named("probabilities", "Sub", softmax, above)
	g.Output("probabilities", "batch", c.Spec.Classes())
	g.Output("logits", "batch", c.Spec.Classes())
	g.Carry("data", c.Data)
	g.Carry("ccp_version", version())
	carry := func(name string, value any) {
		raw, failed := json.Marshal(value)
		g.Carry(name, string(raw))
		err = cmp.Or(err, failed)
	}
	carry("class_names", c.ClassNames)
	if c.Conformal != nil { // by which any runtime gives p-values
		carry("conformal", c.Conformal)
	}
	if c.Form != nil {
		carry("recording", c.Form)
		carry("range", c.Range)
	}
	if err != nil {
		return nil, err
	}
	return g.Model("ccp", version())
}

// logits adds nodes that compute the network's logits of raw samples.
func (n *Network) logits(g *onnx.Graph, x string) string {
	nodes, channels := n.Spec.Nodes, n.Spec.Channels
	turn, shape := onnx.Attribute{Name: "perm", Value: []int{0, 2, 1}}, []int{nodes, channels}
	g.Scope = "input/"
	if n.Form != nil {
		x, shape = g.Op("Transpose", x, turn), []int{n.Form.Width(), 1}
	}
	scale := func(values []float32) string { // of the channels, or of each value of a signal or a time point
		if n.Form == nil && len(values) == channels {
			return g.Constant(values)
		}
		return g.Constant(slices.Repeat(values, shape[0]*shape[1]/len(values)), shape...)
	}
	x = g.Op("Div", g.Op("Sub", x, scale(n.Mean)), scale(n.Std))
	if n.Form != nil { // the frames of what is normalised are the same as what is normalised of the frames
		x = g.Op("Transpose", g.Resample(x, nodes/len(n.Form.Sensors)), turn)
		x = g.Op("Reshape", x, []int{0, nodes, channels})
	}
	before := ""
	read := []any{onnx.Axis(2)}
	for i, l := range n.Levels {
		g.Scope = fmt.Sprintf("level_%d/", i+1)
		x, before = l.nodes(g, x, before), x
		for _, over := range n.reads(i) {
			y := g.Op("Reshape", x, []int{0, l.Clusters / n.apart(l), n.apart(l), l.Filters})
			y = g.Op(over, y, onnx.Attribute{Name: "axes", Value: []int{2}}, onnx.Attribute{Name: "keepdims", Value: 0})
			if l.Of == 0 && n.Hierarchies > 1 { // all hierarchies have the same
				y = g.Op("Expand", y, []int{1, n.Hierarchies, l.Filters})
			}
			read = append(read, y)
		}
	}
	g.Scope = "readout/"
	if len(read) > 1 {
		x = g.Op("Concat", read...)
	}
	x = g.Op("Reshape", x, []int{-1, n.Dense[0].In}) // a row for each hierarchy of each sample
	for i, d := range n.Dense {
		g.Scope = fmt.Sprintf("dense_%d/", i+1)
		x = g.Op("Gemm", x, g.Constant(d.Kernel, d.In, d.Out), d.Bias)
		if i < len(n.Dense)-1 {
			x = g.Op("Elu", x)
		}
	}
	g.Scope = "hierarchies/"
	if n.Hierarchies > 1 {
		x = g.Op("ReduceMean", g.Op("Reshape", x, []int{-1, n.Hierarchies, n.Spec.Classes()}),
			onnx.Attribute{Name: "axes", Value: []int{1}}, onnx.Attribute{Name: "keepdims", Value: 0})
	}
	return x
}

// nodes gathers each cluster's neighbourhood, gates it, and multiplies it with the kernel. x is `[batch, N, C]` before
// and `[batch, K, filters]` after. A Skip adds the value before, the input of the previous level.
func (l Level) nodes(g *onnx.Graph, x, before string) string {
	k, size := l.Clusters, l.Neighbours
	x = g.Op("Gather", x, loop.Convert[int64](l.Nodes), onnx.Axis(1))
	x = g.Op("Mul", x, g.Constant(l.Gates, k*size, 1))
	x = g.Op("Reshape", x, []int{0, k, size * l.Channels}) // 0 keeps the batch's size
	x = g.Op("Add", g.Op("MatMul", x, g.Constant(l.Kernel, size*l.Channels, l.Filters)), l.Bias)
	if l.Skip {
		x = g.Op("Add", x, before)
	}
	return g.Op("Elu", x)
}

// version returns the version of this program.
func version() string { return backend.Versions()["ccp"] }
