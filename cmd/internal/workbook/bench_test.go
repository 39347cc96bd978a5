package workbook_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/workbook"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// BenchmarkWide reads every cell of 60 rows with its number format and its formula: by this package, and by excelize,
// which looks a cell up from the beginning of its row. It is why this package is there.
func BenchmarkWide(b *testing.B) {
	for _, columns := range []int{1000, 2000, 4000} {
		path := filepath.Join(b.TempDir(), "wide.xlsx")
		writeWide(b, path, columns)
		b.Run(fmt.Sprintf("workbook/%d columns", columns), func(b *testing.B) {
			for b.Loop() {
				book, err := workbook.Open(path)
				require.NoError(b, err)
				for _, err := range book.Rows(book.Sheets[0]) {
					require.NoError(b, err)
				}
				require.NoError(b, book.Close())
			}
		})
		b.Run(fmt.Sprintf("excelize/%d columns", columns), func(b *testing.B) {
			for b.Loop() {
				readByExcelize(b, path)
			}
		})
	}
}

// writeWide writes a workbook of 60 rows of numbers.
func writeWide(b *testing.B, path string, columns int) {
	file := excelize.NewFile()
	row := make([]any, columns)
	for i := range 60 {
		for j := range row {
			row[j] = float64(i) + float64(j)/2
		}
		require.NoError(b, file.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
	}
	require.NoError(b, file.SaveAs(path))
}

// readByExcelize reads the value, the style and the formula of every cell.
func readByExcelize(b *testing.B, path string) {
	file, err := excelize.OpenFile(path)
	require.NoError(b, err)
	rows, err := file.Rows("Sheet1")
	require.NoError(b, err)
	for number := 1; rows.Next(); number++ {
		values, err := rows.Columns(excelize.Options{RawCellValue: true})
		require.NoError(b, err)
		for column := range values {
			name, err := excelize.CoordinatesToCellName(column+1, number)
			require.NoError(b, err)
			_, err = file.GetCellStyle("Sheet1", name)
			require.NoError(b, err)
			_, err = file.GetCellFormula("Sheet1", name)
			require.NoError(b, err)
		}
	}
	require.NoError(b, file.Close())
}
