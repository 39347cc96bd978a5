package serve

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/gomlx/gomlx/support/xslices"
)

// input is a tensor that a request brings.
type input struct {
	name, datatype string
	shape          []int
	data           []byte // JSON; nil: none
	size           *int   // bytes of a binary tensor
	row            bool   // its shape is [batch, sensors], of one time point each
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
	return in.elements(in.shape[1]*in.shape[2], nested, tail, most, take)
}

// elements returns the values of a batch of so many values each. nested is the shape in which JSON may have them.
func (in *input) elements(size int, nested []int, tail []byte, most int, take func(int) error) ([]float32, error) {
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
