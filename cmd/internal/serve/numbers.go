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
func parseNumbers(values []float32, data []byte, shape []int, parse func([]byte) (float32, error),
	check func() error) ([]float32, error) {
	shape, err := writtenShape(data, shape)
	if err != nil {
		return nil, err
	}
	arrays := openArrays{shape: shape, counts: make([]int, len(shape)+1)}
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case ' ', '\n', '\t', '\r', ',':
			continue
		case ']':
			err = arrays.end()
		case '[':
			err = arrays.begin()
		default:
			err = arrays.number()
			if err != nil {
				return nil, err
			}
			end := endOfNumber(data, at)
			value, wrong := parse(data[at:end])
			if errors.Is(wrong, errElement) {
				return nil, fmt.Errorf("element %d is %s, %w", len(values), suggest.Clip(string(data[at:end])), wrong)
			}
			if wrong != nil {
				return nil, fmt.Errorf("element %d is %w", len(values), wrong)
			}
			values, at = append(values, value), end-1
			if len(values)%(1<<16) == 0 {
				err = check()
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// writtenShape returns the shape that JSON data of so many numbers must have: the one asked for, or that of a flat
// array.
func writtenShape(data []byte, shape []int) ([]int, error) {
	const space = " \n\t\r"
	inner, array := bytes.CutPrefix(bytes.TrimLeft(data, space), []byte("["))
	if !array {
		return nil, errors.New("its data is not an array")
	}
	if bytes.HasPrefix(bytes.TrimLeft(inner, space), []byte("[")) {
		return shape, nil
	}
	count := 1
	for _, n := range shape {
		count *= n
	}
	return []int{count}, nil
}

// endOfNumber returns where the number that begins at a place ends.
func endOfNumber(data []byte, at int) int {
	end := at + 1
	for end < len(data) && data[end] > ' ' && data[end] != ',' && data[end] != ']' {
		end++
	}
	return end
}

// openArrays are the nested arrays around the place where JSON is being read, compared with a shape.
type openArrays struct {
	shape  []int
	depth  int   // how many are open
	counts []int // elements so far of the open array at each depth; at depth 0 the outermost array itself
}

// begin opens an array, which is an element of the one around it.
func (o *openArrays) begin() error {
	if o.depth == len(o.shape) {
		return errStructure
	}
	err := o.count()
	if err != nil {
		return err
	}
	o.depth++
	o.counts[o.depth] = 0
	return nil
}

// end closes an array, which must have all its elements.
func (o *openArrays) end() error {
	o.depth--
	if o.counts[o.depth+1] < o.shape[o.depth] {
		return fmt.Errorf("%w: an array ends after %d elements, the shape says %d", errStructure, o.counts[o.depth+1],
			o.shape[o.depth])
	}
	return nil
}

// number counts an element of the innermost arrays.
func (o *openArrays) number() error {
	if o.depth < len(o.shape) {
		return errStructure
	}
	return o.count()
}

func (o *openArrays) count() error {
	o.counts[o.depth]++
	if o.depth > 0 && o.counts[o.depth] > o.shape[o.depth-1] {
		return fmt.Errorf("%w: an array goes on after the %d elements that the shape says", errStructure, o.shape[o.depth-1])
	}
	return nil
}
