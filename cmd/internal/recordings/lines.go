package recordings

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Read reads the lines. It puts a blank before a spreadsheet's error such as #NV that begins a line, because # would
// begin a comment.
func (in *input) Read(p []byte) (n int, err error) {
	if len(in.rest) == 0 {
		in.rest, err = in.ReadSlice('\n')
		if len(in.rest) > 0 && in.rest[0] == '#' {
			first, _, _ := strings.Cut(string(in.rest), string(in.separator))
			if isMissing(strings.TrimSpace(first)) {
				p[0] = ' '
				return 1, nil
			}
		}
	}
	n = copy(p, in.rest)
	if in.rest = in.rest[n:]; n > 0 {
		err = nil
	}
	return n, err
}

// readText reads a table whose separator is found out.
func readText(j *job, path string, each eachLine) error { return j.readTable(path, 0, each) }

// readTable calls each with the number and the cells of every line of a table: a file, or standard input for "-". A
// separator of 0 is found out. Cells have no blanks around them, and are valid until the next line is read. Errors name
// the file and the line.
func (j *job) readTable(path string, separator rune, each eachLine) error {
	file := os.Stdin
	if path != stdin {
		var err error
		if file, err = os.Open(path); err != nil {
			return err
		}
		defer file.Close()
	}
	in, err := j.decode(file, path)
	if err != nil {
		return err
	}
	if in.separator = separator; separator == 0 {
		in.sniff()
	}
	table := csv.NewReader(in)
	table.Comma, table.Comment, table.FieldsPerRecord, table.ReuseRecord = in.separator, '#', -1, true
	table.TrimLeadingSpace = in.separator != '\t' // two tabs have an empty cell between them
	table.LazyQuotes = in.separator == ':'
	told := int64(0)
	for b := range batches(table, &j.opening, in.size > 0) { // a pipe may never end
		begin := 0
		for _, line := range b.lines {
			cells := b.cells[begin:line.end]
			if begin = line.end; line.number == 1 && cells[0] == says && separator == 0 {
				continue
			}
			if err := each(in, line.number, cells); err != nil {
				return fmt.Errorf("%s, line %d: %w", in.path, line.number, err)
			}
		}
		if b.err == nil && b.read >= told+1<<20 {
			if err := j.tell("reading "+filepath.Base(in.path), float64(b.read)/float64(max(in.size, b.read))); err != nil {
				return err
			}
			told = b.read
		}
		err = b.err
	}
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &wrong):
		return fmt.Errorf("%s, line %d, character %d: %w; put cells that hold a quotation mark or comma in quotation "+
			"marks, and double the marks within", in.path, wrong.Line, wrong.Column, wrong.Err)
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

// line is the number of a line, and where its cells end.
type line struct{ number, end int }

// fill reads the next lines. Cells have no blanks around them.
func (b *batch) fill(table *csv.Reader) {
	b.cells, b.lines = b.cells[:0], b.lines[:0]
	for end := table.InputOffset() + begun; b.err == nil && table.InputOffset() < end; {
		var cells []string
		if cells, b.err = table.Read(); b.err != nil {
			break
		}
		for _, cell := range cells {
			b.cells = append(b.cells, strings.TrimSpace(cell))
		}
		number, _ := table.FieldPos(0)
		b.lines = append(b.lines, line{number, len(b.cells)})
	}
	b.read = table.InputOffset()
}

// ahead is the most batches that are read before they are asked for.
const ahead = 2

// batches yields the lines of a table. The last batch has the error that ended the table, such as io.EOF. Another core
// reads the next lines while the caller has some. A batch is valid until the next; the first may have room of another
// table. If wait is set, nothing reads the table any more when batches returns.
func batches(table *csv.Reader, first *batch, wait bool) iter.Seq[*batch] {
	return func(yield func(*batch) bool) {
		first.err = nil
		if first.fill(table); !yield(first) || first.err != nil { // short files end here
			return
		}
		free, full := make(chan *batch, ahead+1), make(chan *batch, ahead+1)
		for range ahead {
			free <- &batch{}
		}
		go func() {
			defer close(full)
			for b := range free {
				b.fill(table)
				if full <- b; b.err != nil {
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
		if close(free); wait {
			for range full { // ends when the last read has ended
			}
		}
	}
}
