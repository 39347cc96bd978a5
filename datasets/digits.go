package datasets

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// UCI optical recognition of handwritten digits; see LICENSE-digits.txt. Small enough to travel with the program, so
// that a first training needs no download.
//
//go:embed digits.csv.gz
var digitsCSV []byte

// Shape of a digit: 8x8 counts of dark pixels, 0 to 16.
const (
	digitsSide   = 8
	digitsValues = digitsSide * digitsSide
	digitsMax    = 16
)

var digitsInfo = Info{
	Name:        "digits",
	Description: "handwritten digits, 8x8 counts of dark pixels (UCI optical recognition of handwritten digits)",
	Needs:       "nothing: embedded in the program",
	Licence:     "CC BY 4.0, credit E. Alpaydin and C. Kaynak",
	Samples:     1797, Nodes: digitsValues, Channels: 1, Classes: 10,
}

// loadDigits reads the embedded digits: a grid of 8 neighbours, stratified 70/10/20 splits.
func loadDigits(opts Options) (*Dataset, error) {
	text, err := gunzip(digitsCSV, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("digits: %w", err)
	}
	pixels, labels, err := parseDigits(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("digits: %w", err)
	}
	grid, err := affinity.Grid(digitsSide, digitsSide, 8)
	if err != nil {
		return nil, err
	}
	d := &Dataset{
		Name: digitsInfo.Name, Nodes: digitsValues, Channels: 1,
		Signals:    &Bytes{Records: pixels, Record: digitsValues, Nodes: digitsValues, Channels: 1, Scale: 1},
		Labels:     labels,
		Affinity:   grid,
		Grid:       []int{digitsSide, digitsSide},
		ClassNames: decimalDigits(),
		Provenance: fmt.Sprintf("UCI optical recognition of handwritten digits (E. Alpaydin, C. Kaynak), CC BY 4.0, "+
			"embedded, sha256 of the .csv.gz %x", sha256.Sum256(digitsCSV)),
	}
	d.drawSplits(opts)
	return d, nil
}

// parseDigits reads rows of 64 pixels, 0 to 16, and a class, 0 to 9.
func parseDigits(r io.Reader) (pixels []byte, labels []int32, err error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = digitsValues + 1
	rows.ReuseRecord = true
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return pixels, labels, nil
		}
		if err != nil {
			return nil, nil, err
		}
		for column, field := range row {
			largest := digitsMax
			if column == digitsValues {
				largest = 9
			}
			value, err := strconv.Atoi(field)
			if err != nil || value < 0 || value > largest {
				return nil, nil, fmt.Errorf("row %d, column %d is %q; want 0 to %d", len(labels), column, field, largest)
			}
			if column == digitsValues {
				labels = append(labels, int32(value))
			} else {
				pixels = append(pixels, byte(value))
			}
		}
	}
}

// decimalDigits names the classes "0" to "9".
func decimalDigits() []string {
	names := make([]string, 10)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
