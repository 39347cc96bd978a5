package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// readLabels reads `labels`, integers or strings, and `class_names`.
func (r *npzReader) readLabels() error {
	if !r.file.Has("labels") {
		if r.samples < 0 {
			return errors.New("no array labels; store a class for each sample")
		}
		return fmt.Errorf("no array labels; store a class for each of the %d samples", r.samples)
	}
	names, wrongNames := r.readClassNames()
	a, err := r.vector("labels", r.samples, "samples of features")
	if err != nil {
		return errors.Join(err, wrongNames)
	}
	switch data := a.Data.(type) {
	case []string:
		return errors.Join(wrongNames, r.nameLabels(data, names))
	case []float32, []float64, []bool:
		return errors.Join(fmt.Errorf("labels are %s; store integers from 0, or strings (labels.astype(int))", a.Kind()), wrongNames)
	}
	labels, err := a.Ints()
	if err != nil {
		return errors.Join(fmt.Errorf("labels: %w", err), wrongNames)
	}
	return errors.Join(wrongNames, r.numberLabels(labels, names))
}

// readClassNames reads `class_names`; nil if there is none.
func (r *npzReader) readClassNames() ([]string, error) {
	if !r.file.Has("class_names") {
		return nil, nil
	}
	a, err := r.array("class_names")
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
	first, wrong := map[string]int{}, several{array: "class_names"}
	for i, name := range names {
		if j, again := first[name]; again {
			wrong.add(func() error {
				return fmt.Errorf("class_names[%d] is %q, as class_names[%d] is; give each class a name of its own", i, name, j)
			})
			continue
		}
		first[name] = i
	}
	return names, wrong.err()
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
	wrong := several{array: "labels"}
	classes := make([]int32, len(labels))
	for i, label := range labels {
		class, ok := number[label]
		if !ok {
			wrong.add(func() error {
				return fmt.Errorf("labels[%d] is %q, which is not in class_names; add it there", i, label)
			})
		}
		classes[i] = class
	}
	if err := wrong.err(); err != nil {
		return err
	}
	r.d.Labels, r.d.ClassNames = classes, names
	return nil
}

// numberLabels takes labels that are numbers, 0 to classes-1.
func (r *npzReader) numberLabels(labels []int64, names []string) error {
	if len(labels) == 0 {
		return nil // an error of features
	}
	largest := slices.Index(labels, slices.Max(labels))
	wrong := several{array: "labels"}
	for i, label := range labels {
		if label < 0 {
			wrong.add(func() error { return fmt.Errorf("labels[%d] is %d; number the classes from 0", i, label) })
		}
	}
	var beyond error
	switch {
	case names != nil && labels[largest] >= int64(len(names)):
		beyond = fmt.Errorf("labels[%d] is %d, but class_names has %d names; number the classes from 0 and name each",
			largest, labels[largest], len(names))
	case labels[largest] >= int64(len(labels)):
		beyond = fmt.Errorf("labels[%d] is %d, more classes than the %d samples; number the classes 0, 1, 2, ... "+
			"or store them as strings", largest, labels[largest], len(labels))
	}
	if err := errors.Join(wrong.err(), beyond); err != nil {
		return err
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

// labelled says whether each sample has a usable label; where not, that is an error of its own.
func (r *npzReader) labelled() bool { return r.samples > 0 && len(r.d.Labels) == r.samples }

// readSplit reads `split`, 0 train, 1 validation, 2 test, or draws the splits.
func (r *npzReader) readSplit() error {
	validation := r.opts.Validation
	if validation == 0 {
		validation = defaultValidationShare
	}
	if !r.file.Has("split") && !r.labelled() {
		return nil // an error of labels; splits are drawn class by class
	}
	if !r.file.Has("split") {
		r.d.drawSplits(r.opts.Seed, validation)
		r.d.warn("no array split: drew stratified splits of %d training, %d validation and %d test samples from seed %d",
			len(r.d.Train), len(r.d.Validation), len(r.d.Test), r.opts.Seed)
		return nil
	}
	a, err := r.vector("split", r.samples, "samples of features")
	if err != nil {
		return err
	}
	marks, err := a.Ints()
	if err != nil {
		return fmt.Errorf("split: %w", err)
	}
	wrong := several{array: "split"}
	for i, mark := range marks {
		switch mark {
		case 0:
			r.d.Train = append(r.d.Train, i)
		case 1:
			r.d.Validation = append(r.d.Validation, i)
		case 2:
			r.d.Test = append(r.d.Test, i)
		default:
			wrong.add(func() error { return fmt.Errorf("split[%d] is %d; want 0 train, 1 validation or 2 test", i, mark) })
		}
	}
	if err := wrong.err(); err != nil {
		return err
	}
	if len(r.d.Validation) == 0 && r.labelled() {
		r.d.holdOutValidation(share(len(r.d.Train), validation), r.opts.Seed)
		r.d.warn("split marks no validation sample (1): held out %d training samples, stratified, from seed %d",
			len(r.d.Validation), r.opts.Seed)
	}
	var empty []error
	for mark, split := range r.d.splits() {
		if len(split.indices) == 0 && (split.name != "validation" || r.labelled()) {
			empty = append(empty, fmt.Errorf("split marks no %s sample (%d); mark some, or leave the array out to have splits drawn",
				split.name, mark))
		}
	}
	return errors.Join(empty...)
}

// readNodeNames reads `node_names`.
func (r *npzReader) readNodeNames() error {
	if !r.file.Has("node_names") {
		return nil
	}
	n := r.d.Nodes
	if n == 0 {
		n = -1
	}
	a, err := r.vector("node_names", n, "nodes of features")
	if err != nil {
		return err
	}
	if r.d.NodeNames, err = a.Strings(); err != nil {
		return fmt.Errorf("node_names: %w", err)
	}
	return nil
}
