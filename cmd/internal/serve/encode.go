package serve

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/models"
)

// encode makes the answer to a request: the JSON, followed by binary tensors if any was asked for so. header is the length of
// the JSON part then, else -1.
func encode(name, version string, classes []string, d *decoded, predictions []models.Prediction) (body []byte, header int, err error) {
	response := inferResponse{ModelName: name, ModelVersion: version, ID: d.ID}
	outputs := d.Outputs
	if len(outputs) == 0 {
		outputs = []outputRequest{{Name: probabilitiesTensor}, {Name: classTensor}, {Name: labelTensor}}
	}
	var tail []byte
	anyBinary := false
	for _, out := range outputs {
		tensor, raw := outputOf(out, classes, predictions)
		asBinary := d.Parameters.BinaryDataOutput
		if out.Parameters.BinaryData != nil {
			asBinary = *out.Parameters.BinaryData
		}
		if asBinary {
			anyBinary = true
			tensor.Parameters = &outputBinarySize{len(raw)}
			tensor.Data = nil
			tail = append(tail, raw...)
		}
		response.Outputs = append(response.Outputs, tensor)
	}
	if body, err = json.Marshal(response); err != nil {
		return nil, 0, err
	}
	if !anyBinary {
		return body, -1, nil
	}
	return append(body, tail...), len(body), nil
}

// outputOf gives an output both ways: with its data as JSON has it, and its data in binary.
func outputOf(out outputRequest, classes []string, predictions []models.Prediction) (tensor outputTensor, raw []byte) {
	n := len(predictions)
	tensor = outputTensor{Name: out.Name, Shape: []int{n}}
	switch {
	case out.Name == probabilitiesTensor && out.Parameters.Classification != nil:
		var texts []string
		k := min(*out.Parameters.Classification, len(classes))
		for _, p := range predictions {
			texts = append(texts, ranking(p.Probabilities, classes, k)...)
		}
		tensor.Datatype, tensor.Shape, tensor.Data = "BYTES", []int{n, k}, texts
		raw = rawStrings(texts)
	case out.Name == probabilitiesTensor:
		var values []float32
		for _, p := range predictions {
			for _, v := range p.Probabilities {
				values = append(values, float32(v))
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
			}
		}
		tensor.Datatype, tensor.Shape, tensor.Data = "FP32", []int{n, len(values) / n}, values
	case out.Name == classTensor:
		values := make([]int64, n)
		for i, p := range predictions {
			values[i] = int64(p.Class)
			raw = binary.LittleEndian.AppendUint64(raw, uint64(p.Class))
		}
		tensor.Datatype, tensor.Data = "INT64", values
	default:
		values := make([]string, n)
		for i, p := range predictions {
			values[i] = p.Name
		}
		tensor.Datatype, tensor.Data = "BYTES", values
		raw = rawStrings(values)
	}
	return tensor, raw
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

// rawStrings is the binary form of BYTES: before each text its length in four bytes.
func rawStrings(texts []string) (raw []byte) {
	for _, text := range texts {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(len(text)))
		raw = append(raw, text...)
	}
	return raw
}
