package export

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// What onnx.proto calls the numbers used here.
const (
	irVersion      = 7 // the format's version that came with opset 13
	elementFloat   = 1 // TensorProto.FLOAT
	elementInt64   = 7 // TensorProto.INT64
	attributeInt   = 2 // AttributeProto.INT
	largestMessage = math.MaxInt32
)

// onnxGraph collects the fields of a GraphProto, encoded. There are a dozen messages in all, so they are written by hand:
// the fields' numbers are those of onnx.proto.
type onnxGraph struct {
	nodes, initializers, inputs, outputs [][]byte
	bytes                                int // of the initializers
}

// attribute is an integer attribute of a node.
type attribute struct {
	name  string
	value int
}

// node adds an operation whose only output, and own name, is `output`, which it returns.
func (g *onnxGraph) node(op, output string, inputs []string, attributes ...attribute) string {
	var node []byte
	for _, input := range inputs {
		node = appendString(node, 1, input)
	}
	node = appendString(node, 2, output)
	node = appendString(node, 3, output)
	node = appendString(node, 4, op)
	for _, a := range attributes {
		node = appendMessage(node, 5, appendInt(appendInt(appendString(nil, 1, a.name), 3, a.value), 20, attributeInt))
	}
	g.nodes = append(g.nodes, node)
	return output
}

// floats adds a constant and returns its name.
func (g *onnxGraph) floats(name string, data []float32, dims ...int) string {
	raw := make([]byte, 0, 4*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.initializer(name, elementFloat, raw, dims)
}

// ints adds a constant and returns its name.
func (g *onnxGraph) ints(name string, data []int64, dims ...int) string {
	raw := make([]byte, 0, 8*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.initializer(name, elementInt64, raw, dims)
}

func (g *onnxGraph) initializer(name string, element int, raw []byte, dims []int) string {
	var tensor []byte
	for _, dim := range dims {
		tensor = appendInt(tensor, 1, dim)
	}
	tensor = appendInt(tensor, 2, element)
	tensor = appendString(tensor, 8, name)
	g.initializers = append(g.initializers, appendMessage(tensor, 9, raw))
	g.bytes += len(raw)
	return name
}

// input declares a float32 input `[batch, dims…]`.
func (g *onnxGraph) input(name string, dims ...int) {
	g.inputs = append(g.inputs, valueInfo(name, dims))
}

// output declares a float32 output `[batch, dims…]`.
func (g *onnxGraph) output(name string, dims ...int) {
	g.outputs = append(g.outputs, valueInfo(name, dims))
}

func valueInfo(name string, dims []int) []byte {
	shape := appendMessage(nil, 1, appendString(nil, 2, "batch"))
	for _, dim := range dims {
		shape = appendMessage(shape, 1, appendInt(nil, 1, dim))
	}
	tensor := appendMessage(appendInt(nil, 1, elementFloat), 2, shape)
	return appendMessage(appendString(nil, 1, name), 2, appendMessage(nil, 1, tensor))
}

// model is a ModelProto with this graph.
func (g *onnxGraph) model(producer, version string, metadata [][2]string) ([]byte, error) {
	const rest = 1 << 20 // ample for what is not constants
	if g.bytes > largestMessage-rest {
		return nil, fmt.Errorf("its constants take %d bytes; an ONNX file holds less than 2 GiB; use --format npz", g.bytes)
	}
	graph := make([]byte, 0, g.bytes+rest)
	for _, node := range g.nodes {
		graph = appendMessage(graph, 1, node)
	}
	graph = appendString(graph, 2, producer)
	for _, initializer := range g.initializers {
		graph = appendMessage(graph, 5, initializer)
	}
	for _, input := range g.inputs {
		graph = appendMessage(graph, 11, input)
	}
	for _, output := range g.outputs {
		graph = appendMessage(graph, 12, output)
	}
	model := appendInt(make([]byte, 0, len(graph)+rest), 1, irVersion)
	model = appendString(model, 2, producer)
	model = appendString(model, 3, version)
	model = appendMessage(model, 7, graph)
	model = appendMessage(model, 8, appendInt(appendString(nil, 1, ""), 2, opset))
	for _, entry := range metadata {
		model = appendMessage(model, 14, appendString(appendString(nil, 1, entry[0]), 2, entry[1]))
	}
	return model, nil
}

func appendInt(b []byte, field protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}
