package datasets

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/suggest"
	"gonum.org/v1/gonum/floats"
)

// readLabels reads `labels`, integers or strings, and `class_names`.
func (r *npzReader) readLabels() error {
	if !r.Has("labels") {
		each := "each sample"
		if r.samples >= 0 { // their number is known
			each = fmt.Sprintf("each of the %d samples", r.samples)
		}
		return fmt.Errorf("no array labels; store a class for %s", each)
	}
	names, wrongNames := r.readClassNames()
	a, err := npz.Vector(r, "labels", r.samples, r.samplesOf())
	if err != nil {
		if whole, _ := r.File.Array("labels"); whole != nil && oneHot(whole) {
			err = fmt.Errorf("labels has shape %v, a column for each class; store the class of each sample "+
				"(labels.argmax(axis=1))", whole.Shape)
		}
		return errors.Join(err, wrongNames)
	}
	if many := r.checkManyClasses(a); many != nil {
		return errors.Join(many, wrongNames)
	}
	switch data := a.Data.(type) {
	case []string:
		err = r.nameLabels(data, names)
	case []float32, []float64, []bool:
		err = noClasses(a)
	default:
		labels, odd := a.Ints()
		err = r.numberLabels(labels, names)
		if odd != nil {
			err = fmt.Errorf("labels: %w", odd)
		}
	}
	return errors.Join(wrongNames, err)
}

// oneHot reports whether each row of an array has a single 1 among zeros.
func oneHot(a *npz.Array) bool {
	values, err := a.Floats()
	if err != nil || len(a.Shape) != 2 || a.Shape[1] < 2 {
		return false
	}
	for row := range slices.Chunk(values, a.Shape[1]) {
		if slices.Max(row) != 1 || slices.Min(row) != 0 || floats.Sum(row) != 1 {
			return false
		}
	}
	return true
}

// readClassNames reads `class_names`; nil if there is none.
func (r *npzReader) readClassNames() ([]string, error) {
	names, err := optional(r, "class_names", -1, "", (*npz.Array).Strings)
	var wrong npz.Wrong
	for i, name := range names {
		names[i] = suggest.Tidy(name)
	}
	places := map[string]int{}
	for i, name := range names {
		first, before := places[name]
		if before {
			wrong.Add("class_names[%d] is %q, as class_names[%d] is; give each class a name of its own", i, name, first)
			continue
		}
		places[name] = i
	}
	return names, cmp.Or(err, wrong.Err("class_names"))
}

// nameLabels numbers labels that are strings: in the order of class_names, else sorted.
func (r *npzReader) nameLabels(labels, names []string) error {
	r.tidy("labels", labels)
	if names == nil {
		names = slices.Compact(slices.Sorted(slices.Values(labels)))
	}
	number := map[string]int32{}
	for i, name := range names {
		number[name] = int32(i)
	}
	var wrong npz.Wrong
	classes := make([]int32, len(labels))
	for i, label := range labels {
		class, ok := number[label]
		if !ok {
			wrong.Add("labels[%d] is %q, which is not in class_names; add it there", i, label)
		}
		classes[i] = class
	}
	if err := wrong.Err("labels"); err != nil {
		return err
	}
	r.raw.Labels, r.raw.ClassNames = classes, names
	return nil
}

// tidy makes names tidy, and warns of the first two that become one by that.
func (r *npzReader) tidy(array string, names []string) {
	first, told := map[string]string{}, false
	for i, name := range names {
		names[i] = suggest.Tidy(name)
		if before, known := first[names[i]]; known && before != name && !told {
			appendf(&r.raw.Warnings, "%s has %+q and %+q, which look alike and count as one; name them apart if they are two",
				array, before, name)
			told = true
		} else if !known {
			first[names[i]] = name
		}
	}
}

