package recordings

// This file adds the samples of files that name no columns, such as .npy and .ts, to those read before.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// addWhole adds the samples of a file that names no columns, such as .npy or .ts, to those read before. It returns an
// error if the file does not fit them. Of the samples it keeps the columns that the options take.
func (r *reading) addWhole(f *format, c content) error {
	err := r.checkFitsEarlier(f, c)
	if err != nil {
		return err
	}
	if f.whole && !r.known { // recordings to classify have the classes of the training
		r.takeClasses(c.classes)
	}
	r.chosen.second = cmp.Or(r.chosen.second, c.second)
	path := c.samples[0].path
	taken, err := r.takeColumns(path, c.columns, c.samples[0].Times != nil)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, x := range c.samples {
		x.of, r.recordings = r.recordings, r.recordings+1
		taken.apply(&x.Recording, len(c.columns.names))
	}
	r.as[readAs{before: c.as}] = true // how the file was read, for the summary of the import
	r.samples = append(r.samples, c.samples...)
	return nil
}

// takeClasses takes the classes that a file declares: those of the first file, or those of a later one that tells
// better where the names of the same classes end. A .ts file declares "walking going up" with blanks between names and
// within them, and only a file with a sample of the class "going up" shows that these two words are one name.
func (r *reading) takeClasses(declared []string) {
	isFirst := r.chosen.by == ""
	hasLongerNames := sameWords(r.classes, declared) && len(declared) < len(r.classes)
	if isFirst || hasLongerNames {
		r.classes = declared
	}
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

// sameWords reports that two lists of classes have the same words in the same order. They may part these otherwise: a
// class of two words looks like two classes of one word.
func sameWords(a, b []string) bool { return strings.Join(a, " ") == strings.Join(b, " ") }
