package recordings

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	types "github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type parquetRow struct {
	Sample string   `parquet:"sample"`
	Time   int64    `parquet:"time,timestamp"`
	X      *float64 `parquet:"x,optional"`
	Y      float32  `parquet:"y"`
	Label  string   `parquet:"label,dict"`
	Index  int64    `parquet:"__index_level_0__"`
}

// parquetFile is a table with a row for each time point of 20 samples.
func parquetFile(t testing.TB) []byte {
	t.Helper()
	var rows []parquetRow
	for i := range 60 {
		x := 1.23456789012345 + float64(i%3)
		rows = append(rows, parquetRow{fmt.Sprint(i / 3), int64(i % 3), &x, float32(-i), []string{"a", "b"}[i/3%2], int64(i)})
	}
	rows[1].X = nil
	var b bytes.Buffer
	require.NoError(t, parquet.Write(&b, rows, parquet.Compression(&parquet.Snappy)))
	return b.Bytes()
}

func TestParquet(t *testing.T) {
	raw := parquetFile(t)
	path := put(t, t.TempDir(), "r.parquet", string(raw))
	result, d := imported(t, Options{}, path)
	assert.Equal(t, "one line a time point; Parquet; column time as time in seconds", result.ReadAs)
	assert.Equal(t, []string{"x", "y"}, result.Sensors)
	assert.Equal(t, []float32{1.23456789012345, 0, 2.23456789012345, -1, 3.23456789012345, -2}, signal(d, 0))
	s, err := read(t, []string{path}, Options{})
	require.NoError(t, err)
	assert.Equal(t, 1.23456789012345, s.samples[1].Values[0])
	assert.Equal(t, []float64{0, 0.001, 0.002}, s.samples[1].Times, "a timestamp in milliseconds")
	assert.Equal(t, "r.npz", Name([]string{path}))

	// A microsecond before 1970, days, and a time of day.
	micro, day, noon := parquet.Timestamp(parquet.Microsecond), parquet.Date(), parquet.Time(parquet.Nanosecond)
	assert.Equal(t, "1969-12-31 23:59:59.999999", writerOf(micro)(parquet.Int64Value(-1)))
	assert.Equal(t, "2024-02-29", writerOf(day)(parquet.Int32Value(19782)))
	assert.Equal(t, "00:00:01.5", writerOf(noon)(parquet.Int64Value(1.5e9)))
	assert.Equal(t, "2024-02-29 00:00:02.5",
		writerOf(parquet.Leaf(parquet.Int96Type))(parquet.Int96Value(deprecated.Int96{2_500_000_000, 0, 2_440_588 + 19782})))
	assert.Nil(t, writerOf(parquet.Int(64)))

	// Decimals of each kind, and numbers above the largest that are signed.
	for kind, value := range map[parquet.Type]parquet.Value{parquet.Int32Type: parquet.Int32Value(-13),
		parquet.Int64Type:                parquet.Int64Value(-13),
		parquet.FixedLenByteArrayType(4): parquet.FixedLenByteArrayValue([]byte{0xff, 0xff, 0xff, 0xf3}),
		parquet.ByteArrayType:            parquet.ByteArrayValue([]byte{0xf3})} {
		assert.Equal(t, "-0.13", writerOf(parquet.Decimal(2, 9, kind))(value), kind)
	}
	assert.Equal(t, "312", writerOf(parquet.Decimal(0, 9, parquet.ByteArrayType))(parquet.ByteArrayValue([]byte{1, 56})))
	assert.Equal(t, "4294967295", writerOf(parquet.Uint(32))(parquet.Int32Value(-1)))
	assert.Equal(t, "18446744073709551615", writerOf(parquet.Uint(64))(parquet.Int64Value(-1)))

	assert.Contains(t, refused(t, Options{}, put(t, t.TempDir(), "r.parquet", string(raw[:100]))), "the file is damaged, or no Parquet file")
	var b bytes.Buffer
	require.NoError(t, parquet.Write(&b, []struct {
		X     []float64 `parquet:"x"`
		Label string    `parquet:"label"`
	}{{[]float64{1, 2}, "a"}, {[]float64{1, 2}, "b"}}))
	assert.Contains(t, refused(t, Options{}, put(t, t.TempDir(), "r.parquet", b.String())),
		"r.parquet, row 1: a column holds lists; write a row for each time point")

	// Damage is refused, or does not matter; it neither stops the program nor keeps it busy.
	damaged := filepath.Join(t.TempDir(), "r.parquet")
	for at := 0; at < len(raw); at += 11 {
		for _, wrong := range []byte{0, 0xff} {
			other := slices.Clone(raw)
			other[at] = wrong
			require.NoError(t, os.WriteFile(damaged, other, 0o600))
			_, _ = read(t, []string{damaged}, Options{})
		}
	}
}

// halfType is that of numbers of 16 bits, which the library writes as two bytes.
type halfType struct{ parquet.Type }

func (halfType) LogicalType() *types.LogicalType {
	return &types.LogicalType{Value: &types.Float16Type{}}
}

func TestParquetOfHalfNumbers(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("r", parquet.Group{"label": parquet.String(),
		"x": parquet.Optional(parquet.Leaf(halfType{parquet.FixedLenByteArrayType(2)}))}))
	for i, number := range [][]byte{{0x00, 0xc0}, {0x01, 0x3c}, nil} {
		x := parquet.NullValue().Level(0, 0, 1)
		if number != nil {
			x = parquet.FixedLenByteArrayValue(number).Level(0, 1, 1)
		}
		_, err := w.WriteRows([]parquet.Row{{parquet.ByteArrayValue([]byte{'a' + byte(i%2)}).Level(0, 0, 0), x}})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	r, err := read(t, []string{put(t, t.TempDir(), "r.parquet", b.String())}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []float64{-2}, r.samples[0].Values)
	assert.Equal(t, []float64{1 + 1./1024}, r.samples[1].Values)
	assert.True(t, math.IsNaN(r.samples[2].Values[0]))
}

func writerOf(column parquet.Node) func(parquet.Value) string {
	return writer(column.Type())
}
