package recordings

// This file adds the samples of files that name no columns, such as .npy and .ts, to those read before.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// addWhole adds the samples of a file that names no columns, such as .npy or .ts, to those read before. It refuses a
// file that does not fit them.
func (r *reading) addWhole(f *format, c content) error {
	err := r.checkFitsEarlier(f, c)
	if err != nil {
		return err
	}
	path, isFirst := c.samples[0].path, r.chosen.by == ""
	longerNames := sameWords(r.classes, c.classes) && len(c.classes) < len(r.classes)
	if f.whole && !r.known && (isFirst || longerNames) {
		r.classes = c.classes // of two ways to part the names of the classes, that with the longer ones
	}
	r.chosen.second = cmp.Or(r.chosen.second, c.second)
	taken, err := r.takeColumns(path, c.columns, c.samples[0].Times != nil)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, x := range c.samples {
		taken.apply(&x.Recording, len(c.columns.names))
	}
	r.as[readAs{before: c.as}] = true
	r.samples = append(r.samples, c.samples...)
	return nil
}

// checkFitsEarlier returns an error if a file that names no columns does not fit those read before: if it has other
// dimensions, classes or another unit of time.
func (r *reading) checkFitsEarlier(f *format, c content) error {
	path, firstPath := c.samples[0].path, r.chosen.by
	dimensions, before := len(c.columns.names), len(r.chosen.names)
	if f.whole && !r.known && firstPath != "" {
		if dimensions != before {
			return fmt.Errorf("%s has %d dimensions, %s has %d; take the two files of one problem", path, dimensions,
				firstPath, before)
		}
		unknown := slices.IndexFunc(c.classes, func(class string) bool { return !slices.Contains(r.classes, class) })
		if unknown >= 0 && !sameWords(r.classes, c.classes) {
			return fmt.Errorf("%s: class %q is not one of %s (%s); take the two files of one problem", path,
				c.classes[unknown], firstPath, strings.Join(r.classes, " "))
		}
	}
	if r.chosen.second > 0 && c.second > 0 && r.chosen.second != c.second {
		return fmt.Errorf("%s: its times are in another unit than those of other recordings, of which %g are a second; "+
			"write all in one unit", path, r.chosen.second)
	}
	turned := f.unnamed && !r.known && before > 0 && dimensions != before
	if turned && r.Take == nil && r.Leave == nil { // else columns are chosen by name
		return fmt.Errorf("%s has %d values at each time point, %s has %d: arrays are [timepoints, sensors, axes], so turn "+
			"them if the lengths of recordings are in another place", path, dimensions, firstPath, before)
	}
	return nil
}

// sameWords reports that two lists of classes have the same words: a class of two words looks like two classes of one.
func sameWords(a, b []string) bool { return strings.Join(a, " ") == strings.Join(b, " ") }
