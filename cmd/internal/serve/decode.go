package serve

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/models"
)

// The documents of the Open Inference Protocol, version 2, over HTTP/REST, with Triton's extensions for binary tensors
// and for classification.

// binaryHeader is the HTTP header that says how many bytes at the start of a body are JSON; the rest are binary
// tensors.
const binaryHeader = "Inference-Header-Content-Length"

// The tensors of every model.
const (
	signalsTensor       = "signals"
	probabilitiesTensor = "probabilities"
	classTensor         = "class"
	labelTensor         = "label"
)

// tensor is an input, an output or the description of a tensor. The data of an input are a json.RawMessage: they are
// read when their type is known.
type tensor[D any] struct {
	Name       string     `json:"name"`
	Datatype   string     `json:"datatype,omitempty"`
	Shape      []int      `json:"shape,omitempty"` // in a description -1 stands for any
	Parameters parameters `json:"parameters,omitzero"`
	Data       D          `json:"data,omitempty"`
}

// parameters are what a request and its tensors can set.
type parameters struct {
	BinaryDataOutput bool  `json:"binary_data_output,omitempty"` // of a request: all outputs in binary
	Timeout          int64 `json:"timeout,omitempty"`            // of a request, in µs; 0: none
	BinaryDataSize   *int  `json:"binary_data_size,omitempty"`   // of a binary tensor, in bytes
	BinaryData       *bool `json:"binary_data,omitempty"`        // of a requested output
	Classification   *int  `json:"classification,omitempty"`     // of a requested output: how many classes
}

type inferRequest struct {
	ID         string                    `json:"id"`
	Parameters parameters                `json:"parameters"`
	Inputs     []tensor[json.RawMessage] `json:"inputs"`
	Outputs    []tensor[any]             `json:"outputs"`

	signals [][]float32 // of the input
	names   []string    // of recordings; nil for signals
	notes   [][]string  // what to know of each recording
}

type inferResponse struct {
	ModelName    string        `json:"model_name"`
	ModelVersion string        `json:"model_version"`
	ID           string        `json:"id,omitempty"`
	Outputs      []tensor[any] `json:"outputs"`
}

// decode reads the body of an infer request and checks that it fits the model. Only the classifier knows whether its
// values are usable. binaryHeaderValue is the value of the HTTP header binaryHeader, "" without.
func decode(body []byte, binaryHeaderValue string, spec models.Spec) (*inferRequest, error) {
	header, tail := body, []byte(nil)
	if binaryHeaderValue != "" {
		n, err := strconv.Atoi(binaryHeaderValue)
		if err != nil || n < 0 || n > len(body) {
			return nil, bad("%s is %q; it must be the length of the JSON part, at most the body's %d bytes", binaryHeader, clip(binaryHeaderValue), len(body))
		}
		header, tail = body[:n], body[n:]
	}
	var d inferRequest
	if err := json.Unmarshal(header, &d); err != nil {
		return nil, bad("the request is not the JSON expected: %w", err)
	}
	if len(d.Inputs) != 1 || d.Inputs[0].Name != signalsTensor {
		names := make([]string, 0, 3)
		for _, in := range d.Inputs[:min(3, len(d.Inputs))] {
			names = append(names, clip(in.Name))
		}
		return nil, bad("there are %d inputs %q; the model takes one, %q", len(d.Inputs), names, signalsTensor)
	}
	in := d.Inputs[0]
	values, err := readInput(in, tail, spec)
	if err != nil {
		return nil, err
	}
	d.signals = slices.Collect(slices.Chunk(values, spec.Nodes*spec.Channels))
	d.Inputs = nil // the body can be freed
	return &d, d.checkOutputs()
}

