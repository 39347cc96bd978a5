package recordings

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readText reads a table and finds out its separator. R's write.table gives the column of row names no heading: if the
// second line has one cell more than the first, each gets the headings with "" in front.
func readText(j *job, path string, each eachLine) error {
	var from *input
	var headings []string // kept until the second line shows whether one is missing; then nil
	begin := 0            // the line of the headings
	names := rowNames{}
	err := j.readTable(path, 0, func(in *input, line int, cells []string) error {
		if from == nil {
			from, headings, begin = in, slices.Clone(cells), line
			return nil
		}
		if headings != nil {
			in.hasRowNames = in.lacksHeading(headings, cells)
			if in.hasRowNames {
				headings = append([]string{""}, headings...)
			}
			if err := each(in, begin, headings); err != nil {
				return &lineError{begin, err}
			}
			headings = nil
		}
		if in.hasRowNames && in.separator == ' ' {
			names.add(line, cells)
		}
		return each(in, line, cells)
	})
	if err == nil && from != nil && from.hasRowNames && !from.secondQuoted { // numbers are not in quotation marks
		err = names.check(path)
	}
	if err == nil && headings != nil { // the table has no second line
		err = each(from, begin, headings)
		if err != nil {
			err = fmt.Errorf("%s, line %d: %w", from.path, begin, err)
		}
	}
	return err
}

// lineError is an error of a line before that which is being read.
type lineError struct {
	number int
	error
}

// readTable calls each with the number and the cells of every line of a table: a file, or standard input for "-". A
// separator of 0 is found out. Cells have no blanks around them, and are valid until the next line is read. Errors name
// the file and the line.
func (j *job) readTable(path string, separator rune, each eachLine) error {
	file := os.Stdin
	if path != stdin {
		var err error
		file, err = os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
	}
	in, err := j.decode(file, path)
	if err != nil {
		return err
	}
	in.separator = separator
	if separator == 0 {
		in.sniff()
	}
	j.table = splitter{from: in, separator: string(in.separator), lazy: in.separator == ':', rest: j.table.rest[:0]}
	reported := int64(0)
	for b := range batches(&j.table, &j.opening, in.size > 0) { // a pipe may never end
		err = b.each(in, separator == 0, each)
		if err != nil {
			return err
		}
		if b.err == nil && b.read >= reported+1<<20 {
			err = j.report("reading "+filepath.Base(in.path), float64(b.read)/float64(max(in.size, b.read)))
			if err != nil {
				return err
			}
			reported = b.read
		}
		err = b.err
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote):
		return fmt.Errorf("%s, %w; put cells that hold a quotation mark or comma in quotation marks, and double the "+
			"marks within", in.path, err)
	}
	return fmt.Errorf("%s: %w; the file is cut off or damaged", in.path, err)
}

// batch holds lines of a table.
type batch struct {
	cells []string // of all lines
	lines []line
	read  int64 // bytes of the file, so far
	err   error // what ended the table after these lines; nil while there are more
}

// each calls do with the lines of a batch, but for a first line that says the separator, if that was to be found out.
func (b *batch) each(in *input, sniffed bool, do eachLine) error {
	begin := 0
	for _, line := range b.lines {
		cells := b.cells[begin:line.end]
		begin = line.end
		if line.number == 1 && cells[0] == says && sniffed {
			continue
		}
		err := do(in, line.number, cells)
		earlier, ok := errors.AsType[*lineError](err)
		switch {
		case ok:
			return fmt.Errorf("%s, line %d: %w", in.path, earlier.number, earlier.error)
		case err != nil:
			return fmt.Errorf("%s, line %d: %w", in.path, line.number, err)
		}
	}
	return nil
}

// line is the number of a line, and where its cells end.
type line struct{ number, end int }

// splitter splits a table into lines and cells.
type splitter struct {
	from      io.Reader
	separator string
	lazy      bool   // quotation marks mean nothing
	rest      []byte // of a line that has not ended
	number    int    // of the last line
	read      int64  // bytes, so far
}

// fill puts the next lines into b: those that end within the next bytes, about begun of them, and at least one. Only at
// the end of the table, or at an error, there may be none. The bytes of a line that has not ended stay for the next
// batch.
func (s *splitter) fill(b *batch) {
	b.cells, b.lines, b.err = b.cells[:0], b.lines[:0], nil
	enough := s.read + begun
	for b.err == nil && (s.read < enough || len(b.lines) == 0) {
		kept := len(s.rest)
		s.rest = slices.Grow(s.rest, begun)[:kept+begun]
		n, err := s.from.Read(s.rest[kept:])
		s.rest = s.rest[:kept+n]
		s.read += int64(n)
		used, wrong := s.split(b, string(s.rest), errors.Is(err, io.EOF))
		s.rest = append(s.rest[:0], s.rest[used:]...)
		b.err = cmp.Or(wrong, err)
	}
	b.read = s.read
}

