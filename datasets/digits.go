package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
)

// UCI optical recognition of handwritten digits; see LICENSE-digits.txt. They are small and travel with the program: a
// first training needs no download.
//
//go:embed digits.csv.gz
var digitsCSV []byte

// Shape of a digit: 8x8 counts of dark pixels, 0 to 16.
const (
	digitsSide   = 8
	digitsValues = digitsSide * digitsSide
	digitsMax    = 16
)

var digits = Source{
	Name:    "digits",
	About:   "handwritten digits, 8x8 counts of dark pixels (UCI optical recognition of handwritten digits)",
	Needs:   "nothing: embedded in the program",
	Licence: "CC BY 4.0, credit E. Alpaydin and C. Kaynak",
	Samples: 1797, Nodes: digitsValues, Channels: 1, Classes: 10,
	Drawn: true,
	Load: func(context.Context, []string, Options) (*Raw, error) {
		text, err := gzip.NewReader(bytes.NewReader(digitsCSV))
		if err != nil {
			return nil, err
		}
		pixels, labels, err := parseDigits(text)
		if err != nil {
			return nil, err
		}
		grid, err := affinity.Grid(digitsSide, digitsSide, 8)
		return &Raw{Info: signal.Info{Nodes: digitsValues, Channels: 1, Grid: []int{digitsSide, digitsSide},
			ClassNames: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
			Signals: &Bytes{Records: pixels, Record: digitsValues, Nodes: digitsValues, Channels: 1, Scale: 1},
			Finite:  true, Labels: labels, Graph: grid,
			Provenance: fmt.Sprintf("UCI optical recognition of handwritten digits (E. Alpaydin, C. Kaynak), CC BY 4.0, "+
				"embedded, sha256 of the .csv.gz %x", sha256.Sum256(digitsCSV))}, err
	},
}

// parseDigits reads rows of 64 pixels, 0 to 16, and a class, 0 to 9.
func parseDigits(r io.Reader) (pixels []byte, labels []int32, err error) {
	reader := csv.NewReader(r)
	reader.FieldsPerRecord = digitsValues + 1
	rows, err := reader.ReadAll()
	for i, row := range rows {
		for column, field := range row {
			largest := digitsMax
			if column == digitsValues {
				largest = 9
			}
			value, err := strconv.Atoi(field)
			if err != nil || value < 0 || value > largest {
				return nil, nil, fmt.Errorf("row %d, column %d is %q; want 0 to %d", i, column, field, largest)
			}
			if column == digitsValues {
				labels = append(labels, int32(value))
			} else {
				pixels = append(pixels, byte(value))
			}
		}
	}
	return pixels, labels, err
}