// readInput returns all values of the input, row-major.
func readInput(in tensor[json.RawMessage], tail []byte, spec models.Spec) ([]float32, error) {
	fits := len(in.Shape) == 3 && in.Shape[1] == spec.Nodes && in.Shape[2] == spec.Channels ||
		len(in.Shape) == 2 && in.Shape[1] == spec.Nodes && spec.Channels == 1
	if !fits || in.Shape[0] < 1 {
		return nil, bad("input %q has shape %v; the model takes [batch, %d, %d] with a batch of at least 1", in.Name, in.Shape[:min(8, len(in.Shape))], spec.Nodes, spec.Channels)
	}
	element, ok := elements[in.Datatype]
	if !ok {
		return nil, bad("input %q has datatype %q; there are FP32, FP64, INT64, INT32 and UINT8", in.Name, clip(in.Datatype))
	}
	size := spec.Nodes * spec.Channels
	if most := (len(in.Data) + len(tail)) / size; in.Shape[0] > most { // a value takes a byte at least; so what follows cannot overflow
		return nil, bad("input %q has shape %v, but its data can hold %d signals at most", in.Name, in.Shape, most)
	}
	count := in.Shape[0] * size
	if in.Parameters.BinaryDataSize == nil {
		if len(tail) > 0 {
			return nil, bad("%d bytes follow the JSON, but input %q has no parameter binary_data_size", len(tail), in.Name)
		}
		values, err := parseNumbers(make([]float32, 0, count), in.Data, in.Shape, element.parse)
		if err != nil {
			return nil, bad("input %q: %w", in.Name, err)
		}
		return values, nil
	}
	if len(in.Data) > 0 {
		return nil, bad("input %q has both data and binary_data_size; give one", in.Name)
	}
	if want := count * element.width; *in.Parameters.BinaryDataSize != want || len(tail) != want {
		return nil, bad("input %q: binary_data_size is %d and %d bytes follow the JSON; shape %v of %s takes %d", in.Name, *in.Parameters.BinaryDataSize, len(tail), in.Shape, in.Datatype, want)
	}
	values := make([]float32, count)
	for i := range values {
		values[i] = element.read(tail[i*element.width:])
	}
	return values, nil
}

// element is how a datatype is read.
type element struct {
	width int                                // bytes
	read  func(b []byte) float32             // little-endian
	parse func(text []byte) (float32, error) // from JSON
}

var elements = map[string]element{
	"FP32":  {4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }, parseFloat},
	"FP64":  {8, func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }, parseFloat},
	"INT64": {8, func(b []byte) float32 { return float32(int64(binary.LittleEndian.Uint64(b))) }, parseInt(64)},
	"INT32": {4, func(b []byte) float32 { return float32(int32(binary.LittleEndian.Uint32(b))) }, parseInt(32)},
	"UINT8": {1, func(b []byte) float32 { return float32(b[0]) }, func(text []byte) (float32, error) {
		v, err := strconv.ParseUint(string(text), 10, 8)
		return float32(v), err
	}},
}

func parseFloat(text []byte) (float32, error) {
	v, err := strconv.ParseFloat(string(text), 32)
	return float32(v), err
}

func parseInt(bits int) func([]byte) (float32, error) {
	return func(text []byte) (float32, error) {
		v, err := strconv.ParseInt(string(text), 10, bits)
		return float32(v), err
	}
}

// checkOutputs says what is wrong with the requested outputs. A request without outputs gets all.
func (d *inferRequest) checkOutputs() error {
	known := []string{probabilitiesTensor, classTensor, labelTensor}
	seen := map[string]bool{}
	for _, out := range d.Outputs {
		classification := out.Parameters.Classification
		switch {
		case !slices.Contains(known, out.Name):
			return bad("there is no output %q; there are %s", clip(out.Name), strings.Join(known, ", "))
		case seen[out.Name]:
			return bad("output %q is asked for twice", out.Name)
		case classification != nil && out.Name != probabilitiesTensor:
			return bad("output %q: classification is for %s only", out.Name, probabilitiesTensor)
		case classification != nil && *classification < 1:
			return bad("output %q: classification is %d; it must be at least 1", out.Name, *classification)
		}
		seen[out.Name] = true
	}
	if len(d.Outputs) == 0 {
		for _, name := range known {
			d.Outputs = append(d.Outputs, tensor[any]{Name: name})
		}
	}
	return nil
}

// clip shortens a client's text for an error.
func clip(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}
