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

// takeHeadings takes the line that names the columns, and finds what each is.
func (t *table) takeHeadings(cells []string) (err error) {
	t.first = slices.Clone(cells)
	err = t.checkHeadings(cells)
	if err != nil {
		return err
	}
	for i, cell := range cells {
		cells[i] = suggest.Tidy(cell)
	}
	t.takeFolder(cells)
	t.takeDeclaredClass()
	cells, err = t.arranged(cells)
	if err != nil {
		return err
	}
	t.roles, err = rolesOf(cells, t.hints, t.job.note)
	if err != nil {
		return err
	}
	if t.axis != nil && t.axis.missing == 0 {
		t.job.axis = &t.axis.along
	}
	for _, heading := range t.headings {
		t.chosen.seen[heading] = true
	}
	t.Leave = t.leave
	if t.time >= 0 {
		t.takeTimeUnit(t.headings[t.time])
	}
	err = t.orderValues()
	if err == nil {
		t.noteDurations()
	}
	return err
}

// checkHeadings returns an error if the first line cannot name the columns: if it is a series as tslearn writes it, or
// one cell above lines of many.
func (t *table) checkHeadings(cells []string) error {
	if isTSLearn(cells, t.in.separator) {
		return errors.New("the file looks like series as tslearn's save_time_series_txt writes them, a line each, without " +
			"classes and without headings; save an .npz file with arrays series and labels instead")
	}
	isOneCell := strings.Join(cells[1:], "") == ""
	if t.in.usual > 2 && isOneCell {
		return fmt.Errorf("%.40q is one cell, and most lines of the file have %d: %s; begin lines before it with #, or "+
			"remove them", cells[0], t.in.usual, headingHint)
	}
	return nil
}

// takeFolder decides whether the folder of the file names the class of its recordings. A folder named train or test
// does not if the table has classes of its own: it is then that half of the data.
func (t *table) takeFolder(cells []string) {
	hasClasses := t.hints.labelName != "" || t.column(cells, "label") >= 0
	if t.from.part && hasClasses {
		if half(t.from.label, "test") {
			t.from.test = "the folders"
		}
		t.from.label = ""
	}
	t.folder = t.from.label != ""
}

// orderValues puts the columns of values in the order of the recordings.
func (t *table) orderValues() (err error) {
	if t.layout == readingsLayout {
		t.axes = t.roles.values.names
		for _, column := range t.at {
			t.valueColumns = append(t.valueColumns, column[0])
		}
		return nil
	}
	t.taken, err = t.takeColumns(t.from.path, t.roles.values, t.time >= 0)
	if err != nil {
		return orHeadless(err, t.headings)
	}
	series := t.taken.at
	for timepoint := range t.at[series[0]] {
		for _, i := range series {
			t.valueColumns = append(t.valueColumns, t.at[i][timepoint])
		}
	}
	return nil
}

// ucrHeadings returns the headings that a .tsv file of the UCR archive has not: its first line is a sample, a class and
// then values. It returns nil for any other file.
func ucrHeadings(path string, cells []string) []string {
	_, err := strconv.Atoi(cells[0])
	if err != nil || len(cells) < 3 || extension(path) != ".tsv" || !allNumbers(cells) {
		return nil
	}
	headings := []string{"label"}
	for i := range cells[1:] {
		headings = append(headings, "value@"+strconv.Itoa(i))
	}
	return headings
}

// allNumbers reports that all cells are numbers.
func allNumbers(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return !isNumber(cell) })
}

// isTSLearn reports that the first line of a table is a sample as tslearn writes it, with bars between its dimensions
// and blanks between the values of each. So it is if each cell has two numbers or more.
func isTSLearn(cells []string, separator rune) bool {
	return separator == '|' && !slices.ContainsFunc(cells, func(cell string) bool {
		values := strings.Fields(cell)
		return len(values) < 2 || !allNumbers(values)
	})
}

// takeTimeUnit takes the unit of the times from their heading, or from the format of the file. It keeps a heading that
// may as well be that of a temperature, such as T, unless a person has named it: then the times must rise.
func (t *table) takeTimeUnit(heading string) {
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

// takeDeclaredClass takes the column of classes that a file declares by itself, and their order, unless a person has
// named one. Where the folder or a table of classes names the class, the column is left out.
func (t *table) takeDeclaredClass() {
	if t.in.class == "" || t.hints.labelName != "" || t.known {
		return
	}
	switch {
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
	for _, column := range t.valueColumns {
		if t.in.seconds[column] {
			t.job.noteOf("durations", fmt.Sprintf("column %s holds durations; its values are seconds", t.headings[column]))
		}
	}
}
