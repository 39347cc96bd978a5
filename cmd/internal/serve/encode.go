package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/clusterpool/ccp/models"
)

// encode makes the answer to a request: JSON, then the binary tensors. header is the length of the JSON part, or -1
// without binary tensors.
func encode(name, version string, classes []string, d *inferRequest, predictions []models.Prediction) (body []byte, header int, err error) {
	response := inferResponse{ModelName: name, ModelVersion: version, ID: d.ID}
	var tail []byte
	header = -1
	for _, asked := range d.Outputs {
		out := outputOf(asked, classes, predictions)
		inBinary := asked.Parameters.BinaryData
		if inBinary != nil && *inBinary || inBinary == nil && d.Parameters.BinaryDataOutput {
			before := len(tail)
			tail = appendBinary(tail, out.Data)
			size := len(tail) - before
			header, out.Parameters.BinaryDataSize, out.Data = 0, &size, nil
		}
		response.Outputs = append(response.Outputs, out)
	}
	body, err = json.Marshal(response)
	if header == 0 {
		header = len(body)
	}
	return append(body, tail...), header, err
}

// outputOf returns a requested output with its data.
func outputOf(asked tensor[any], classes []string, predictions []models.Prediction) tensor[any] {
	out := tensor[any]{Name: asked.Name, Datatype: "BYTES", Shape: []int{len(predictions)}}
	switch {
	case asked.Parameters.Classification != nil: // of probabilities
		k := min(*asked.Parameters.Classification, len(classes))
		out.Shape = append(out.Shape, k)
		out.Data = collect(predictions, func(p models.Prediction) []string { return ranking(p.Probabilities, classes, k) })
	case asked.Name == probabilitiesTensor:
		out.Datatype, out.Shape = "FP32", append(out.Shape, len(classes))
		out.Data = collect(predictions, func(p models.Prediction) (values []float32) {
			for _, v := range p.Probabilities {
				values = append(values, float32(v))
			}
			return values
		})
	case asked.Name == classTensor:
		out.Datatype = "INT64"
		out.Data = collect(predictions, func(p models.Prediction) []int64 { return []int64{int64(p.Class)} })
	default:
		out.Data = collect(predictions, func(p models.Prediction) []string { return []string{p.Name} })
	}
	return out
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
	for _, class := range Ranked(probabilities, k) {
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
