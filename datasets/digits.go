package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
)

// UCI optical recognition of handwritten digits; see LICENSE-digits.txt. They are small and travel with the program: a
// first training needs no download.
//
//go:embed digits.csv.gz
var digitsCSV []byte

// Shape of a digit: 8x8 counts of dark pixels.
const (
	digitsSide   = 8
	digitsValues = digitsSide * digitsSide
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
		rows, err := csv.NewReader(text).ReadAll()
		if err != nil {
			return nil, err
		}
		var records []byte // the pixels of a digit, then its class
		var labels []int32
		for _, row := range rows {
			for _, field := range row {
				value, _ := strconv.Atoi(field) // the file is part of the program
				records = append(records, byte(value))
			}
			labels = append(labels, int32(records[len(records)-1]))
		}
		grid, err := affinity.Grid(digitsSide, digitsSide, 8)
		return &Raw{Info: signal.Info{Nodes: digitsValues, Channels: 1, Grid: []int{digitsSide, digitsSide},
			ClassNames: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}},
			Signals: &Bytes{Records: records, Record: digitsValues + 1, Nodes: digitsValues, Channels: 1, Scale: 1},
			Finite:  true, Labels: labels, Graph: grid,
			Provenance: fmt.Sprintf("UCI optical recognition of handwritten digits (E. Alpaydin, C. Kaynak), CC BY 4.0, "+
				"embedded, sha256 of the .csv.gz %x", sha256.Sum256(digitsCSV))}, err
	},
}
