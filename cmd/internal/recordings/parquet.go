package recordings

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomlx/compute/dtypes/float16"
	"github.com/parquet-go/parquet-go"
	types "github.com/parquet-go/parquet-go/format"
)

// readParquet reads every row of a Parquet file. Row 0 holds the headings.
func readParquet(j *job, path string, each eachLine) (err error) {
	in := &input{path: path, encoding: "Parquet", markers: j.markers}
	file, err := os.Open(path)
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
			err = fmt.Errorf("%s, row %d: %w", path, line, err)
		}
	}()
	rows := parquet.NewReader(file)
	defer func() { _ = rows.Close() }()
	var cells []string
	var writers []func(parquet.Value) string // of columns whose numbers mean something else
	leaves := slices.DeleteFunc(slices.Clone(rows.File().Metadata().Schema), func(e types.SchemaElement) bool { return !e.Type.Valid })
	for i, column := range rows.Schema().Columns() {
		leaf, _ := rows.Schema().Lookup(column...)
		cells, writers = append(cells, strings.Join(column, ".")), append(writers, writer(leaf.Node.Type()))
		if _, short := leaves[i].LogicalType.Value.(*types.Float16Type); short { // which the library takes for two bytes
			writers[i] = func(v parquet.Value) string {
				number := float16.Float16(binary.LittleEndian.Uint16(v.ByteArray()))
				return strconv.FormatFloat(float64(number.Float32()), 'g', -1, 64)
			}
		}
	}
	err = each(in, line, cells)
	all := rows.NumRows()
	for row := make([]parquet.Row, 1); err == nil; err = each(in, line, cells) {
		n, err := rows.ReadRows(row)
		if err == nil && line%100 == 0 {
			err = j.tell("reading "+filepath.Base(path), float64(line)/float64(max(1, all)))
		}
		switch line++; {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case n == 0:
			return nil
		case len(row[0]) != len(cells):
			return errors.New("a column holds lists; write a row for each time point")
		}
		for i, value := range row[0] {
			if cells[i] = value.String(); value.IsNull() {
				cells[i] = ""
			} else if writers[i] != nil {
				cells[i] = writers[i](value)
			} else if value.Kind() == parquet.Double {
				cells[i] = strconv.FormatFloat(value.Double(), 'g', -1, 64) // String gives 32 bits
			}
		}
	}
	return err
}

// writer returns what writes the values of a column of Parquet whose numbers are dates, times of day, decimals or unsigned; nil
// for other columns.
func writer(column parquet.Type) func(parquet.Value) string {
	const date, time24 = "2006-01-02 15:04:05.999999999", "15:04:05.999999999"
	in := func(unit types.TimeUnit, layout string) func(parquet.Value) string {
		if unit.Value == nil {
			return nil
		}
		each := int64(time.Second / unit.Value.Duration())
		return func(v parquet.Value) string {
			return time.Unix(v.Int64()/each, v.Int64()%each*int64(unit.Value.Duration())).UTC().Format(layout)
		}
	}
	if column.Kind() == parquet.Int96 { // of older programs: nanoseconds of a day, and the day by Julian's count
		return func(v parquet.Value) string {
			words := v.Int96()
			return time.Unix((int64(words[2])-2_440_588)*24*60*60, int64(words[1])<<32|int64(words[0])).UTC().Format(date)
		}
	}
	if column.LogicalType() == nil {
		return nil
	}
	switch of := column.LogicalType().Value.(type) {
	case *types.DateType:
		return func(v parquet.Value) string {
			return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
		}
	case *types.TimestampType:
		return in(of.Unit, date)
	case *types.TimeType:
		return in(of.Unit, time24)
	case *types.DecimalType:
		if of.Scale < 0 || of.Scale > 100 { // of a damaged file
			return nil
		}
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(of.Scale)), nil)
		return func(v parquet.Value) string { return new(big.Rat).SetFrac(whole(v), power).FloatString(int(of.Scale)) }
	case *types.IntType:
		if !of.IsSigned {
			return func(v parquet.Value) string {
				if v.Kind() == parquet.Int32 {
					return strconv.FormatUint(uint64(v.Uint32()), 10)
				}
				return strconv.FormatUint(v.Uint64(), 10)
			}
		}
	}
	return nil
}

// whole reads the digits of a decimal: an integer, or its two's complement with the high byte first.
func whole(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	raw := v.ByteArray()
	n := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	return n
}
