package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/clusterpool/ccp/models/onnx"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// message is a decoded protobuf message: the values of each field, in their order, numbers as uint64, the rest as
// bytes.
type message map[protowire.Number][]any

func decodeMessage(t *testing.T, raw []byte) message {
	t.Helper()
	m := message{}
	for len(raw) > 0 {
		field, kind, n := protowire.ConsumeTag(raw)
		require.Positive(t, n)
		raw = raw[n:]
		var value any
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(raw)
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(raw)
		default:
			t.Fatalf("field %d has wire type %d", field, kind)
		}
		require.Positive(t, n)
		raw = raw[n:]
		m[field] = append(m[field], value)
	}
	return m
}

func (m message) ints(field protowire.Number) []int {
	var all []int
	for _, v := range m[field] {
		all = append(all, int(v.(uint64)))
	}
	return all
}

func (m message) texts(field protowire.Number) []string {
	var all []string
	for _, v := range m[field] {
		all = append(all, string(v.([]byte)))
	}
	return all
}

func (m message) messages(t *testing.T, field protowire.Number) []message {
	var all []message
	for _, v := range m[field] {
		all = append(all, decodeMessage(t, v.([]byte)))
	}
	return all
}

// only is the field's one value.
func only[T any](t *testing.T, values []T) T {
	t.Helper()
	require.Len(t, values, 1)
	return values[0]
}

// tensor is a constant; integers are kept as float64, too.
type tensor struct {
	shape []int
	data  []float64
}

// onnxModel is a decoded model.
type onnxModel struct {
	ir, opset       int
	nodes           []onnxNode
	constants       map[string]tensor
	integers        map[string]bool // constants of int64
	inputs, outputs map[string]string
	metadata        map[string]string
}

type onnxNode struct {
	op              string
	inputs, outputs []string
}

func decodeModel(t *testing.T, raw []byte) onnxModel {
	t.Helper()
	m := decodeMessage(t, raw)
	sets := only(t, m.messages(t, 8))
	require.Equal(t, []string{""}, sets.texts(1))
	model := onnxModel{ir: only(t, m.ints(1)), opset: only(t, sets.ints(2)), constants: map[string]tensor{},
		integers: map[string]bool{}, metadata: map[string]string{}}
	for _, entry := range m.messages(t, 14) {
		model.metadata[only(t, entry.texts(1))] = only(t, entry.texts(2))
	}
	graph := only(t, m.messages(t, 7))
	for _, node := range graph.messages(t, 1) {
		model.nodes = append(model.nodes, onnxNode{only(t, node.texts(4)), node.texts(1), node.texts(2)})
	}
	for _, constant := range graph.messages(t, 5) {
		name, data := only(t, constant.texts(8)), only(t, constant[9]).([]byte)
		require.NotContains(t, model.constants, name, "twice")
		value := tensor{shape: constant.ints(1)}
		switch element := only(t, constant.ints(2)); element {
		case onnx.Float:
			for ; len(data) > 0; data = data[4:] {
				value.data = append(value.data, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
			}
		case onnx.Double:
			for ; len(data) > 0; data = data[8:] {
				value.data = append(value.data, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			}
		case onnx.Bool:
			for _, v := range data {
				value.data = append(value.data, float64(v))
			}
		case onnx.Int64:
			model.integers[name] = true
			for ; len(data) > 0; data = data[8:] {
				value.data = append(value.data, float64(int64(binary.LittleEndian.Uint64(data))))
			}
		default:
			t.Fatalf("%s has elements of type %d", name, element)
		}
		require.Len(t, value.data, size(value.shape), "%s %v", name, value.shape)
		model.constants[name] = value
	}
	model.inputs, model.outputs = decodeValues(t, graph.messages(t, 11)), decodeValues(t, graph.messages(t, 12))
	return model
}

// decodeValues gives each declared value its shape in words, such as "[batch 12 2]".
func decodeValues(t *testing.T, values []message) map[string]string {
	all := map[string]string{}
	for _, v := range values {
		kind := only(t, only(t, v.messages(t, 2)).messages(t, 1))
		require.Equal(t, onnx.Float, only(t, kind.ints(1)))
		var dims []any
		for _, dim := range only(t, kind.messages(t, 2)).messages(t, 1) {
			for _, name := range dim.texts(2) {
				dims = append(dims, name)
			}
			for _, fixed := range dim.ints(1) {
				dims = append(dims, fixed)
			}
		}
		all[only(t, v.texts(1))] = fmt.Sprint(dims)
	}
	return all
}

func size(shape []int) int {
	n := 1
	for _, dim := range shape {
		n *= dim
	}
	return n
}
