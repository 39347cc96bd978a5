package images

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// UCI optical recognition of handwritten digits; see LICENSE-digits.txt. They are small and travel with the program: a
// first training needs no download.
//
//go:embed digits.csv.gz
var digitsCSV []byte

// Shape of a digit: 8x8 counts of dark pixels, 0 to 16.
const (
	DigitsSide   = 8
	digitsValues = DigitsSide * DigitsSide
	digitsMax    = 16
)

// Digits returns the embedded digits, which are not split.
func Digits() (*Set, error) {
	text, err := gunzip(digitsCSV, 1<<20)
	if err != nil {
		return nil, err
	}
	pixels, labels, err := parseDigits(bytes.NewReader(text))
	return &Set{Pixels: &Bytes{Records: pixels, Record: digitsValues, Nodes: digitsValues, Channels: 1, Scale: 1}, Side: DigitsSide, Labels: labels,
		From: fmt.Sprintf("embedded, sha256 of the .csv.gz %x", sha256.Sum256(digitsCSV))}, err
}

// parseDigits reads rows of 64 pixels, 0 to 16, and a class, 0 to 9.
func parseDigits(r io.Reader) (pixels, labels []byte, err error) {
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
			to, largest := &pixels, digitsMax
			if column == digitsValues {
				to, largest = &labels, 9
			}
			value, err := strconv.Atoi(field)
			if err != nil || value < 0 || value > largest {
				return nil, nil, fmt.Errorf("row %d, column %d is %q; want 0 to %d", len(labels), column, field, largest)
			}
			*to = append(*to, byte(value))
		}
	}
}
