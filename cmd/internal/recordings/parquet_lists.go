package recordings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What lists in each other go along, in a table with a line for each sample.
const (
	timeFirst = "time-first" // the outermost list: it has an element for each time point
	timeLast  = "time-last"  // the innermost list
	noTime    = "sensors"    // none: each line is of one time point
)

// Shapes that leave little doubt which lists are time: so few channels, and so many times more time points.
const (
	mostChannels   = 32
	lopsided       = 4
	arrowFixedList = 16 // the number of lists of a fixed length in Arrow's Schema.fbs
)

// lists are the columns of a table that the lists of one column of a Parquet file make: those from first on.
type lists struct {
	*leaf
	first int
}

// nested reports lists in each other, or a list whose elements have several values.
func (l *leaf) nested() bool {
	return l.lists > 1 || l.lists == 1 && l.path[len(l.path)-1] != listIndex
}

// indices returns the indices of each value of a row in its lists, the outermost list's first: [0 0], [0 1], [1 0] for
// a list of two values and a list of one.
func (l *leaf) indices() (all [][]int) {
	at := make([]int, l.lists)
	for i, level := range l.shape {
		if i > 0 && level > 0 && level <= len(at) {
			at[level-1]++
			clear(at[level:])
		}
		all = append(all, slices.Clone(at))
	}
	return all
}

// sizes returns how many elements the lists of each level have. The error says that they differ.
func (l *leaf) sizes() ([]int, error) {
	sizes, product := make([]int, l.lists), 1
	for _, at := range l.indices() {
		for level, i := range at {
			sizes[level] = max(sizes[level], i+1)
		}
	}
	for _, size := range sizes {
		product *= size
	}
	if product != len(l.shape) {
		return nil, fmt.Errorf("column %s holds lists of several lengths in a row: write lists of one length, or a row for "+
			"each time point",
			l.heading())
	}
	return sizes, nil
}

// headingsAlong returns the headings of the columns, with the time point at the end.
func (l *leaf) headingsAlong(order string) (all []string) {
	for _, at := range l.indices() {
		time := 0
		if order == timeLast {
			time = l.lists - 1
		}
		rest, level := []string{}, 0
		for _, part := range l.path {
			if part != listIndex {
				rest = append(rest, part)
				continue
			}
			if level != time {
				rest = append(rest, strconv.Itoa(at[level]))
			}
			level++
		}
		all = append(all, strings.Join(rest, ".")+"."+strconv.Itoa(at[time]))
	}
	return all
}

// along returns the headings with the time points of nested lists at their ends.
func (in *input) along(order string, headings []string) []string {
	headings = slices.Clone(headings)
	for _, l := range in.lists {
		copy(headings[l.first:], l.headingsAlong(order))
	}
	return headings
}

// arranged names the columns of nested lists by what the lists go along, if a line is a sample. The headings do not
// tell which lists are time, so that a person says it, or a fixed length, or else the number of their elements, of
// which a note tells. New recordings are as the import's.
func (t *table) arranged(headings []string) ([]string, error) {
	order := t.Lists
	if t.in.lists == nil || order == noTime || order == "" && t.known {
		return headings, nil
	}
	r, err := rolesOf(t.in.along(cmp.Or(order, timeLast), headings), t.hints, silent)
	if err != nil || r.layout != samplesLayout {
		return headings, nil // which says what is wrong
	}
	for _, l := range t.in.lists {
		if slices.Contains(t.Leave, l.path[0]) || slices.Contains(t.Leave, l.heading()) {
			continue
		}
		sizes, err := l.sizes()
		if err != nil {
			return nil, err
		}
		found, note := order, ""
		if t.Lists == "" {
			found, note, err = l.guess(sizes)
		} else if t.known {
			err = l.fits(sizes, order, t.Take)
		}
		switch {
		case err != nil:
			return nil, err
		case order != "" && found != order:
			return nil, fmt.Errorf("the lists of column %s and those of another column seem to go along time in other "+
				"orders; say which with --lists %s or --lists %s", l.heading(), timeFirst, timeLast)
		case note != "":
			t.job.noteOf("lists "+l.heading(), note)
		}
		order = found
	}
	if order == "" {
		return headings, nil
	}
	t.Lists = order
	return t.in.along(order, headings), nil
}

// guess says which lists are time: those whose length is not fixed, where that of the others is, or those that have
// many times as many elements. note tells of the latter. The error says how a person settles it.
func (l *leaf) guess(sizes []int) (order, note string, err error) {
	if l.lists == 1 {
		return "", "", fmt.Errorf("column %s holds a list of %d elements with several values in each row: say --lists %s "+
			"if these are time points, or --lists %s if they are sensors at one "+
			"time point", l.path[0], sizes[0], timeFirst, noTime)
	}
	shape := fmt.Sprintf("column %s holds a list of %d lists of %d in each row", l.heading(), sizes[0], sizes[1])
	if len(l.fixed) == l.lists {
		switch outer, inner := l.fixed[0], l.fixed[l.lists-1]; {
		case !outer && !slices.Contains(l.fixed[1:], false):
			return timeFirst, "", nil
		case !inner && !slices.Contains(l.fixed[:l.lists-1], false):
			return timeLast, "", nil
		}
	}
	fewer, many := min(sizes[0], sizes[1]), max(sizes[0], sizes[1])
	if l.lists > 2 || fewer > mostChannels || many < lopsided*fewer {
		return "", "", errors.New(shape + ", and nothing says which of them go along time: say --lists " + timeFirst +
			" if the outermost do, " +
			"--lists " + timeLast + " if the innermost do, or --lists " + noTime + " if each row is of one time point")
	}
	order, other := timeFirst, timeLast
	if sizes[1] > sizes[0] {
		order, other = timeLast, timeFirst
	}
	return order, fmt.Sprintf("%s: taken for %d time points of %d channels, since channels are fewer; else say --lists %s",
			shape, many, fewer, other),
		nil
}

// fits returns an error if the lists of a new recording have not as many channels as those of the training, but the
// training's number in the place of the time points.
func (l *leaf) fits(sizes []int, order string, take []string) error {
	if l.lists != 2 {
		return nil
	}
	want := 0
	for _, name := range take {
		if strings.HasPrefix(name, l.heading()+".") {
			want++
		}
	}
	channels, others := sizes[1], sizes[0]
	if order == timeLast {
		channels, others = others, channels
	}
	if want == 0 || channels == want || others != want {
		return nil
	}
	return fmt.Errorf("column %s holds a list of %d lists of %d in each row: the training's %d channels are in the "+
		"place of time points; "+
		"turn the lists", l.heading(), sizes[0], sizes[1], want)
}
