package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// readParquet adds every row of a Parquet file. Row 0 holds the headings.
func (t *table) readParquet() (err error) {
	in := &input{path: t.from.path, encoding: "Parquet"}
	file, err := os.Open(in.path)
	if err != nil {
		return err
	}
	defer file.Close()
	line := 0
	defer func() {
		if wrong := recover(); wrong != nil { // the library panics at a file that is no Parquet, or damaged
			err = fmt.Errorf("%v; the file is damaged, or no Parquet file", wrong)
		}
		if err != nil {
			err = fmt.Errorf("%s, row %d: %w", in.path, line, err)
		}
	}()
	rows := parquet.NewReader(file)
	defer func() { _ = rows.Close() }()
	var cells []string
	for _, column := range rows.Schema().Columns() {
		cells = append(cells, strings.Join(column, "."))
	}
	err = t.add(in, line, cells)
	for row := make([]parquet.Row, 1); err == nil; err = t.add(in, line, cells) {
		n, err := rows.ReadRows(row)
		switch line++; {
		case n == 0 && (err == nil || errors.Is(err, io.EOF)):
			return nil
		case n == 0:
			return err
		case len(row[0]) != len(cells):
			return errors.New("a column holds lists; write a row for each moment")
		}
		for i, value := range row[0] {
			if cells[i] = value.String(); value.IsNull() {
				cells[i] = ""
			} else if value.Kind() == parquet.Double {
				cells[i] = strconv.FormatFloat(value.Double(), 'g', -1, 64) // String gives 32 bits
			}
		}
	}
	return err
}
