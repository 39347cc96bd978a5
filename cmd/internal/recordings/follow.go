package recordings

// This file reads a stream: the lines of a table, or objects of JSON, while they come.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
)

// Row is a time point of a stream.
type Row struct {
	Line int
	// Time is in the unit of the training's times; NaN where the stream has none.
	Time float64
	// Written is how the stream writes its times.
	Written recording.TimeForm
	// Values are those of the training's sensors in their order; NaN is missing. They are valid until the next row.
	Values []float64
	// Begins says that the row is of another recording than the one before, by the column that names these.
	Begins bool
}

// BadLine is the error of a line that holds no row.
type BadLine struct {
	Line int
	Err  error
}

// Error names the line.
func (b *BadLine) Error() string { return fmt.Sprintf("line %d: %v", b.Line, Elsewhere(b.Err)) }

// Unwrap gives the reason.
func (b *BadLine) Unwrap() error { return b.Err }

// Follow reads a stream line by line as it comes: a CSV whose first line names the columns, or an object of JSON in
// each line, whose members are called as the columns of the training are. It calls each with every row. A line that
// holds no row is left out, and bad is called with the reason, unless it is the first. note is called with what a
// person should know of the columns, after the first row and at the end. An error of each ends it, and so does ctx, at
// the next line.
func Follow(ctx context.Context, from io.Reader, form *recording.Form, each func(Row) error, bad func(*BadLine),
	note func(text string)) error {
	if form == nil {
		return recording.ErrNoForm
	}
	r, err := readingAlike(ctx, form, nil)
	if err != nil {
		return err
	}
	r.anyOrder = true
	t := &table{reading: r, from: source{path: "the stream"}, byName: map[string]*sample{}}
	s := &stream{table: t, each: each, note: note, noted: map[string]bool{}}
	s.clock.begin()
	whole := &wholeLines{from: decodedLines(from)}
	lines := bufio.NewScanner(whole)
	lines.Buffer(make([]byte, 0, begun), mostLine)
	lines.Split(whole.split)
	for number := 1; lines.Scan(); number++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		text := bytes.TrimSuffix(lines.Bytes(), []byte{'\r'})
		err = s.line(number, text)
		if s.rows == 0 && whole.unended && areJoined(text, form.Width()) {
			return errJoined
		}
		var wrong *BadLine
		switch {
		case err == nil:
		case !errors.As(err, &wrong):
			return Elsewhere(err, "--window", "--step") // which ccp watch has
		case s.rows == 0:
			return wrong
		default:
			bad(wrong)
		}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a line has more than %d bytes: a stream has a line for each time point", mostLine)
	}
	if err == nil && s.rows == 0 {
		err = errors.New("the stream has no row; its first line names the columns, or each line is an object of JSON")
	}
	if err == nil {
		s.tellNotes()
	}
	return err
}

// stream is a stream being read.
type stream struct {
	table   *table
	each    func(Row) error
	note    func(text string)
	noted   map[string]bool
	written recording.TimeForm
	in      *input
	members []string // of objects of JSON, in the order of the columns; nil for a CSV
	split   splitter
	cells   []string
	rows    int
	begins  bool // another recording has begun, and no row of it was good so far
	clock   clock
}

// line reads a line.
func (s *stream) line(number int, text []byte) error {
	text = bytes.TrimPrefix(inUTF8(text), []byte(byteOrderMark))
	if len(bytes.TrimSpace(text)) == 0 || text[0] == '#' {
		return nil
	}
	var err error
	if s.in == nil {
		err = s.begin(number, text)
	} else {
		err = s.readRow(number, text)
	}
	if err != nil && s.in == nil {
		return fmt.Errorf("line %d: %w", number, err)
	}
	return err
}

// begin takes the first line: the headings, or the first object.
func (s *stream) begin(number int, text []byte) error {
	in := &input{path: s.table.from.path, markers: s.table.markers, dialect: s.table.dialect,
		Reader: bufio.NewReaderSize(bytes.NewReader(append(slices.Clone(text), '\n')), begun)}
	isControl := func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' }
	if bytes.ContainsFunc(text, isControl) {
		return errors.New("it is no text: a stream is a CSV, or an object of JSON in each line; ccp predict --window tells " +
			"the class along time in a file of a whole recording")
	}
	if text[0] == '{' {
		var first map[string]json.RawMessage
		err := json.Unmarshal(text, &first)
		if err != nil {
			return fmt.Errorf("it is no object of JSON: %w", err)
		}
		if len(first) == 0 {
			return errors.New("the object has no member; its members are called as the columns of the training")
		}
		s.members, in.separator = slices.Sorted(maps.Keys(first)), ','
		in.usual = len(s.members)
		err = s.table.add(in, number, slices.Clone(s.members))
		if err != nil {
			return err
		}
		s.in = in
		return s.readRow(number, text)
	}
	in.sniff()
	s.split = splitter{separator: string(in.separator), lazy: in.separator == ':'}
	cells, err := s.split.cells(nil, string(text), bytes.IndexByte(text, '"') >= 0)
	if err == nil {
		err = s.table.add(in, number, cells)
	}
	if err != nil {
		return err
	}
	err = s.fits()
	if err == nil {
		s.in = in
	}
	return err
}

