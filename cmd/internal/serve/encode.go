package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
)

// encode makes the answer to a request: JSON, and then the tensors that are asked for in binary form. header is the
// length of the JSON part, or -1 if there are no such tensors.
func encode(name, version string, classes []string, d *inferRequest, predictions []models.Prediction) (body []byte,
	header int, err error) {
	response := struct {
		ModelName    string            `json:"model_name"`
		ModelVersion string            `json:"model_version"`
		ID           string            `json:"id,omitempty"`
		Parameters   map[string]string `json:"parameters,omitempty"`
		Outputs      []tensor          `json:"outputs"`
	}{ModelName: name, ModelVersion: version, ID: d.id}
	for i, notes := range d.Notes { // of series
		predictions[i].Warnings = append(notes, predictions[i].Warnings...)
	}
	if warnings := warningsOf(predictions); warnings != "" {
		response.Parameters = map[string]string{"warnings": warnings}
	}
	var tail []byte // the binary tensors
	anyInBinary := false
	for _, asked := range d.outputs {
		out := d.outputOf(asked, classes, predictions)
		inBinary := d.inBinary // unless the output says otherwise
		if asked.inBinary != nil {
			inBinary = *asked.inBinary
		}
		if inBinary {
			before := len(tail)
			tail = appendBinary(tail, out.Data)
			out.Parameters, out.Data = map[string]int{"binary_data_size": len(tail) - before}, nil
			anyInBinary = true
		}
		response.Outputs = append(response.Outputs, out)
	}
	body, err = json.Marshal(response)
	header = -1
	if anyInBinary {
		header = len(body)
	}
	return append(body, tail...), header, err
}

// warningsOf lists what to know of the first signals that have warnings. It is one text, since the protocol's
// parameters are texts, numbers or booleans.
func warningsOf(predictions []models.Prediction) string {
	const shown = 8
	var lines []string
	for i, p := range predictions {
		if len(p.Warnings) > 0 {
			lines = append(lines, fmt.Sprintf("signal %d: %s", i, strings.Join(p.Warnings, "; ")))
		}
	}
	if more := len(lines) - shown; more > 0 {
		lines = append(lines[:shown], fmt.Sprintf("and %d other signals", more))
	}
	return strings.Join(lines, "\n")
}

// outputOf returns a requested output with its data.
func (d *inferRequest) outputOf(asked output, classes []string, predictions []models.Prediction) tensor {
	out := tensor{Name: asked.name, Datatype: "BYTES", Shape: []int{len(predictions)}}
	switch {
	case asked.classification > 0: // of probabilities
		k := min(asked.classification, len(classes))
		out.Shape = append(out.Shape, k)
		out.Data = collect(predictions, func(p models.Prediction) []string { return ranking(p.Probabilities, classes, k) })
	case asked.name == pValuesTensor:
		out.Datatype, out.Shape = "FP64", append(out.Shape, len(classes))
		of := func(p models.Prediction) []float64 { return d.sets.By.PValues(p.Probabilities) }
		out.Data = numbersOrNull(collect(predictions, of))
	case asked.name == decidedTensor:
		out.Datatype = "FP64"
		out.Data = d.decided()
	case asked.name == seenTensor:
		out.Datatype = "FP64"
		out.Data = collect(predictions, func(p models.Prediction) []float64 { return []float64{p.Early.Seen} })
	case asked.double:
		out.Datatype, out.Shape = "FP64", append(out.Shape, len(classes))
		out.Data = collect(predictions, func(p models.Prediction) []float64 { return p.Probabilities })
	case asked.name == probabilitiesTensor:
		out.Datatype, out.Shape = "FP32", append(out.Shape, len(classes))
		out.Data = collect(predictions, func(p models.Prediction) []float32 { return loop.Convert[float32](p.Probabilities) })
	case asked.name == classTensor:
		out.Datatype = "INT64"
		out.Data = collect(predictions, func(p models.Prediction) []int64 { return []int64{int64(p.Class)} })
	default:
		out.Data = collect(predictions, func(p models.Prediction) []string { return []string{p.Name} })
	}
	return out
}

// decided returns how long each recording had lasted when its class was decided; NaN for one that was not.
func (d *inferRequest) decided() numbersOrNull {
	all := make(numbersOrNull, len(d.Early))
	for i, e := range d.Early {
		all[i] = math.NaN()
		if e.Decided != nil {
			all[i] = *e.Decided
		}
	}
	return all
}

// numbersOrNull are numbers of which some are unknown, such as the p-value of a class without one: NaN, and in JSON
// null.
type numbersOrNull []float64

// MarshalJSON implements json.Marshaler.
func (values numbersOrNull) MarshalJSON() ([]byte, error) {
	list := make([]any, len(values))
	for i, p := range values {
		if !math.IsNaN(p) {
			list[i] = p
		}
	}
	return json.Marshal(list)
}

func collect[T any](predictions []models.Prediction, part func(models.Prediction) []T) (all []T) {
	for _, p := range predictions {
		all = append(all, part(p)...)
	}
	return all
}

// ranking is the classification extension's "score:index:label" of the k most probable classes, the most probable
// first.
func ranking(probabilities []float64, classes []string, k int) (texts []string) {
	for _, class := range classify.Ranked(probabilities, k) {
		texts = append(texts, fmt.Sprintf("%f:%d:%s", probabilities[class], class, classes[class]))
	}
	return texts
}

// appendBinary appends a tensor's data in binary: numbers are little-endian, a text follows its length in four bytes.
func appendBinary(b []byte, data any) []byte {
	texts, ok := data.([]string)
	if !ok {
		b, _ = binary.Append(b, binary.LittleEndian, data) // it cannot fail for slices of numbers
	}
	for _, text := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	return b
}
