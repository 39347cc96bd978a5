package recordings

// This file takes the first line of a table, which names its columns, and what the file itself says of them.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
)

// head takes the headings.
func (t *table) head(cells []string) (err error) {
	t.first = slices.Clone(cells)
	if isTSLearn(cells, t.in.separator) {
		return errors.New("the file looks like series as tslearn's save_time_series_txt writes them, a line each, without " +
			"classes and without " +
			"headings; save an .npz file with arrays series and labels instead")
	}
	if n := t.in.usual; n > 2 && strings.Join(cells[1:], "") == "" {
		return fmt.Errorf("%.40q is one cell, and most lines of the file have %d: %s; begin lines before it with #, or "+
			"remove them", cells[0], n,
			headingHint)
	}
	for i, cell := range cells {
		cells[i] = suggest.Tidy(cell)
	}
	// the folder is a half of the data, and no class
	if t.from.part && (t.hints.labelName != "" || t.column(cells, "label") >= 0) {
		if half(t.from.label, "test") {
			t.from.test = "the folders"
		}
		t.from.label = ""
	}
	t.folder = t.from.label != ""
	t.classed()
	cells, err = t.arranged(cells)
	if err != nil {
		return err
	}
	t.roles, err = rolesOf(cells, t.hints, t.job.note)
	if err != nil {
		return err
	}
	for _, heading := range t.headings {
		t.chosen.seen[heading] = true
	}
	t.Leave = t.leave
	if t.time >= 0 {
		t.headTime(t.headings[t.time])
	}
	if t.layout == readingsLayout {
		t.axes = t.roles.values.names
		for _, at := range t.at {
			t.values = append(t.values, at[0])
		}
		t.noteDurations()
		return nil
	}
	at, has, told, err := t.order(t.from.path, t.roles.values, t.time >= 0)
	if err != nil {
		return orHeadless(err, t.headings)
	}
	t.has, t.about = has, told
	for timepoint := range t.at[at[0]] {
		for _, series := range at {
			t.values = append(t.values, t.at[series][timepoint])
		}
	}
	t.noteDurations()
	return nil
}

// ucrHeadings returns the headings that a .tsv file of the UCR archive has not: its first line is a sample, a class and
// then values.
func ucrHeadings(path string, cells []string) []string {
	headings := []string{"label"}
	for i, cell := range cells {
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			return nil
		}
		headings = append(headings, "value@"+strconv.Itoa(i))
	}
	if _, err := strconv.Atoi(cells[0]); err != nil || len(cells) < 3 || extension(path) != ".tsv" {
		return nil
	}
	return headings[:len(cells)]
}

// isTSLearn reports that the first line of a table is a sample as tslearn writes it, with bars between its dimensions
// and blanks between the values of each. So it is if each cell has two numbers or more.
func isTSLearn(cells []string, separator rune) bool {
	return separator == '|' && !slices.ContainsFunc(cells, func(cell string) bool {
		values := strings.Fields(cell)
		return len(values) < 2 || slices.ContainsFunc(values, func(value string) bool {
			_, err := strconv.ParseFloat(value, 64)
			return err != nil
		})
	})
}

// headTime takes the unit of the times from their heading, or from the format of the file. A mere T may be a
// temperature.
func (t *table) headTime(heading string) {
	match := timeHeading.FindStringSubmatch(heading)
	if match != nil {
		t.unit = strings.Join(match[1:], "")
	}
	if t.in.seconds[t.time] {
		t.unit = "seconds"
	}
	if mayBeTemperature(heading) && t.Time == "" && len(t.Columns) < 2 && !t.known {
		t.ambiguousT = heading
	}
}

// classed takes the column of classes that a file declares by itself, and their order, unless a person has named one.
// Where the folder or a table of classes names the class, the column is left out.
func (t *table) classed() {
	switch {
	case t.in.class == "" || t.hints.labelName != "" || t.known:
	case t.folder || t.given != nil:
		t.job.noteOf("class "+t.in.class, fmt.Sprintf("column %s is left out: the folder or --labels names the class",
			t.in.class))
		t.Leave = append(slices.Clone(t.Leave), t.in.class)
	default:
		t.hints.labelName = t.in.class
		if t.classes == nil {
			t.classes = t.in.classes
		}
	}
}

// noteDurations tells of the columns of values that hold durations, whose numbers are those of seconds.
func (t *table) noteDurations() {
	for _, column := range t.values {
		if t.in.seconds[column] {
			t.job.noteOf("durations", fmt.Sprintf("column %s holds durations; its values are seconds", t.headings[column]))
		}
	}
}
