package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// readParquet reads every row of a Parquet file. Row 0 holds the headings.
func readParquet(j *job, path string, each eachLine) (err error) {
	in := &input{path: path, encoding: "Parquet", markers: j.markers, seconds: map[int]bool{}}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	row := 0
	defer func() {
		if wrong := recover(); wrong != nil { // the library panics at damage
			err = fmt.Errorf("%v; the file is damaged, or written in a way that is not read here: write it anew, by DuckDB or "+
				"pyarrow for example", wrong)
		}
		if err != nil {
			err = fmt.Errorf("%s, row %d: %w", path, row, err)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p, err := openParquet(file, info.Size())
	if err != nil {
		return err
	}
	if err := p.findShapes(); err != nil {
		return err
	}
	cells := p.headings(in)
	in.lists = p.nestedLists()
	if err := each(in, row, cells); err != nil {
		return err
	}
	return p.rows(func(values parquet.Row) error {
		if row%100 == 0 {
			if err := j.report("reading "+filepath.Base(path), float64(row)/float64(max(1, p.meta.NumRows))); err != nil {
				return err
			}
		}
		row++
		cells = cells[:0]
		for len(values) > 0 {
			column := values[0].Column()
			n := 1
			for n < len(values) && values[n].Column() == column {
				n++
			}
			cells = p.leaves[column].cells(cells, values[:n])
			values = values[n:]
		}
		return each(in, row, cells)
	})
}

// rows calls each with the values of every row, column by column, until each returns an error, which rows returns.
// Values are valid until the next row. It goes from row group to row group, since a group is a file of its own with
// pages rewritten for the library, and only one of them is in memory.
func (p *parquetFile) rows(each func(parquet.Row) error) error {
	for i := range p.meta.RowGroups {
		group, err := p.group(i)
		if err == nil {
			err = rowsOf(group, each)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsOf calls each with the values of every row of a row group.
func rowsOf(group parquet.RowGroup, each func(parquet.Row) error) error {
	rows := group.Rows()
	defer func() { _ = rows.Close() }()
	for row := make([]parquet.Row, 1); ; {
		n, err := rows.ReadRows(row)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case n == 0:
			return nil
		}
		if err := each(row[0]); err != nil {
			return err
		}
	}
}