// numberLabels takes labels that are numbers, 0 to classes-1.
func (r *npzReader) numberLabels(labels []int64, names []string) error {
	if len(labels) == 0 {
		return nil // an error of features
	}
	var wrong npz.Wrong
	classes := make([]int32, len(labels))
	for i, label := range labels {
		classes[i] = int32(label)
		if label < 0 {
			wrong.Add("labels[%d] is %d; number the classes from 0, or store them as strings (labels.astype(str))", i, label)
		}
	}
	errs := []error{wrong.Err("labels")}
	switch largest := slices.Max(labels); {
	case names != nil && largest >= int64(len(names)):
		errs = append(errs, fmt.Errorf("labels[%d] is %d, but class_names has %d names; number the classes from 0 and "+
			"name each", slices.Index(labels, largest), largest, len(names)))
	case largest >= int64(len(labels)):
		errs = append(errs, fmt.Errorf("labels[%d] is %d, more classes than the %d samples; number the classes 0, 1, 2, ... "+
			"or store them as strings", slices.Index(labels, largest), largest, len(labels)))
	case names == nil:
		for class := range largest + 1 {
			names = append(names, strconv.FormatInt(class, 10))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.raw.Labels, r.raw.ClassNames = classes, names
	return nil
}

// readNames reads `node_names` and `sample_names`.
func (r *npzReader) readNames() (wrong error) {
	var err error
	r.raw.NodeNames, wrong = optional(r, "node_names", r.nodes, "nodes of features", (*npz.Array).Strings)
	if at := sortedAsText(r.raw.NodeNames); at > 0 {
		appendf(&r.raw.Warnings, "node_names are numbers sorted as texts (%q is followed by %q); check that features and "+
			"the graph have the nodes in this order, too", r.raw.NodeNames[at-1], r.raw.NodeNames[at])
	}
	r.raw.SampleNames, err = optional(r, "sample_names", r.samples, r.samplesOf(), (*npz.Array).Texts)
	return errors.Join(wrong, err)
}

// sortedAsText returns the first place where numbers that were sorted as texts descend, as in 1, 10, 2; 0 if there is
// none. A library that keeps nodes by their names sorts them so, while the columns of features mostly have the order of
// numbers.
func sortedAsText(names []string) (at int) {
	if !slices.IsSorted(names) {
		return 0
	}
	before := -1
	for i, name := range names {
		number, err := strconv.Atoi(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_ "))
		if err != nil {
			return 0
		}
		if number < before && at == 0 {
			at = i
		}
		before = number
	}
	return at
}

// readForm reads `recording`, which ccp data import writes, and checks that it is of this file's signals.
func (r *npzReader) readForm() error {
	if !r.Has("recording") || r.raw.Nodes == 0 {
		return nil
	}
	if r.series == nil {
		appendf(&r.raw.Warnings, "an earlier ccp data import has cut the recordings to signals; import them again to keep "+
			"them whole")
		return nil
	}
	raw, err := npz.Elements(r, "recording", 1, "text of the import's settings", (*npz.Array).Strings)
	if err != nil {
		return err
	}
	form := &recording.Form{}
	if err := json.Unmarshal([]byte(raw[0]), form); err != nil {
		return fmt.Errorf("recording holds no settings of an import: %w; leave the array out", err)
	}
	if err := form.Check(); err != nil {
		return err
	}
	if len(form.Sensors) != r.nodes || form.Channels != r.raw.Channels {
		return fmt.Errorf("recording is of %d sensors and %d channels, series of %d and %d; import the recordings again",
			len(form.Sensors), form.Channels, r.nodes, r.raw.Channels)
	}
	r.raw.Recorded = form
	return r.namedAlike(form)
}

// namedAlike returns an error if the names beside series are not those of the import, as after one has changed the
// order of both: the import's settings go by its own order, also where tables of new recordings are read.
func (r *npzReader) namedAlike(form *recording.Form) error {
	array := "sensor_names"
	if !r.Has("series") {
		array = "node_names"
	}
	for i, name := range r.series.names {
		if name != form.Sensors[i] {
			return fmt.Errorf("%s[%d] is %q, but recording, the settings of the import, has %q there: sensors were put in "+
				"another order or renamed after it; undo that, or leave the array recording out (and store rate, if it is known)",
				array, i, name, form.Sensors[i])
		}
	}
	return nil
}

// readGroups reads `groups`, integers or strings: the group of each sample.
func (r *npzReader) readGroups() error {
	groups, err := optional(r, "groups", r.samples, r.samplesOf(), (*npz.Array).Texts)
	if err != nil {
		return err
	}
	r.tidy("groups", groups)
	if !r.opts.Whole && r.labelled() && r.raw.Classes() == 1 {
		return nil // checkLabels refuses a single class, and that is what is wrong, not its groups
	}
	if !r.opts.Whole && len(groups) > 0 && !slices.ContainsFunc(groups, func(g string) bool { return g != groups[0] }) {
		return fmt.Errorf("groups puts all %d samples into one group, %q; name the subject or site of each, or leave the "+
			"array out", len(groups), groups[0])
	}
	r.raw.Groups = groups
	return nil
}
