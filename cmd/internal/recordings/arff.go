package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// attribute is a column of an .arff file.
type attribute struct {
	name    string
	nominal []string // the values that it may have; nil if they are not listed
	// timepoints is the number of columns within a relation, which are the time points of a series. It is 0 for an
	// attribute that is no relation.
	timepoints int
}

// arff reads an .arff file of Weka: an @attribute line for each column, @data, and then a line for each sample.
//
//	@attribute att0 numeric
//	@attribute activity {walk,'going up'}
//	@data
//	0.5,walk
//
// In the UEA archive's files of several dimensions a column is a relation, whose rows are the dimensions of a series.
type arff struct {
	in         *input
	attributes []attribute
	relation   *attribute // whose columns are being declared
	inner      []string   // their names
	ended      bool       // @data was read
	begun      bool       // the columns were named
	rows       int        // of the relation in the first sample: the dimensions of its series
	class      int        // the column of classes; -1 if the file does not tell
}

// readARFF reads an .arff file as a table: it calls each with the names of the columns, and then with each sample's
// cells.
func readARFF(j *job, path string, each eachLine) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := j.decode(file, path)
	if err != nil {
		return err
	}
	in.separator, in.allExact, in.encoding = ',', true, strings.TrimPrefix(in.encoding+", ARFF", ", ")
	a := &arff{in: in, class: -1}
	read := int64(0)
	for line := 1; ; line++ {
		text, end := in.ReadString('\n')
		read += int64(len(text))
		if line%1000 == 0 {
			if err := j.report("reading "+filepath.Base(path), float64(read)/float64(max(in.size, read))); err != nil {
				return err
			}
		}
		if err := a.line(line, strings.TrimSpace(text), each); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, line, err)
		}
		switch {
		case errors.Is(end, io.EOF) && !a.ended:
			return fmt.Errorf("%s: no @data line; this is not an .arff file, or it is cut off", path)
		case errors.Is(end, io.EOF):
			return nil
		case end != nil:
			return fmt.Errorf("%s: %w; the file is cut off or damaged", path, end)
		}
	}
}

// line takes a line of the file: a declaration of a column, or after @data a sample. With the first sample the number
// of columns is known, so that the headings go to each before it.
func (a *arff) line(number int, text string, each eachLine) error {
	if text == "" || text[0] == '%' {
		return nil
	}
	if !a.ended {
		return a.declare(text)
	}
	if text[0] == '{' {
		return errors.New("the line names its values by their numbers, {1 0.5, …}; write all of them: Weka's filter " +
			"SparseToNonSparse does")
	}
	cells, err := arffCells(text)
	if err != nil {
		return err
	}
	n := len(a.attributes)
	switch {
	case len(cells) == n+1 && strings.HasPrefix(cells[n], "{"):
		return fmt.Errorf("the line ends with a weight of the sample, %s, which is not understood; remove it", cells[n])
	case len(cells) != n:
		return fmt.Errorf("%d values; want %d, one for each @attribute", len(cells), n)
	}
	if !a.begun {
		a.begun = true
		a.takeFirst(cells)
		err := each(a.in, number, a.headings())
		if err != nil {
			return err
		}
	}
	flat, err := a.flattened(cells)
	if err != nil {
		return err
	}
	return each(a.in, number, flat)
}

// takeFirst takes what the first sample says: how many dimensions its series has. It passes on which column has the
// classes, and their order.
func (a *arff) takeFirst(cells []string) {
	for i, attribute := range a.attributes {
		if attribute.timepoints > 0 {
			a.rows = len(relationRows(cells[i]))
		}
	}
	if a.class >= 0 {
		a.in.class, a.in.classes = a.attributes[a.class].name, a.attributes[a.class].nominal
	}
}

// headings names the columns, those of a relation by the dimension and the time point.
func (a *arff) headings() (all []string) {
	for _, attribute := range a.attributes {
		if attribute.timepoints == 0 {
			all = append(all, attribute.name)
			continue
		}
		for dimension := range a.rows {
			for timepoint := range attribute.timepoints {
				all = append(all, fmt.Sprintf("dim_%d@%d", dimension, timepoint))
			}
		}
	}
	return all
}

// flattened returns the cells of a sample as a row of a table: a cell that is a relation becomes a cell for each
// dimension and time point, as headings names them. It is an error if a relation has another size than that of the
// first sample, or if a cell has none of the values that are declared for its column.
func (a *arff) flattened(cells []string) (flat []string, err error) {
	for i, attribute := range a.attributes {
		cell := cells[i]
		if attribute.timepoints == 0 {
			if attribute.nominal != nil && cell != "?" && !slices.Contains(attribute.nominal, cell) {
				return nil, fmt.Errorf("attribute %s: %.40q is not one of its values {%s}; name it there, or correct it",
					attribute.name, cell, few(attribute.nominal))
			}
			flat = append(flat, cell)
			continue
		}
		rows := relationRows(cell)
		if len(rows) != a.rows {
			return nil, fmt.Errorf("attribute %s has %d rows, the first sample has %d; all samples must have the same "+
				"dimensions", attribute.name, len(rows), a.rows)
		}
		for dimension, row := range rows {
			values := strings.Split(row, ",")
			if len(values) != attribute.timepoints {
				return nil, fmt.Errorf("attribute %s, row %d has %d values; want %d, one for each @attribute of the relation, "+
					"and ? where there is none", attribute.name, dimension, len(values), attribute.timepoints)
			}
			for _, value := range values {
				flat = append(flat, strings.TrimSpace(value))
			}
		}
	}
	return flat, nil
}

