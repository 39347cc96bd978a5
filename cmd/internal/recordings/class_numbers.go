package recordings

// This file recognises classes that are none: numbers to predict, or names of the samples.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/support/xslices"
)

// refuseManyClasses returns an error if there are many classes, and most of them have one sample: then they are
// numbers, which nothing here predicts, or names of the samples.
func refuseManyClasses(classes []Class, samples int) error {
	const many = 20 // classes, above which they may be no classes
	single := 0
	for _, c := range classes {
		if c.Samples == 1 {
			single++
		}
	}
	if len(classes) <= many || 2*single <= len(classes) {
		return nil
	}
	what := "they seem to be names of the samples; name the column of the classes with --label"
	if !slices.ContainsFunc(classes, func(c Class) bool { return !isNumber(c.Name) }) {
		what = "they are numbers, and ccp tells classes apart and predicts no numbers; make classes of them, such as low " +
			"and high, or name another column with --label"
	}
	return fmt.Errorf("%d of %d classes have one sample each, of %d samples, such as %s: %s", single, len(classes),
		samples,
		few(xslices.Map(classes[:3], func(c Class) string { return c.Name })), what)
}

// noteSeveralAtOnce tells of classes that name several at once, in another order each, such as walk;phone and
// phone;walk.
func (m *making) noteSeveralAtOnce(classes []string) {
	first := map[string]string{}
	for _, class := range classes {
		parts := strings.FieldsFunc(class, func(r rune) bool { return strings.ContainsRune(";,|+", r) })
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		slices.Sort(parts)
		key := strings.Join(parts, ";")
		if other, is := first[key]; is && len(parts) > 1 {
			m.note("classes %q and %q name the same in another order: a sample has one class here; write them alike, or keep "+
				"one of the names", other, class)
			return
		}
		first[key] = class
	}
}
