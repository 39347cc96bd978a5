package serve

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/models"
)

// encode makes the answer to a request: JSON, then the binary tensors. header is the length of the JSON part, or -1 without
// binary tensors.
func encode(name, version string, classes []string, d *decoded, predictions []models.Prediction) (body []byte, header int, err error) {
	response := inferResponse{ModelName: name, ModelVersion: version, ID: d.ID}
	var tail []byte
	header = -1
	for _, asked := range d.Outputs {
		out := outputOf(asked, classes, predictions)
		inBinary := asked.Parameters.BinaryData
		if inBinary != nil && *inBinary || inBinary == nil && d.Parameters.BinaryDataOutput {
			before := len(tail)
			if tail, err = appendBinary(tail, out.Data); err != nil {
				return nil, 0, err
			}
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
	var texts []string
	var class []int64
	var probabilities []float32
	k := 0
	if asked.Parameters.Classification != nil {
		k = min(*asked.Parameters.Classification, len(classes))
	}
	for _, p := range predictions {
		switch {
		case k > 0:
			texts = append(texts, ranking(p.Probabilities, classes, k)...)
		case asked.Name == labelTensor:
			texts = append(texts, p.Name)
		case asked.Name == classTensor:
			class = append(class, int64(p.Class))
		default:
			for _, v := range p.Probabilities {
				probabilities = append(probabilities, float32(v))
			}
		}
	}
	n := len(predictions)
	switch {
	case k > 0:
		return tensor[any]{Name: asked.Name, Datatype: "BYTES", Shape: []int{n, k}, Data: texts}
	case asked.Name == labelTensor:
		return tensor[any]{Name: asked.Name, Datatype: "BYTES", Shape: []int{n}, Data: texts}
	case asked.Name == classTensor:
		return tensor[any]{Name: asked.Name, Datatype: "INT64", Shape: []int{n}, Data: class}
	}
	return tensor[any]{Name: asked.Name, Datatype: "FP32", Shape: []int{n, len(classes)}, Data: probabilities}
}

// ranking is the classification extension's "score:index:label" of the k most probable classes, the most probable first.
func ranking(probabilities []float64, classes []string, k int) (texts []string) {
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	for _, class := range order[:k] {
		texts = append(texts, fmt.Sprintf("%f:%d:%s", probabilities[class], class, classes[class]))
	}
	return texts
}

// appendBinary appends a tensor's data in binary: numbers are little-endian, a text follows its length in four bytes.
func appendBinary(b []byte, data any) ([]byte, error) {
	texts, ok := data.([]string)
	if !ok {
		return binary.Append(b, binary.LittleEndian, data)
	}
	for _, text := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	return b, nil
}
