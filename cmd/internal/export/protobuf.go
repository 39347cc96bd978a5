package export

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of onnx.proto that are used here.
const (
	irVersion     = 7 // the format's version that came with opset 13
	elementFloat  = 1 // TensorProto.FLOAT
	elementInt64  = 7 // TensorProto.INT64
	attributeInt  = 2 // AttributeProto.INT
	attributeInts = 7 // AttributeProto.INTS
)

// onnxGraph collects the parts of a GraphProto. There are a dozen messages in all, so they are written by hand with the
// field numbers of onnx.proto. A message is a string: its encoded fields, one after another.
type onnxGraph struct {
	x                   string // the value that the next node takes
	nodes, initializers []string
	bytes               int // of the initializers
}

// node adds an operation on x and other values, such as constants. Its only output, also its own name, becomes x.
func (g *onnxGraph) node(op, output string, others ...string) {
	g.nodes = append(g.nodes, texts(1, g.x)+texts(1, others...)+texts(2, output)+texts(3, output)+texts(4, op))
	g.x = output
}

// attribute gives the last node an attribute.
func (g *onnxGraph) attribute(name, value string) {
	g.nodes[len(g.nodes)-1] += texts(5, texts(1, name)+value)
}

// integer and integers are the value of an attribute.
func integer(value int) string      { return ints(3, value) + ints(20, attributeInt) }
func integers(values ...int) string { return ints(8, values...) + ints(20, attributeInts) }

// constant adds a constant of float32 or int64 and returns its name.
func (g *onnxGraph) constant(name string, data any, dims ...int) string {
	raw, _ := binary.Append(nil, binary.LittleEndian, data) // it cannot fail for slices of numbers
	element := elementFloat
	if _, whole := data.([]int64); whole {
		element = elementInt64
	}
	g.initializers = append(g.initializers, ints(1, dims...)+ints(2, element)+texts(8, name)+texts(9, string(raw)))
	g.bytes += len(raw)
	return name
}

// declared is a float32 input or output `[batch, dims…]`.
func declared(name string, dims ...int) string {
	shape := texts(1, texts(2, "batch"))
	for _, dim := range dims {
		shape += texts(1, ints(1, dim))
	}
	return texts(1, name) + texts(2, texts(1, ints(1, elementFloat)+texts(2, shape)))
}

// model is a ModelProto with this graph.
func (g *onnxGraph) model(producer, version string, inputs, outputs, metadata []string) ([]byte, error) {
	const rest = 1 << 20 // ample for all but the constants
	if g.bytes > math.MaxInt32-rest {
		return nil, fmt.Errorf("its constants take %d bytes; an ONNX file holds less than 2 GiB", g.bytes)
	}
	graph := texts(1, g.nodes...) + texts(2, producer) + texts(5, g.initializers...) + texts(11, inputs...) +
		texts(12, outputs...)
	return []byte(ints(1, irVersion) + texts(2, producer) + texts(3, version) + texts(7, graph) +
		texts(8, texts(1, "")+ints(2, opset)) + texts(14, metadata...)), nil
}

// ints encodes a field of integers.
func ints(field protowire.Number, values ...int) string {
	var raw []byte
	for _, v := range values {
		raw = protowire.AppendVarint(protowire.AppendTag(raw, field, protowire.VarintType), uint64(v))
	}
	return string(raw)
}

// texts encodes a field of texts, bytes or messages.
func texts(field protowire.Number, values ...string) string {
	var raw []byte
	for _, v := range values {
		raw = protowire.AppendString(protowire.AppendTag(raw, field, protowire.BytesType), v)
	}
	return string(raw)
}
