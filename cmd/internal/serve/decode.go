package serve

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/jsonread"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/early"
)

// The documents of the Open Inference Protocol, version 2, over HTTP/REST, with Triton's extensions for binary tensors
// and for classification.

// binaryHeader is the HTTP header that says how many bytes at the start of a body are JSON; the rest are binary
// tensors.
const binaryHeader = "Inference-Header-Content-Length"

// The tensors of every model. Those of recordings also take series, see inferRequest.readSeries, with their times.
const (
	signalsTensor       = "signals"
	seriesTensor        = "series"
	timesTensor         = "times"
	probabilitiesTensor = "probabilities"
	classTensor         = "class"
	labelTensor         = "label"
	pValuesTensor       = "p_values"
	decidedTensor       = "decided"
	seenTensor          = "seen"
)

// outputNames are the outputs. A request that asks for none gets the first three, in their order.
var outputNames = []string{probabilitiesTensor, classTensor, labelTensor, pValuesTensor, decidedTensor, seenTensor}

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
	classify.Samples               // without names: signals
	sets             classify.Sets // those that are asked for, and p-values
	early            bool          // the class of each recording as early as it is decided
	spans            recording.Cut // of the windows of recordings, if they are cut
}

// asks reports that one of some outputs is asked for.
func (d *inferRequest) asks(names ...string) bool {
	return slices.ContainsFunc(d.outputs, func(o output) bool { return slices.Contains(names, o.name) })
}

// allowsEarly returns an error if early decisions are asked for, and the classifier has not learned them or the request
// asks for what is not of them.
func (d *inferRequest) allowsEarly(rule *early.Rule) error {
	switch {
	case !d.early:
		return nil
	case rule == nil:
		return bad("%w", early.ErrUntrained)
	case d.sets.Asked() || d.asks(pValuesTensor):
		return bad("p-values and sets are of whole recordings, and early decisions are not; ask for one of them")
	case d.Windows != nil:
		return bad("early decisions are of whole recordings, and not of windows; ask for one of them")
	}
	return nil
}

// takeScores takes the scores by which there are p-values, if the request asks for any.
func (d *inferRequest) takeScores(by *conformal.Predictor) error {
	if !d.asks(pValuesTensor) {
		return nil
	}
	if err := by.Allows(0); err != nil {
		return bad("%w", err)
	}
	d.sets.By = by
	return nil
}

// output is a tensor that a request asks for.
type output struct {
	name           string
	inBinary       *bool // nil: as the request says
	double         bool  // in FP64
	classification int   // how many classes; 0: the output is not a ranking
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
	d, inputs, err := readRequest(r)
	if err != nil {
		return nil, unreadable(err)
	}
	d.early = d.asks(decidedTensor, seenTensor)
	in := inputs[0]
	if in.name == seriesTensor {
		return d, refuseRecording(d.readSeries(inputs, tail, m.Form, most, take))
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
func readRequest(r *jsonread.Reader) (d *inferRequest, inputs []*input, err error) {
	d = &inferRequest{}
	timeout := 0
	err = r.Object(map[string]jsonread.Value{
		"id": r.Text(&d.id),
		"parameters": r.Object(map[string]jsonread.Value{"binary_data_output": r.Bool(&d.inBinary),
			"timeout": r.Int(&timeout)}),
		"inputs": r.List(func(i int) (err error) {
			in, err := readInput(r)
			inputs = append(inputs[:i], in)
			if err == nil && (i > 1 || (in.name == timesTensor) != (i == 1) || i == 1 && inputs[0].name != seriesTensor) {
				err = bad("there are several inputs, of which input %d is %q; the model takes one, %q, or of recordings %q "+
					"and perhaps then %q", i, in.name, signalsTensor, seriesTensor, timesTensor)
			}
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
	if err == nil && inputs == nil {
		err = bad("there is no input; the model takes one, %q", signalsTensor)
	}
	d.timeout = time.Duration(min(timeout, math.MaxInt64/1000)) * time.Microsecond
	if len(d.outputs) == 0 {
		for _, name := range outputNames[:3] {
			d.outputs = append(d.outputs, output{name: name})
		}
	}
	return d, inputs, err
}

// readInput reads the description of an input. Its data stays as it is written until the shape is known to fit.
func readInput(r *jsonread.Reader) (*input, error) {
	in := &input{}
	err := r.Object(map[string]jsonread.Value{
		"name":     r.Text(&in.name),
		"datatype": r.Text(&in.datatype),
		"data":     r.Raw(&in.data),
		"shape": r.List(func(i int) error {
			if i == 4 {
				return bad("the shape of an input has more than 4 sizes; the model takes three, and four of %s",
					seriesTensor)
			}
			in.shape = append(in.shape[:i], 0)
			return r.Int(&in.shape[i])("a size in shape")
		}),
		"parameters": r.Object(map[string]jsonread.Value{"binary_data_size": func(what string) error {
			in.size = new(int)
			return r.Int(in.size)(what)
		}}),
	})("an input")
	if err == nil && len(in.shape) == 4 && in.name != seriesTensor {
		err = bad("the shape of an input has more than 3 sizes; the model takes three")
	}
	if err == nil && !slices.Contains([]string{signalsTensor, seriesTensor, timesTensor}, in.name) {
		err = bad("there is no input %q; the model takes one, %q", suggest.Clip(in.name), signalsTensor)
	}
	return in, err
}

// readOutput reads which output is asked for, and how.
func readOutput(r *jsonread.Reader) (out output, err error) {
	ranked, datatype := false, ""
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
			"datatype": r.Text(&datatype),
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
	case datatype != "" && (out.name != probabilitiesTensor || datatype != "FP32" && datatype != "FP64"):
		err = bad("output %q: datatype is %q; it is FP32 or FP64, of %s only", out.name, suggest.Clip(datatype),
			probabilitiesTensor)
	}
	out.double = datatype == "FP64"
	return out, err
}
