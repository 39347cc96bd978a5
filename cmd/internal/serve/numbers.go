package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// parseNumbers appends the numbers of a JSON array to values: of a flat one, or of one nested as shape says. It does what
// encoding/json would, without a slice for each row and several times faster, which matters: reading a batch of images must
// not take as long as classifying it. data is valid JSON, for it has been through encoding/json.
func parseNumbers(values []float32, data json.RawMessage, shape []int, parse func([]byte) (float32, error)) ([]float32, error) {
	count := 1
	for _, n := range shape {
		count *= n
	}
	p := numberParser{rest: data, values: values, parse: parse}
	p.space()
	if len(p.rest) == 0 {
		return nil, errors.New("it has no data")
	}
	if p.rest[0] != '[' {
		return nil, errors.New("its data is not an array")
	}
	first := numberParser{rest: p.rest[1:]}
	first.space()
	if len(first.rest) == 0 || first.rest[0] != '[' {
		shape = []int{count}
	}
	if err := p.array(shape); err != nil {
		return nil, err
	}
	return p.values, nil
}

type numberParser struct {
	rest   []byte
	values []float32
	parse  func([]byte) (float32, error)
}

// array reads an array of shape[0] arrays or, at the last axis, numbers.
func (p *numberParser) array(shape []int) error {
	if err := p.expect('['); err != nil {
		return err
	}
	for i := range shape[0] {
		if i > 0 {
			if err := p.expect(','); err != nil {
				return fmt.Errorf("%w: an array ends after %d elements, the shape says %d", err, i, shape[0])
			}
		}
		if len(shape) > 1 {
			if err := p.array(shape[1:]); err != nil {
				return err
			}
		} else if err := p.number(); err != nil {
			return err
		}
	}
	if err := p.expect(']'); err != nil {
		return fmt.Errorf("%w: an array goes on after the %d elements that the shape says", err, shape[0])
	}
	return nil
}

var errStructure = errors.New("its data does not have its shape")

func (p *numberParser) expect(c byte) error {
	p.space()
	if len(p.rest) == 0 || p.rest[0] != c {
		return errStructure
	}
	p.rest = p.rest[1:]
	return nil
}

func (p *numberParser) number() error {
	p.space()
	n, value := 0, uint32(0)
	for n < len(p.rest) && '0' <= p.rest[n] && p.rest[n] <= '9' && n < len("255") {
		value = 10*value + uint32(p.rest[n]-'0')
		n++
	}
	if n > 0 && n < len(p.rest) && (p.rest[n] == ',' || p.rest[n] == ']') && value <= math.MaxUint8 {
		p.values = append(p.values, float32(value)) // a byte, as of an image, is a number of every datatype
		p.rest = p.rest[n:]
		return nil
	}
	for n < len(p.rest) && p.rest[n] > ' ' && p.rest[n] != ',' && p.rest[n] != ']' && p.rest[n] != '[' {
		n++
	}
	if n == 0 {
		return errStructure
	}
	text := p.rest[:n]
	v, err := p.parse(text)
	if err != nil {
		return fmt.Errorf("element %d is %s, which is no number of its datatype", len(p.values), clip(string(text)))
	}
	p.values = append(p.values, v)
	p.rest = p.rest[n:]
	return nil
}

func (p *numberParser) space() {
	for len(p.rest) > 0 && (p.rest[0] == ' ' || p.rest[0] == '\n' || p.rest[0] == '\t' || p.rest[0] == '\r') {
		p.rest = p.rest[1:]
	}
}
