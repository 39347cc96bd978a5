package datasets

import (
	"fmt"
	"slices"
	"strconv"
)

// readLabels reads `labels`, integers or strings, and `class_names`.
func (r *npzReader) readLabels() error {
	if !r.file.Has("labels") {
		return fmt.Errorf("no array labels; store a class for each of the %d samples", r.d.Signals.Len())
	}
	a, err := r.vector("labels", r.d.Signals.Len(), "samples of features")
	if err != nil {
		return err
	}
	names, err := r.readClassNames()
	if err != nil {
		return err
	}
	switch data := a.Data.(type) {
	case []string:
		return r.nameLabels(data, names)
	case []float32, []float64, []bool:
		return fmt.Errorf("labels are %s; store integers from 0, or strings (labels.astype(int))", a.Kind())
	}
	labels, err := a.Ints()
	if err != nil {
		return fmt.Errorf("labels: %w", err)
	}
	return r.numberLabels(labels, names)
}

// readClassNames reads `class_names`; nil if there is none.
func (r *npzReader) readClassNames() ([]string, error) {
	if !r.file.Has("class_names") {
		return nil, nil
	}
	a, err := r.file.Array("class_names")
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 {
		return nil, fmt.Errorf("class_names has shape %v; want [classes]", a.Shape)
	}
	names, err := a.Strings()
	if err != nil {
		return nil, fmt.Errorf("class_names: %w", err)
	}
	first := map[string]int{}
	for i, name := range names {
		if j, again := first[name]; again {
			return nil, fmt.Errorf("class_names[%d] is %q, as class_names[%d] is; give each class a name of its own", i, name, j)
		}
		first[name] = i
	}
	return names, nil
}

// nameLabels turns labels that are strings into numbers: in the order of class_names, else sorted.
func (r *npzReader) nameLabels(labels, names []string) error {
	if names == nil {
		names = slices.Compact(slices.Sorted(slices.Values(labels)))
	}
	number := map[string]int32{}
	for i, name := range names {
		number[name] = int32(i)
	}
	for i, label := range labels {
		class, ok := number[label]
		if !ok {
			return fmt.Errorf("labels[%d] is %q, which is not in class_names; add it there", i, label)
		}
		r.d.Labels = append(r.d.Labels, class)
	}
	r.d.ClassNames = names
	return nil
}

// numberLabels takes labels that are numbers, 0 to classes-1.
func (r *npzReader) numberLabels(labels []int64, names []string) error {
	largest := slices.Index(labels, slices.Max(labels))
	for i, label := range labels {
		if label < 0 {
			return fmt.Errorf("labels[%d] is %d; number the classes from 0", i, label)
		}
	}
	switch {
	case names != nil && labels[largest] >= int64(len(names)):
		return fmt.Errorf("labels[%d] is %d, but class_names has %d names; number the classes from 0 and name each",
			largest, labels[largest], len(names))
	case labels[largest] >= int64(len(labels)):
		return fmt.Errorf("labels[%d] is %d, more classes than the %d samples; number the classes 0, 1, 2, ... "+
			"or store them as strings", largest, labels[largest], len(labels))
	}
	r.d.ClassNames = names
	if names == nil {
		for class := range labels[largest] + 1 {
			r.d.ClassNames = append(r.d.ClassNames, strconv.FormatInt(class, 10))
		}
	}
	for _, label := range labels {
		r.d.Labels = append(r.d.Labels, int32(label))
	}
	return nil
}

// readSplit reads `split`, 0 train, 1 validation, 2 test, or draws the splits.
func (r *npzReader) readSplit() error {
	validation := r.opts.Validation
	if validation == 0 {
		validation = defaultValidationShare
	}
	if !r.file.Has("split") {
		r.d.drawSplits(r.opts.Seed, validation)
		r.d.warn("no array split: drew stratified splits of %d training, %d validation and %d test samples from seed %d",
			len(r.d.Train), len(r.d.Validation), len(r.d.Test), r.opts.Seed)
		return nil
	}
	a, err := r.vector("split", r.d.Signals.Len(), "samples of features")
	if err != nil {
		return err
	}
	marks, err := a.Ints()
	if err != nil {
		return fmt.Errorf("split: %w", err)
	}
	for i, mark := range marks {
		switch mark {
		case 0:
			r.d.Train = append(r.d.Train, i)
		case 1:
			r.d.Validation = append(r.d.Validation, i)
		case 2:
			r.d.Test = append(r.d.Test, i)
		default:
			return fmt.Errorf("split[%d] is %d; want 0 train, 1 validation or 2 test", i, mark)
		}
	}
	if len(r.d.Validation) == 0 {
		r.d.holdOutValidation(share(len(r.d.Train), validation), r.opts.Seed)
		r.d.warn("split marks no validation sample (1): held out %d training samples, stratified, from seed %d",
			len(r.d.Validation), r.opts.Seed)
	}
	for mark, split := range r.d.splits() {
		if len(split.indices) == 0 {
			return fmt.Errorf("split marks no %s sample (%d); mark some, or leave the array out to have splits drawn",
				split.name, mark)
		}
	}
	return nil
}
