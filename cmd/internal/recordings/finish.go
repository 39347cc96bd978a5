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

// finish makes the values of the samples, once all files are read.
func (r *reading) finish() error {
	readings := crossed(r.sensors, r.axes) // the columns of tables with a line for each reading; none without such a table
	var takenReadings *taken
	if readings.names != nil && len(r.samples) > 0 {
		t, err := r.takeColumns(r.samples[0].path, readings, true)
		if err != nil {
			return fmt.Errorf("%s: %w", r.samples[0].path, err)
		}
		takenReadings = &t
	}
	if !r.dialect.apart {
		err := r.settle(r.samples)
		if err != nil {
			return err
		}
	}
	err := cmp.Or(r.numbersAsTimes(), r.turnDates())
	if err != nil {
		return err
	}
	r.timeForm = r.formOfTimes(r.digits(), r.timeNumbers.date != "")
	r.timeStretches()
	var laid []*sample
	for _, x := range r.samples {
		x.Channels = r.chosen.channels
		if x.rows.values != nil {
			err := r.lay(x, cmp.Or(len(readings.names), len(x.Sensors)*x.Channels))
			if err != nil && r.skip == nil {
				return fmt.Errorf("%s, %w", x.path, err)
			}
			if err != nil {
				r.skip(x.Name, err)
				continue
			}
		}
		if takenReadings != nil {
			takenReadings.apply(&x.Recording, len(readings.names))
		}
		err := r.nameSample(x)
		if err != nil {
			return err
		}
		laid = append(laid, x)
	}
	r.samples = laid
	r.noteLeftOut()
	return nil
}

// nameSample tidies the name, the class and the group of a sample. Its class may be given by a table of classes, which
// names it with or without the ending of its file.
func (r *reading) nameSample(x *sample) error {
	given := cmp.Or(r.given[x.Name], r.given[strings.TrimSuffix(x.Name, filepath.Ext(x.Name))])
	x.label = suggest.Truth(suggest.Tidy(cmp.Or(given, x.label)))
	x.group, x.Name = suggest.Tidy(x.group), suggest.Tidy(x.Name)
	for _, name := range []string{x.label, x.group, x.Name} {
		if !utf8.ValidString(name) {
			return fmt.Errorf("%q: the name %q is not UTF-8, so that the data set cannot hold it; rename the file or folder",
				x.path, name)
		}
	}
	return nil
}

// noteLeftOut notes lines that came twice, and what was taken for missing values beside the usual words.
func (r *reading) noteLeftOut() {
	if r.resent.lines > 0 {
		r.note("left out: %s with the time and the values of another one, such as %s",
			text.Count(r.resent.lines, "line"), r.resent.first)
	}
	markers := slices.Sorted(maps.Keys(r.markers))
	if markers != nil {
		counted := xslices.Map(markers, func(marker string) string {
			return fmt.Sprintf("%s (%d)", marker, r.markers[marker])
		})
		r.note("taken for missing values: %s", few(counted))
	}
}
