package serve

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/internal/jsonread"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/support/xslices"
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

// outputNames are the outputs, in the order of an answer to a request that asks for none.
var outputNames = []string{probabilitiesTensor, classTensor, labelTensor}

// tensor is an output, or the description of a tensor.
type tensor struct {
	Name       string         `json:"name"`
	Datatype   string         `json:"datatype"`
	Shape      []int          `json:"shape"` // in a description -1 stands for any
	Parameters map[string]int `json:"parameters,omitempty"`
	Data       any            `json:"data,omitempty"`
}

// inferRequest is what a request asks for.
type inferRequest struct {
	id               string
	timeout          time.Duration // 0: none
	inBinary         bool          // all outputs
	outputs          []output
	classify.Samples         // without names: signals
	threshold        float64 // below which predictions are withheld
}

// output is a tensor that a request asks for.
type output struct {
	name           string
	inBinary       *bool // nil: as the request says
	classification int   // how many classes; 0: the output is not a ranking
}

// input is a tensor that a request brings.
type input struct {
	name, datatype string
	shape          []int
	data           []byte // JSON; nil: none
	size           *int   // bytes of a binary tensor
	row            bool   // its shape is [batch, sensors], of one time point each
}

// decode reads the body of an infer request and checks that it fits the model. Only the classifier knows whether its
// values are usable. binaryHeaderValue is the value of the HTTP header binaryHeader, "" without. most is the greatest
// number of signals. Before decode allocates the values, it calls take with their bytes, and with 0 now and then. It
// fails with take's error.
func decode(body []byte, binaryHeaderValue string, m *models.Metadata, most int,
	take func(int) error) (*inferRequest, error) {
	header, tail := body, []byte(nil)
	if binaryHeaderValue != "" {
		n, err := strconv.Atoi(binaryHeaderValue)
		if err != nil || n < 0 || n > len(body) {
			return nil, bad("%s is %q; it must be the length of the JSON part, at most the body's %d bytes",
				binaryHeader, suggest.Clip(binaryHeaderValue), len(body))
		}
		header, tail = body[:n], body[n:]
	}
	r := jsonread.New(header)
	r.Check = func() error { return take(0) }
	d, in, err := readRequest(r)
	if err != nil {
		return nil, unreadable(err)
	}
	if m.Form != nil && m.Form.Longest == 1 && len(in.shape) == 2 { // rows of a table
		in.row = true
	}
	values, err := in.values(tail, shapeOf(m), most, take)
	if err != nil {
		return nil, err
	}
	d.Signals = slices.Collect(slices.Chunk(values, len(values)/in.shape[0]))
	return d, nil
}

// shapeOf returns the shape of the input: [batch, nodes, channels] or, of recordings at even time points, [batch,
// timepoints, sensors * channels]. -1 stands for any.
func shapeOf(m *models.Metadata) []int {
	if m.Form != nil {
		return []int{-1, -1, m.Form.Width()}
	}
	return []int{-1, m.Spec.Nodes, m.Spec.Channels}
}

// unreadable returns the refusal in an error of reading, or makes one.
func unreadable(err error) error {
	if known := (refusal{}); errors.As(err, &known) {
		return known
	}
	return bad("the request is not the JSON expected: %w", err)
}

// readRequest reads the JSON of an infer request, and ends at the first part that no request has.
func readRequest(r *jsonread.Reader) (d *inferRequest, in *input, err error) {
	d = &inferRequest{}
	timeout := 0
	err = r.Object(map[string]jsonread.Value{
		"id": r.Text(&d.id),
		"parameters": r.Object(map[string]jsonread.Value{"binary_data_output": r.Bool(&d.inBinary),
			"timeout": r.Int(&timeout)}),
		"inputs": r.List(func(i int) (err error) {
			if i > 0 {
				return bad("there are several inputs; the model takes one, %q", signalsTensor)
			}
			in, err = readInput(r)
			return err
		}),
		"outputs": r.List(func(i int) error {
			out, err := readOutput(r)
			d.outputs = d.outputs[:i]
			if err == nil && slices.ContainsFunc(d.outputs, func(o output) bool { return o.name == out.name }) {
				err = bad("output %q is asked for twice", out.name)
			}
			d.outputs = append(d.outputs, out)
			return err
		}),
	})("the request")
	if err == nil {
		err = r.End()
	}
	if err == nil && in == nil {
		err = bad("there is no input; the model takes one, %q", signalsTensor)
	}
	d.timeout = time.Duration(min(timeout, math.MaxInt64/1000)) * time.Microsecond
	if len(d.outputs) == 0 {
		for _, name := range outputNames {
			d.outputs = append(d.outputs, output{name: name})
		}
	}
	return d, in, err
}

