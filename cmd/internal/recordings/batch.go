package recordings

import (
	"encoding/csv"
	"iter"
	"strings"
)

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
