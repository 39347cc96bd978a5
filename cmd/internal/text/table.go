package text

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
)

// Table is laid out in columns that are two blanks apart.
type Table struct {
	// Align has an l for each column that is aligned to the left, an r for one to the right; its last letter is for all columns after it.
	Align string
	rows  [][]string
}

// Row adds a row, whose cells are separated by tabs.
func (t *Table) Row(format string, values ...any) {
	t.rows = append(t.rows, strings.Split(fmt.Sprintf(format, values...), "\t"))
}

// String is the table, a line for each row, without blanks at their ends.
func (t *Table) String() string {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			if t.Align[min(i, len(t.Align)-1)] == 'l' {
				fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
			} else {
				fmt.Fprintf(&line, "%*s  ", widths[i], cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// WriteCSV writes a file of comma-separated values, all or nothing, into a folder that is made if need be. It calls fill, which gives
// the rows to row in order. A float32 is written with 6 digits, a float64 with 7.
func WriteCSV(path string, heading []string, fill func(row func(cells ...any)) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var refused error
	err := files.Write(path, func(w io.Writer) error {
		out := csv.NewWriter(w) // its first error comes back from Error
		_ = out.Write(heading)
		refused = fill(func(cells ...any) {
			record := make([]string, len(cells))
			for i, cell := range cells {
				switch v := cell.(type) {
				case float32:
					record[i] = strconv.FormatFloat(float64(v), 'g', 6, 32)
				case float64:
					record[i] = strconv.FormatFloat(v, 'g', 7, 64)
				default:
					record[i] = fmt.Sprint(v)
				}
			}
			_ = out.Write(record)
		})
		if refused != nil {
			return refused
		}
		out.Flush()
		return out.Error()
	})
	if refused != nil {
		return refused // it is not about the file
	}
	return err
}
