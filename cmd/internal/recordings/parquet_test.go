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
	types "github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
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
func parquetTable(t testing.TB) []byte {
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
	raw := parquetTable(t)
	path := put(t, t.TempDir(), "r.parquet", string(raw))
	result, d := imported(t, Options{}, path)
	messagetest.Names(t, result.ReadAs, "line a time point … Parquet … column time … seconds")
	assert.Equal(t, []string{"x", "y"}, result.Sensors)
	assert.Equal(t, []float32{1.23456789012345, 0, 2.23456789012345, -1, 3.23456789012345, -2}, signal(d, 0))
	s, err := read(t, []string{path}, Options{})
	require.NoError(t, err)
	assert.Equal(t, 1.23456789012345, s.samples[1].Values[0])
	assert.Equal(t, []float64{0, 0.001, 0.002}, s.samples[1].Times, "a timestamp in milliseconds")
	assert.Equal(t, "r.npz", Name([]string{path}))

	messagetest.Names(t, refused(t, Options{}, put(t, t.TempDir(), "r.parquet", string(raw[:100]))),
		"end … missing")
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