// split adds the lines of a text, but for one that may not have ended, and returns how many bytes they are. Empty lines
// do not count, nor do remarks. last says that no more text comes.
func (s *splitter) split(b *batch, text string, last bool) (used int, err error) {
	quoted := !s.lazy && strings.Contains(text, `"`)
	for used < len(text) {
		isRemark := s.isRemark(text[used:])
		length, count := lengthOfLine(text[used:], quoted && !isRemark, last)
		if length == 0 {
			return used, nil
		}
		content := strings.TrimSuffix(strings.TrimSuffix(text[used:used+length], "\n"), "\r")
		number := s.number + 1
		used += length
		s.number += count
		if content == "" || isRemark {
			continue
		}
		b.cells, err = s.cells(b.cells, content, quoted)
		if err != nil {
			return used, fmt.Errorf("line %d, %w", number, err)
		}
		b.lines = append(b.lines, line{number, len(b.cells)})
	}
	return used, nil
}

// isRemark reports that a text begins with a remark: with #, unlike a spreadsheet's error such as #NV.
func (s *splitter) isRemark(text string) bool {
	if text[0] != '#' {
		return false
	}
	const longest = 40 // of such errors
	first, _, _ := strings.Cut(text[:min(len(text), longest)], s.separator)
	return !isMissing(strings.TrimSpace(first))
}

// mostLine is the length of a line above which a quotation mark in it has no end.
const mostLine = 1 << 20

// lengthOfLine returns the length of the line that a text begins with, and how many lines of the file it is: one that
// is quoted ends outside of quotation marks. The length is 0 if the line has not ended, and more text comes.
func lengthOfLine(text string, quoted, last bool) (length, count int) {
	for {
		next := strings.IndexByte(text[length:], '\n') + 1
		if next == 0 && !last && len(text) < mostLine {
			return 0, 0
		}
		count++
		if next == 0 {
			return len(text), count
		}
		length += next
		isOpen := quoted && strings.Count(text[:length], `"`)%2 > 0
		if !isOpen {
			return length, count
		}
	}
}

// cells adds the cells of a line, without the blanks around them. If it is quoted, cells may be in quotation marks.
func (s *splitter) cells(to []string, line string, quoted bool) ([]string, error) {
	for at := 0; ; at += len(s.separator) {
		for s.separator != "\t" && at < len(line) && line[at] == ' ' { // two tabs have an empty cell between them
			at++
		}
		cell, _, _ := strings.Cut(line[at:], s.separator)
		mark := -1
		if quoted {
			mark = strings.IndexByte(cell, '"')
		}
		switch mark {
		case -1:
			at += len(cell)
		case 0:
			var err error
			cell, at, err = s.quotedCell(line, at)
			if err != nil {
				return to, err
			}
		default:
			return to, fmt.Errorf("character %d: %w", at+mark+1, csv.ErrBareQuote)
		}
		to = append(to, strings.TrimSpace(cell))
		if at >= len(line) {
			return to, nil
		}
	}
}

// quotedCell returns the text of the cell that begins at a quotation mark, and where the cell ends: at the end of the
// line, or at the separator behind it.
func (s *splitter) quotedCell(line string, at int) (cell string, end int, err error) {
	for strings.HasPrefix(line[at:], `"`) {
		part, _, closed := strings.Cut(line[at+1:], `"`)
		if !closed {
			return "", 0, fmt.Errorf("character %d: %w", len(line)+1, csv.ErrQuote)
		}
		at += len(part) + 2
		cell += part
		if strings.HasPrefix(line[at:], `"`) { // two marks stand for one
			cell += `"`
		}
	}
	if at < len(line) && !strings.HasPrefix(line[at:], s.separator) {
		return "", 0, fmt.Errorf("character %d: %w", at, csv.ErrQuote)
	}
	return cell, at, nil
}

// ahead is the most batches that are read before they are asked for.
const ahead = 2

// batches yields the lines of a table. The last batch has the error that ended the table, such as io.EOF. Another core
// reads the next lines while the caller has some. A batch is valid until the next; the first may have room of another
// table. If wait is set, nothing reads the table any more when batches returns.
func batches(table *splitter, first *batch, wait bool) iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		table.fill(first)
		if !yield(first) || first.err != nil { // short files end here
			return
		}
		free, full := make(chan *batch, ahead+1), make(chan *batch, ahead+1)
		for range ahead {
			free <- &batch{}
		}
		go func() {
			defer close(full)
			for b := range free {
				table.fill(b)
				full <- b
				if b.err != nil {
					return
				}
			}
		}()
		for b := range full {
			if !yield(b) {
				break
			}
			free <- b
		}
		close(free)
		if wait {
			for range full { // ends when the last read has ended
			}
		}
	}
}