// relationRows returns the rows of a relation.
func relationRows(cell string) []string { return strings.Split(strings.TrimRight(cell, "\n"), "\n") }

// declare takes a line before the data.
func (a *arff) declare(text string) error {
	tag, rest, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	rest = strings.TrimSpace(rest)
	tag = strings.ToLower(tag)
	switch {
	case tag == "@relation":
		return nil
	case tag == "@end" && a.relation != nil:
		return a.endRelation()
	case tag == "@data":
		return a.data()
	case tag != "@attribute":
		return fmt.Errorf("%.30q comes before @data; this is not an .arff file", text)
	}
	name, kind, err := arffName(rest)
	if err != nil {
		return err
	}
	declared := attribute{name: name}
	word, _, _ := strings.Cut(strings.ToLower(kind), " ")
	switch {
	case a.relation != nil:
		a.inner = append(a.inner, name)
		return nil
	case word == "relational":
		a.relation = &declared
		return nil
	case strings.HasPrefix(kind, "{"):
		values := strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(kind, "{")), "}")
		declared.nominal, err = arffCells(values)
		if err != nil {
			return err
		}
	case !slices.Contains([]string{"numeric", "real", "integer", "string", "date"}, word):
		return fmt.Errorf("@attribute %s is of a kind that is not understood, %.30q; want numeric, string, date or "+
			"{a,b}", name, kind)
	}
	a.attributes = append(a.attributes, declared)
	return nil
}

// endRelation takes the @end of a relation. Its columns must be the time points of a series, and there must be no other
// relation, as a sample is one series.
func (a *arff) endRelation() error {
	s, err := seriesByNumber(a.inner)
	if err != nil || len(s.columns) != 1 || !slices.IsSorted(s.columns[0]) {
		return fmt.Errorf("the columns of the relation %s (%s) are not numbered as the time points of a series are: att0, "+
			"att1, …; write a long table, with columns of the sample and of the time", a.relation.name, few(a.inner))
	}
	if slices.ContainsFunc(a.attributes, func(other attribute) bool { return other.timepoints > 0 }) {
		return fmt.Errorf("%s is a second relation; a sample is one series of any dimensions", a.relation.name)
	}
	a.relation.timepoints = len(a.inner)
	a.attributes, a.relation = append(a.attributes, *a.relation), nil
	return nil
}

// data ends the declarations, and finds the column of classes: the one that is named label, class or target, or else
// the last one, if its values are declared.
func (a *arff) data() error {
	a.ended = true
	if len(a.attributes) == 0 || a.relation != nil {
		return errors.New("no @attribute line comes before @data, or a relation lacks its @end; this is not an .arff " +
			"file, or it is cut off")
	}
	for _, name := range []string{"label", "class", "target"} {
		at := slices.IndexFunc(a.attributes, func(other attribute) bool {
			return strings.EqualFold(other.name, name) && other.timepoints == 0
		})
		if at >= 0 && a.class < 0 {
			a.class = at
		}
	}
	last := len(a.attributes) - 1
	if a.class < 0 && a.attributes[last].nominal != nil {
		a.class = last
	}
	return nil
}

// arffName cuts a name from the front of a declaration. It may be in quotation marks.
func arffName(text string) (name, rest string, err error) {
	if text == "" {
		return "", "", errors.New("@attribute has no name")
	}
	if text[0] != '\'' && text[0] != '"' {
		name, rest, _ = strings.Cut(text, " ")
		return name, strings.TrimSpace(rest), nil
	}
	name, used, err := arffQuoted(text)
	return name, strings.TrimSpace(text[used:]), err
}

// arffQuoted reads the text in quotation marks with which a line begins. used is its length in the line, with the
// marks. Within the text a backslash stands before a quotation mark, and makes a line end or a tab of n, t and r.
func arffQuoted(text string) (inside string, used int, err error) {
	var out strings.Builder
	for at := 1; at < len(text); at++ {
		switch c := text[at]; {
		case c == text[0]:
			return out.String(), at + 1, nil
		case c == '\\' && at+1 < len(text):
			at++
			escape := strings.IndexByte("ntr", text[at])
			if escape >= 0 {
				out.WriteByte("\n\t\r"[escape])
			} else {
				out.WriteByte(text[at])
			}
		default:
			out.WriteByte(c)
		}
	}
	return "", len(text), fmt.Errorf("a quotation mark %c has no end; write \\%[1]c for one within a text", text[0])
}

// arffCells splits a line at its commas, or else at its blanks, outside of quotation marks. What follows a % is a
// remark.
func arffCells(text string) (cells []string, err error) {
	var cell strings.Builder // what was read of the cell that is being read
	for at := 0; at < len(text) && text[at] != '%'; at++ {
		c := text[at]
		isQuotation := (c == '\'' || c == '"') && strings.TrimSpace(cell.String()) == ""
		switch {
		case isQuotation:
			inside, used, err := arffQuoted(text[at:])
			if err != nil {
				return nil, err
			}
			cells = append(cells, inside)
			cell.Reset()
			rest := strings.TrimLeft(text[at+used:], " \t")
			if rest == "" || rest[0] == '%' {
				return cells, nil
			}
			if rest[0] != ',' {
				return nil, fmt.Errorf("%.20q comes after a text in quotation marks; want a comma", rest)
			}
			if rest == "," {
				return append(cells, ""), nil
			}
			at = len(text) - len(rest) // at the comma
		case c == ',':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(c)
		}
	}
	cells = append(cells, strings.TrimSpace(cell.String()))
	if len(cells) == 1 && strings.ContainsAny(cells[0], " \t") {
		return strings.Fields(cells[0]), nil
	}
	return cells, nil
}