// fits returns an error if the columns make no time point of each line.
func (s *stream) fits() error {
	t := s.table
	if t.layout != recordingLayout && t.layout != timepointsLayout {
		return fmt.Errorf("the columns are those of the layout %s; a stream has a line for each time point, with a "+
			"column for each sensor", t.layout)
	}
	return nil
}

// readRow reads a line of values, and calls each with its row.
func (s *stream) readRow(number int, text []byte) (err error) {
	s.cells, err = s.cellsOf(text)
	if err != nil {
		return &BadLine{number, err}
	}
	t, before := s.table, len(s.table.samples)
	t.current = nil
	err = t.add(s.in, number, s.cells)
	x := t.current
	if err != nil {
		if x != nil {
			x.rows = rows{}
		}
		for _, begun := range t.samples[before:] { // by a line that holds no row
			delete(t.byName, begun.Name)
		}
		t.samples = t.samples[:before]
		return &BadLine{number, err}
	}
	if x == nil { // a line of units, or headings that come again
		return nil
	}
	t.namedBy = nil // no line sums up others in a stream
	row := Row{Line: number, Time: math.NaN()}
	another := s.rows > 0 && len(t.samples) > before
	if s.rows == 0 {
		err = s.fits()
		if second := t.second(); err == nil && t.chosen.like.Second > 0 && second > 0 && second != t.chosen.like.Second {
			err = fmt.Errorf("column %s is in another unit than the training's times, of which %g are a second; write both in "+
				"one unit", t.headings[t.time], t.chosen.like.Second)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		t.noteColumns(x)
		s.clock.digits = t.digitsOfStream()
	}
	if another {
		s.begins = true
		t.samples = append(t.samples[:0], x)
		clear(t.byName)
		t.byName[x.Name] = x
		s.clock.begin()
	}
	row.Values, row.Time, err = s.settled(x)
	x.rows = rows{values: x.rows.values[:0], times: x.rows.times[:0]}
	if errors.Is(err, errNoOrder) { // no later line will have one
		return fmt.Errorf("line %d: column %s: %w; %s", number, t.headings[t.time], err, writeOrder)
	}
	if err != nil {
		return &BadLine{number, err}
	}
	row.Begins, s.begins = s.begins, false
	isFirst := s.rows == 0
	if isFirst && t.time >= 0 {
		s.written = t.formOfTimes(s.clock.digits, t.date >= 0)
	}
	row.Written = s.written
	s.rows++
	err = s.each(row)
	if err == nil && isFirst {
		s.tellNotes()
	}
	return err
}

// tellNotes tells the notes that have not been told.
func (s *stream) tellNotes() {
	for _, text := range s.table.noteTexts() {
		if !s.noted[text] {
			s.note(text)
		}
		s.noted[text] = true
	}
}

// settled returns the values and the time of the only row of a sample.
func (s *stream) settled(x *sample) (values []float64, time float64, err error) {
	t := s.table
	values, time = x.rows.values, math.NaN()
	if len(x.rows.open.points)+len(x.rows.open.commas) > 0 {
		decimal, doubt, err := t.dialect.settle()
		if err != nil {
			return nil, time, err
		}
		if kind := counts.ReplaceAllString(doubt, "0"); doubt != "" && !s.noted[kind] {
			s.noted[kind] = true
			s.note(doubt)
		}
		values = x.rows.open.settle(values, decimal, 1000)
	}
	if len(x.rows.times) > 0 {
		time, err = s.timeOf(&x.rows)
	}
	return values, time, err
}

// cellsOf returns the cells of a line, or of an object of JSON in the order of the first one's members.
func (s *stream) cellsOf(text []byte) ([]string, error) {
	if s.members == nil {
		return s.split.cells(s.cells[:0], string(text), bytes.IndexByte(text, '"') >= 0)
	}
	var object map[string]json.RawMessage
	err := json.Unmarshal(text, &object)
	if err != nil {
		return s.cells, fmt.Errorf("it is no object of JSON: %w", err)
	}
	cells := s.cells[:0]
	for _, name := range s.members {
		cell := strings.TrimSpace(string(object[name]))
		switch {
		case cell == "" || cell == "null":
			cell = "NA"
		case cell[0] == '"':
			if err := json.Unmarshal(object[name], &cell); err != nil {
				return cells, err
			}
		}
		cells = append(cells, cell)
		delete(object, name)
	}
	for name := range object {
		return cells, fmt.Errorf("member %q is not in the first object, which has %s", name, strings.Join(s.members, ", "))
	}
	return cells, nil
}
