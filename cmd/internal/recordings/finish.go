package recordings

// This file makes recordings of what was read once all files are: marks before decimals, times and labels are settled
// only then.

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

// finish makes the values of the samples.
func (r *reading) finish() (err error) {
	c := crossed(r.sensors, r.axes) // of tables in the layout readings; none if no file has it
	var at []int                    // the chosen ones of c
	var sensors, told []string
	if c.names != nil && len(r.samples) > 0 {
		at, sensors, told, err = r.order(r.samples[0].path, c, true)
		if err != nil {
			return fmt.Errorf("%s: %w", r.samples[0].path, err)
		}
	}
	if !r.dialect.apart {
		err = r.settle(r.samples)
	}
	if err == nil {
		err = cmp.Or(r.numbersAsTimes(), r.turn())
	}
	if err != nil {
		return err
	}
	unlaid := map[*sample]struct{}{}
	for _, one := range r.samples {
		one.Channels = r.chosen.channels
		if one.rows.values != nil {
			err = r.lay(one, cmp.Or(len(c.names), len(one.Sensors)*one.Channels))
			switch {
			case err != nil && r.skip == nil:
				return fmt.Errorf("%s, %w", one.path, err)
			case err != nil:
				r.skip(one.Name, err)
				unlaid[one] = struct{}{}
				continue
			}
		}
		if at != nil {
			one.Sensors, one.Values, one.Notes = sensors, pick(one.Values, len(c.names), at), told
		}
		given := cmp.Or(r.given[one.Name], r.given[strings.TrimSuffix(one.Name, filepath.Ext(one.Name))])
		one.label = suggest.Truth(suggest.Tidy(cmp.Or(given, one.label)))
		one.group, one.Name = suggest.Tidy(one.group), suggest.Tidy(one.Name)
		for _, name := range []string{one.label, one.group, one.Name} {
			if !utf8.ValidString(name) {
				return fmt.Errorf("%q: the name %q is not UTF-8, so that the data set cannot hold it; rename the file or folder",
					one.path, name)
			}
		}
	}
	r.samples = slices.DeleteFunc(r.samples, func(one *sample) bool { _, wrong := unlaid[one]; return wrong })
	if n := r.resent.lines; n > 0 {
		r.note("left out: %s with the time and the values of another one, such as %s", text.Count(n, "line"), r.resent.first)
	}
	if markers := slices.Sorted(maps.Keys(r.markers)); markers != nil {
		r.note("taken for missing values: %s",
			few(xslices.Map(markers, func(marker string) string { return fmt.Sprintf("%s (%d)", marker, r.markers[marker]) })))
	}
	return nil
}