// readInput reads the description of an input. Its data stays as it is written until the shape is known to fit.
func readInput(r *jsonread.Reader) (*input, error) {
	in := &input{}
	err := r.Object(map[string]jsonread.Value{
		"name":     r.Text(&in.name),
		"datatype": r.Text(&in.datatype),
		"data":     r.Raw(&in.data),
		"shape": r.List(func(i int) error {
			if i == 3 {
				return bad("the shape of an input has more than 3 sizes; the model takes three")
			}
			in.shape = append(in.shape[:i], 0)
			return r.Int(&in.shape[i])("a size in shape")
		}),
		"parameters": r.Object(map[string]jsonread.Value{"binary_data_size": func(what string) error {
			in.size = new(int)
			return r.Int(in.size)(what)
		}}),
	})("an input")
	if err == nil && in.name != signalsTensor {
		err = bad("there is no input %q; the model takes one, %q", suggest.Clip(in.name), signalsTensor)
	}
	return in, err
}

// readOutput reads which output is asked for, and how.
func readOutput(r *jsonread.Reader) (out output, err error) {
	ranked := false
	err = r.Object(map[string]jsonread.Value{
		"name": r.Text(&out.name),
		"parameters": r.Object(map[string]jsonread.Value{
			"binary_data": func(what string) error {
				out.inBinary = new(bool)
				return r.Bool(out.inBinary)(what)
			},
			"classification": func(what string) error {
				ranked = true
				return r.Int(&out.classification)(what)
			},
		}),
	})("an output")
	switch {
	case err != nil:
	case !slices.Contains(outputNames, out.name):
		err = bad("there is no output %q; there are %s", suggest.Clip(out.name), strings.Join(outputNames, ", "))
	case ranked && out.name != probabilitiesTensor:
		err = bad("output %q: classification is for %s only", out.name, probabilitiesTensor)
	case ranked && out.classification < 1:
		err = bad("output %q: classification is %d; it must be at least 1", out.name, out.classification)
	}
	return out, err
}

// values returns all values, row-major.
func (in *input) values(tail []byte, takes []int, most int, take func(int) error) ([]float32, error) {
	nested := in.shape // as data is written
	switch {
	case in.row:
		in.shape = []int{in.shape[0], 1, in.shape[1]}
	case len(in.shape) == 2 && takes[2] == 1:
		in.shape = append(in.shape, 1)
	}
	fits := len(in.shape) == 3 && in.shape[1] > 0 && in.shape[1] <= math.MaxInt32 &&
		(takes[1] < 0 || in.shape[1] == takes[1]) &&
		in.shape[2] == takes[2]
	if !fits || in.shape[0] < 1 {
		rows := "timepoints"
		if takes[1] > 0 {
			rows = strconv.Itoa(takes[1])
		}
		return nil, bad("input %q has shape %v; the model takes [batch, %s, %d] with a batch of at least 1", in.name,
			in.shape, rows, takes[2])
	}
	at := slices.IndexFunc(datatypes, func(d datatype) bool { return d.name == in.datatype })
	if at < 0 {
		names := xslices.Map(datatypes, func(d datatype) string { return d.name })
		return nil, bad("input %q has datatype %q; there are %s", in.name, suggest.Clip(in.datatype),
			strings.Join(names, ", "))
	}
	element := datatypes[at]
	if in.shape[0] > most {
		return nil, bad("the batch has %d signals; a request can have %d", in.shape[0], most)
	}
	size := in.shape[1] * in.shape[2]
	// a value takes a byte at least; so what follows cannot overflow
	if hold := (len(in.data) + len(tail)) / size; in.shape[0] > hold {
		return nil, bad("input %q has shape %v, but its data can hold %d signals at most", in.name, in.shape, hold)
	}
	count := in.shape[0] * size
	switch want := count * element.width; {
	case in.size == nil && len(tail) > 0:
		return nil, bad("%d bytes follow the JSON, but input %q has no parameter binary_data_size", len(tail), in.name)
	case in.size != nil && in.data != nil:
		return nil, bad("input %q has both data and binary_data_size; give one", in.name)
	case in.size != nil && (*in.size != want || len(tail) != want):
		return nil, bad("input %q: binary_data_size is %d and %d bytes follow the JSON; shape %v of %s takes %d",
			in.name, *in.size, len(tail), in.shape, in.datatype, want)
	}
	if err := take(4 * count); err != nil {
		return nil, err
	}
	if in.size == nil {
		values, err := parseNumbers(make([]float32, 0, count), in.data, nested, element.parse,
			func() error { return take(0) })
		if _, known := errors.AsType[refusal](err); err != nil && !known {
			err = bad("input %q: %w", in.name, err)
		}
		return values, err
	}
	values := make([]float32, count)
	for i := range values {
		var err error
		values[i], err = element.read(tail[i*element.width:])
		if err != nil {
			return nil, bad("input %q: element %d is %w", in.name, i, err)
		}
	}
	return values, nil
}
