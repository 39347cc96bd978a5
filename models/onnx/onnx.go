// Package onnx writes ONNX models, node by node. A value of a model is its name.
package onnx

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"github.com/clusterpool/ccp/internal/loop"
	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of onnx.proto that are used here.
const (
	attributeInt  = 2 // AttributeProto.INT
	attributeInts = 7 // AttributeProto.INTS
)

// Elements of tensors, for the attribute to of the operator Cast.
const (
	Float  = 1
	Int64  = 7
	Bool   = 9
	Double = 11
)

var elements = map[reflect.Kind]int{reflect.Float32: Float, reflect.Int64: Int64, reflect.Bool: Bool,
	reflect.Float64: Double}

// Graph collects the parts of a GraphProto. There are a dozen messages in all, so they are written by hand with the
// field numbers of onnx.proto. A message is a string: its encoded fields, one after another.
type Graph struct {
	Scope                                         string // before the names of nodes, such as "level_1/"
	nodes, initializers, inputs, outputs, carried []string
	// the names of initializers, by the hash of what they hold
	constants map[[sha256.Size]byte]string
	count     map[string]int // of the nodes with a name
	bytes     int            // of the initializers
}

// Attribute is an int, or a list of them.
type Attribute struct {
	Name  string
	Value any
}

// Axis is the attribute axis.
func Axis(axis int) Attribute { return Attribute{"axis", axis} }

// Op adds a node, and returns its output. The inputs are values, constants, see Constant, and attributes.
func (g *Graph) Op(operator string, inputs ...any) string {
	return g.Named(g.free(operator), operator, inputs...)
}

// Named is Op with a name for the output.
func (g *Graph) Named(output, operator string, inputs ...any) string {
	node := ""
	for _, input := range inputs {
		switch v := input.(type) {
		case string:
			node += texts(1, v)
		case Attribute:
			value := ints(20, attributeInts)
			switch v := v.Value.(type) {
			case int:
				value = ints(3, v) + ints(20, attributeInt)
			case []int:
				value += ints(8, v...)
			}
			node += texts(5, texts(1, v.Name)+value)
		default:
			node += texts(1, g.Constant(v))
		}
	}
	node += texts(2, output)
	if operator == "TopK" { // it has two outputs
		node += texts(2, output+"/indices")
	}
	g.nodes = append(g.nodes, node+texts(3, output)+texts(4, operator))
	return output
}

// free returns a name in the scope that no other node or constant has.
func (g *Graph) free(name string) string {
	if g.count == nil {
		g.count, g.constants = map[string]int{}, map[[sha256.Size]byte]string{}
	}
	name = g.Scope + name
	g.count[name]++
	if g.count[name] > 1 {
		name = fmt.Sprintf("%s_%d", name, g.count[name])
	}
	return name
}

// Constant adds a number, or a list of them with these dimensions, and returns the name. Without dimensions it has one.
// An int is an int64 in the model.
func (g *Graph) Constant(data any, dims ...int) string {
	switch v := data.(type) {
	case int:
		data = int64(v)
	case []int:
		data = loop.Convert[int64](v)
	}
	of := reflect.TypeOf(data)
	if of.Kind() == reflect.Slice {
		of = of.Elem()
		if dims == nil {
			dims = []int{reflect.ValueOf(data).Len()}
		}
	}
	raw, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(err) // it is no number, which is the caller's mistake
	}
	tensor := ints(1, dims...) + ints(2, elements[of.Kind()]) + texts(9, string(raw))
	hash := sha256.Sum256([]byte(tensor))
	name := g.constants[hash]
	if name == "" {
		name = g.free("constant")
		g.constants[hash] = name
		g.initializers = append(g.initializers, tensor+texts(8, name))
		g.bytes += len(raw)
	}
	return name
}

// Input and Output declare a float32 value of these dimensions: numbers, or names of those that are free.
func (g *Graph) Input(name string, dims ...any) string {
	g.inputs = append(g.inputs, declared(name, dims))
	return name
}

// Output is like Input.
func (g *Graph) Output(name string, dims ...any) { g.outputs = append(g.outputs, declared(name, dims)) }

// Carry adds a text to the model's metadata.
func (g *Graph) Carry(name, text string) {
	g.carried = append(g.carried, texts(1, name)+texts(2, text))
}

// declared returns the ValueInfoProto of a tensor of float32. A dimension is a number or, if it is free, a name.
func declared(name string, dims []any) string {
	shape := ""
	for _, dim := range dims {
		if free, ok := dim.(string); ok {
			shape += texts(1, texts(2, free))
		} else {
			shape += texts(1, ints(1, dim.(int)))
		}
	}
	return texts(1, name) + texts(2, texts(1, ints(1, Float)+texts(2, shape)))
}

// Model returns a ModelProto with this graph. It has opset 13, of 2020, and the format's version that came with it: old
// enough for every runtime in use.
func (g *Graph) Model(producer, version string) ([]byte, error) {
	const rest = 1 << 26 // ample for all but the constants
	if g.bytes > math.MaxInt32-rest {
		return nil, fmt.Errorf("its constants take %d bytes; an ONNX file holds less than 2 GiB", g.bytes)
	}
	const ir, opset = 7, 13
	graph := texts(1, g.nodes...) + texts(2, producer) + texts(5, g.initializers...) + texts(11, g.inputs...) +
		texts(12, g.outputs...)
	return []byte(ints(1, ir) + texts(2, producer) + texts(3, version) + texts(7, graph) +
		texts(8, texts(1, "")+ints(2, opset)) +
		texts(14, g.carried...)), nil
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
