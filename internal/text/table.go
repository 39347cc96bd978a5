package text

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
	"github.com/mattn/go-runewidth"
)

// Align lays out the tables of a text: adjacent lines whose cells are separated by tabs. Columns are two blanks
// apart. If a cell in the table's first line begins with a blank, its column is aligned to the right.
func Align(text string) string {
	var b strings.Builder
	var table [][]string
	for line := range strings.Lines(text + "\n") {
		if strings.Contains(line, "\t") {
			table = append(table, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
			continue
		}
		layOut(&b, table)
		table = nil
		b.WriteString(line)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// layOut writes a line for each row of a table, without blanks at its end.
func layOut(b *strings.Builder, table [][]string) {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(strings.TrimPrefix(cell, " ")))
		}
	}
	for _, row := range table {
		line := ""
		for i, cell := range row {
			fill := runewidth.FillRight
			if i < len(table[0]) && strings.HasPrefix(table[0][i], " ") {
				fill = runewidth.FillLeft
			}
			line += fill(strings.TrimPrefix(cell, " "), widths[i]) + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// WriteCSV writes a file of comma-separated values, all or nothing. It makes the folder if there is none. fill gives
// the rows to row in order; its error comes back as it is. A float32 is written with 6 digits, a float64 with 7.
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
				switch cell.(type) {
				case float32:
					record[i] = fmt.Sprintf("%.6g", cell)
				case float64:
					record[i] = fmt.Sprintf("%.7g", cell)
				default:
					record[i] = fmt.Sprint(cell)
				}
			}
			_ = out.Write(record)
		})
		out.Flush()
		return cmp.Or(refused, out.Error())
	})
	return cmp.Or(refused, err)
}
