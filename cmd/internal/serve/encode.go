package serve

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/models"
)

// encode makes the answer to a request: the JSON, followed by binary tensors if any was asked for so. header is the length of
// the JSON part then, else -1.
func encode(name, version string, classes []string, d *decoded, predictions []models.Prediction) (body []byte, header int, err error) {
	response := inferResponse{ModelName: name, ModelVersion: version, ID: d.ID}
	var tail []byte
	anyBinary := false
	for _, asked := range d.Outputs {
		out := outputOf(asked, classes, predictions)
		inBinary := asked.Parameters.BinaryData
		if inBinary != nil && *inBinary || inBinary == nil && d.Parameters.BinaryDataOutput {
			anyBinary = true
			before := len(tail)
			if tail, err = appendBinary(tail, out.Data); err != nil {
				return nil, 0, err
			}
			size := len(tail) - before
			out.Parameters, out.Data = &parameters{BinaryDataSize: &size}, nil
		}
		response.Outputs = append(response.Outputs, out)
	}
	if body, err = json.Marshal(response); err != nil {
		return nil, 0, err
	}
	if !anyBinary {
		return body, -1, nil
	}
	return append(body, tail...), len(body), nil
}

// outputOf gives an output that was asked for, with its data.
func outputOf(asked tensor, classes []string, predictions []models.Prediction) tensor {
	n := len(predictions)
	switch {
	case asked.Parameters.Classification != nil: // of probabilities
		var texts []string
		k := min(*asked.Parameters.Classification, len(classes))
		for _, p := range predictions {
			texts = append(texts, ranking(p.Probabilities, classes, k)...)
		}
		return tensor{Name: asked.Name, Datatype: "BYTES", Shape: []int{n, k}, Data: texts}
	case asked.Name == probabilitiesTensor:
		values := make([]float32, 0, n*len(classes))
		for _, p := range predictions {
			for _, v := range p.Probabilities {
				values = append(values, float32(v))
			}
		}
		return tensor{Name: asked.Name, Datatype: "FP32", Shape: []int{n, len(values) / n}, Data: values}
	case asked.Name == classTensor:
		values := make([]int64, n)
		for i, p := range predictions {
			values[i] = int64(p.Class)
		}
		return tensor{Name: asked.Name, Datatype: "INT64", Shape: []int{n}, Data: values}
	}
	values := make([]string, n)
	for i, p := range predictions {
		values[i] = p.Name
	}
	return tensor{Name: asked.Name, Datatype: "BYTES", Shape: []int{n}, Data: values}
}

// ranking is the classification extension's "score:index:label" of the k most probable classes, the most probable first.
func ranking(probabilities []float64, classes []string, k int) []string {
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	texts := make([]string, k)
	for i, class := range order[:k] {
		texts[i] = fmt.Sprintf("%f:%d:%s", probabilities[class], class, classes[class])
	}
	return texts
}

// appendBinary appends the binary form of a tensor's data: numbers little-endian, before each text its length in four bytes.
func appendBinary(b []byte, data any) ([]byte, error) {
	texts, ok := data.([]string)
	if !ok {
		return binary.Append(b, binary.LittleEndian, data)
	}
	for _, text := range texts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	return b, nil
}
