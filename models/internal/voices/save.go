package voices

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
)

// header says which arrays there are, and of what size.
type header struct {
	Columns, Classes int
	Length           int // the median recording's moments
	Names            []string
	Shares, Groups   int // features of the kernels, and competing groups
	Kept             int // samples that the voice of values compares with
	Gaussian         float64
	Parts            []Part
}

// open makes the voices that a header names, with arrays of zeros.
func (h header) open() *Voices {
	v := &Voices{header: h, bias: make([]float32, h.Classes),
		units: units{make([]float32, h.Columns), make([]float32, h.Columns)}}
	for _, name := range h.Names {
		one := &voice{name: name}
		switch name {
		case Kernels:
			one.featureMap = newShares(h.Columns, h.Length, h.Shares)
		case Competing:
			one.featureMap = newCompeting(h.Columns, h.Length, h.Groups)
		case Bands:
			one.featureMap = newBands(h.Columns, h.Length)
		case OfValues:
			one.featureMap = values{h.Columns, h.Length}
			one.kernel = &kernel{g: h.Gaussian, width: one.width(), kept: make([]float32, h.Kept*one.width())}
		}
		width := one.width()
		one.mean, one.scale = make([]float32, width), make([]float32, width)
		if one.kernel != nil {
			width = h.Kept
		}
		one.weights = make([]float32, h.Classes*width)
		v.voices = append(v.voices, one)
	}
	return v
}

// arrays lists all arrays of a checkpoint but the header.
func (v *Voices) arrays() []array {
	all := []array{{path: "mean", floats: v.units.mean}, {path: "scale", floats: v.units.scale}, {path: "bias", floats: v.bias}}
	for _, one := range v.voices {
		all = append(all, one.arrays()...)
		for path, x := range map[string][]float32{"mean": one.mean, "scale": one.scale, "weights": one.weights} {
			all = append(all, array{path: one.name + "/" + path, floats: x})
		}
		if one.kernel != nil {
			all = append(all, array{path: one.name + "/kept", floats: one.kernel.kept})
		}
	}
	return all
}

// headerPath is the path of the header, JSON in bytes.
const headerPath = "header"

// Values returns all that Logits needs, by short paths.
func (v *Voices) Values() map[string]*tensors.Tensor {
	raw, err := json.Marshal(v.header)
	if err != nil {
		panic(err) // a header has numbers and strings only
	}
	all := map[string]*tensors.Tensor{headerPath: tensors.FromFlatDataAndDimensions(raw, len(raw))}
	for _, a := range v.arrays() {
		if a.integers != nil {
			all[a.path] = tensors.FromFlatDataAndDimensions(a.integers, len(a.integers))
		} else {
			all[a.path] = tensors.FromFlatDataAndDimensions(a.floats, len(a.floats))
		}
	}
	return all
}

// Open returns voices from Values, without what LeftOut and Without need. Errors name the array.
func Open(saved map[string]*tensors.Tensor) (*Voices, error) {
	raw, err := read[uint8](saved, headerPath)
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("voices: array %q: %w", headerPath, err)
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("voices: array %q: %w", headerPath, err)
	}
	v := h.open()
	for _, a := range v.arrays() {
		if a.integers != nil {
			err = fill(saved, a.path, a.integers)
		} else {
			err = fill(saved, a.path, a.floats)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, one := range v.voices {
		if one.kernel != nil {
			one.kernel.ready()
		}
		if m, ok := one.featureMap.(*competing); ok {
			if at := slices.IndexFunc(m.columns, func(c int32) bool { return c < 0 || int(c) >= h.Columns }); at >= 0 {
				return nil, fmt.Errorf("voices: array %q: value %d is column %d of %d", "competing/columns", at, m.columns[at], h.Columns)
			}
		}
	}
	return v, nil
}

// most is the largest size that a header may ask for, so that a damaged one asks for no more memory than there is.
const most = 1 << 28

// check returns an error if no fit writes such a header.
func (h header) check() error {
	for name, n := range map[string]int{"Columns": h.Columns, "Classes": h.Classes, "Length": h.Length, "Shares": h.Shares,
		"Groups": h.Groups, "Kept": h.Kept} {
		if n < 1 || n > most {
			return fmt.Errorf("%s is %d; it has to be in 1..%d", name, n, most)
		}
	}
	for _, name := range h.Names {
		if !slices.Contains(names, name) {
			return fmt.Errorf("no voice is called %q; there are %s", name, strings.Join(names, ", "))
		}
		if n := float64(h.Length) * float64(h.Columns) * float64(h.Kept); name == OfValues && n > most {
			return fmt.Errorf("%d samples of %d moments of %d columns are too many", h.Kept, h.Length, h.Columns)
		}
	}
	return nil
}

// fill reads an array of a known length.
func fill[T float32 | int32 | uint8](saved map[string]*tensors.Tensor, path string, to []T) error {
	from, err := read[T](saved, path)
	if err == nil && len(from) != len(to) {
		err = fmt.Errorf("voices: array %q has %d values, and the header asks for %d", path, len(from), len(to))
	}
	copy(to, from)
	return err
}

func read[T float32 | int32 | uint8](saved map[string]*tensors.Tensor, path string) ([]T, error) {
	value := saved[path]
	if value == nil {
		return nil, fmt.Errorf("voices: there is no array %q; was the checkpoint written whole?", path)
	}
	flat, err := tensors.CopyFlatData[T](value)
	if err != nil {
		return nil, fmt.Errorf("voices: array %q: %w", path, err)
	}
	return flat, nil
}
