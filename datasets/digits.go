package datasets

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
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

var digits = Info{
	Name:        "digits",
	Description: "handwritten digits, 8x8 counts of dark pixels (UCI optical recognition of handwritten digits)",
	Needs:       "nothing: embedded in the program",
	Licence:     "CC BY 4.0, credit E. Alpaydin and C. Kaynak",
	Samples:     1797, Nodes: digitsValues, Channels: 1, Classes: 10,
	load: loadDigits, drawn: true,
}

// loadDigits reads the embedded digits: a grid of 8 neighbours, stratified 70/10/20 splits.
func loadDigits(_ context.Context, info Info, opts Options) (*Dataset, error) {
	text, err := gunzip(digitsCSV, 1<<20)
	if err != nil {
		return nil, err
	}
	pixels, labels, err := parseDigits(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d, err := newImages(info.Name, digitsSide, 1, &Bytes{Records: pixels, Record: digitsValues, Scale: 1}, labels, decimalDigits)
	if err != nil {
		return nil, err
	}
	d.Provenance = fmt.Sprintf("UCI optical recognition of handwritten digits (E. Alpaydin, C. Kaynak), CC BY 4.0, "+
		"embedded, sha256 of the .csv.gz %x", sha256.Sum256(digitsCSV))
	return d, d.drawSplits(opts)
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
				to, largest = &labels, len(decimalDigits)-1
			}
			value, err := strconv.Atoi(field)
			if err != nil || value < 0 || value > largest {
				return nil, nil, fmt.Errorf("row %d, column %d is %q; want 0 to %d", len(labels), column, field, largest)
			}
			*to = append(*to, byte(value))
		}
	}
}
