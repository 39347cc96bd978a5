package datasets

// This file recognises labels of an .npz file that are no classes: numbers to predict, or names of the samples.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/suggest"
)

// noNumbers is what to do about numbers in the place of classes.
const noNumbers = "they are numbers, and ccp tells classes apart and predicts no numbers; make classes of them, " +
	"such as low and high"

// checkManyClasses returns an error if labels to train on have many values, and most of them one sample.
func (r *npzReader) checkManyClasses(a *npz.Array) error {
	const many = 20 // classes, above which they may be no classes
	if r.opts.Form != nil || r.opts.Whole || r.opts.Graph != nil {
		return nil
	}
	names, err := a.Texts()
	if err != nil {
		return nil // which the reader of labels tells
	}
	counts, single := map[string]int{}, 0
	for _, name := range names {
		counts[suggest.Tidy(name)]++
	}
	numbers := true
	for name, count := range counts {
		if count == 1 {
			single++
		}
		_, err := strconv.ParseFloat(name, 64)
		numbers = numbers && err == nil
	}
	if len(counts) <= many || 2*single <= len(counts) {
		return nil
	}
	what := "they seem to be names of the samples; store those as sample_names"
	if numbers {
		what = noNumbers
	}
	return fmt.Errorf("labels has %d classes, %d of them with one sample, of %d samples, such as %s: %s", len(counts),
		single, len(names), strings.Join(slices.Sorted(maps.Keys(counts))[:3], ", "), what)
}

// noClasses returns the error of labels that are no whole numbers.
func noClasses(a *npz.Array) error {
	values, err := a.Floats()
	at := slices.IndexFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	if err == nil && at >= 0 && a.Kind() != "bool" {
		return fmt.Errorf("labels are %s, and labels[%d] is %g; a class is an integer from 0 or a string. If something was "+
			"measured, %s", a.Kind(), at, values[at], noNumbers)
	}
	return fmt.Errorf("labels are %s; a class is an integer from 0 or a string: labels.astype(int) if they hold nothing "+
		"else", a.Kind())
}
