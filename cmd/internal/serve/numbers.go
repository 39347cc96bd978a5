package serve

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/internal/suggest"
)

var errStructure = errors.New("its data does not have its shape")

// parseNumbers appends the numbers of a JSON array to values. The array is flat or nested as shape says. encoding/json
// could do this, but needs a slice for each row and several times as long. That matters: reading a batch of images must
// not take as long as classifying it. The data is valid JSON, because jsonread has read it.
// An error of check, called now and then, ends the reading.
func parseNumbers(values []float32, data []byte, shape []int, parse func([]byte) (float32, error), check func() error) ([]float32, error) {
	const space = " \n\t\r"
	switch inner, array := bytes.CutPrefix(bytes.TrimLeft(data, space), []byte("[")); {
	case !array:
		return nil, errors.New("its data is not an array")
	case !bytes.HasPrefix(bytes.TrimLeft(inner, space), []byte("[")):
		count := 1
		for _, n := range shape {
			count *= n
		}
		shape = []int{count}
	}
	counts := make([]int, len(shape)+1) // elements so far of the open array at each depth; at depth 0 the array itself
	depth := 0
	for at := 0; at < len(data); at++ {
		c := data[at]
		switch c {
		case ' ', '\n', '\t', '\r', ',':
			continue
		case ']':
			depth--
			if counts[depth+1] < shape[depth] {
				return nil, fmt.Errorf("%w: an array ends after %d elements, the shape says %d", errStructure, counts[depth+1], shape[depth])
			}
			continue
		}
		if (c == '[') != (depth < len(shape)) {
			return nil, errStructure
		}
		counts[depth]++
		if depth > 0 && counts[depth] > shape[depth-1] {
			return nil, fmt.Errorf("%w: an array goes on after the %d elements that the shape says", errStructure, shape[depth-1])
		}
		if c == '[' {
			depth++
			counts[depth] = 0
			continue
		}
		end := at + 1
		for end < len(data) && data[end] > ' ' && data[end] != ',' && data[end] != ']' {
			end++
		}
		value, err := parse(data[at:end])
		if errors.Is(err, errElement) {
			return nil, fmt.Errorf("element %d is %s, %w", len(values), suggest.Clip(string(data[at:end])), err)
		} else if err != nil {
			return nil, fmt.Errorf("element %d is %w", len(values), err)
		}
		values, at = append(values, value), end-1
		if len(values)%(1<<16) == 0 {
			if err := check(); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}
