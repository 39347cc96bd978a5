package recordings

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	types "github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// storedX returns the values of column x in the files of testdata, which testdata/make.py writes: two recordings of 200
// time points.
func storedX() (x []float64) {
	for i := range 400 {
		x = append(x, float64(i*7919%10007-5000)/64)
	}
	return x
}

func TestParquetOfOtherWriters(t *testing.T) {
	x := storedX()
	for file, what := range map[string]string{
		"lz4.parquet":                   "pyarrow 26.0.1: LZ4_RAW, which parquet-go reads as zeros",
		"polars.parquet":                "polars 2.1.0: LZ4_RAW",
		"fastparquet-lz4.parquet":       "fastparquet 2026.9.0: LZ4 and bytes behind the texts",
		"fastparquet-lz4_raw.parquet":   "fastparquet 2026.9.0: LZ4_RAW",
		"int96.parquet":                 "fastparquet 2026.9.0: INT96 and bytes behind it",
		"fastparquet-timedelta.parquet": "fastparquet 2026.9.0: durations marked as times of day",
		"duration.parquet":              "pyarrow 26.0.1: durations, whose unit only Arrow's schema has",
		"uuid.parquet":                  "pyarrow 26.0.1: UUID",
		"parquetjs.parquet":             "@dsnp/parquetjs 1.8.8: a page index that parquet-go stops at",
		"rust-hadoop.parquet":           "the crate parquet 57: Hadoop's LZ4",
	} {
		t.Run(file, func(t *testing.T) {
			r, err := read(t, []string{filepath.Join("testdata", file)}, Options{})
			require.NoError(t, err, what)
			require.Len(t, r.samples, 2)
			assert.Equal(t, x[:200], r.samples[0].Values, what)
			assert.Equal(t, x[200:], r.samples[1].Values, what)
			assert.Equal(t, []string{"walk", "Zürich"}, []string{r.samples[0].label, r.samples[1].label})
			assert.InDelta(t, 0.02*199, r.samples[1].Times[199]-r.samples[1].Times[0], 1e-6)
			seconds := strings.Contains("int96.parquet fastparquet-timedelta.parquet duration.parquet", file)
			assert.Equal(t, seconds, strings.HasSuffix(r.readAs(), "as time in seconds"), r.readAs())
		})
	}
	r, err := read(t, []string{"testdata/uuid.parquet"}, Options{})
	require.NoError(t, err)
	assert.Equal(t, "00000000-0000-0000-0000-000000000002", r.samples[1].Name)
}

func TestParquetValuesThatTheLibraryReadsWrongly(t *testing.T) {
	r, err := read(t, []string{"testdata/duckdb.parquet"}, Options{Table: Table{Take: []string{"x", "whole"}}})
	require.NoError(t, err)
	assert.Equal(t, []float64{storedX()[3], 4_000_000_021}, r.samples[0].Values[6:8],
		"differences of 64 bits between integers of 32")

	r, err = read(t, []string{"testdata/truth.parquet"}, Options{})
	require.NoError(t, err)
	below := 0 // sorted, so that the truth values are two runs
	for _, v := range storedX() {
		if v <= 0 {
			below++
		}
	}
	all := append(r.samples[0].Values, r.samples[1].Values...)
	for i, truth := range all {
		require.Equal(t, i >= below, truth == 1, "row %d: runs of truth values", i)
	}
}

func TestParquetLists(t *testing.T) {
	r, err := read(t, []string{"testdata/list.parquet"}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, r.samples[0].Sensors)
	assert.Equal(t, 3, r.samples[0].Channels)
	for i, v := range storedX() {
		require.Equal(t, []float64{v, v + 1, v + 2}, r.samples[i/200].Values[i%200*3:][:3], "row %d", i)
	}
	messagetest.Names(t, refused(t, Options{}, "testdata/ragged.parquet"),
		`ragged.parquet, row 8 … column x.0 … list of 2 … lists of 1 … --leave "x"`)
	r, err = read(t, []string{"testdata/ragged.parquet"}, Options{Table: Table{Leave: []string{"x"}}})
	require.NoError(t, err)
	assert.Equal(t, storedX()[200:], r.samples[1].Values)
}

func TestParquetBytesWithoutAMeaning(t *testing.T) {
	messagetest.Names(t, refused(t, Options{}, "testdata/fixed.parquet"),
		`row 1 … column wide … bytes … CAST … --leave "wide"`)
	r, err := read(t, []string{"testdata/fixed.parquet"}, Options{Table: Table{Leave: []string{"wide"}}})
	require.NoError(t, err)
	assert.Equal(t, "walk", r.samples[0].label, "without the zero bytes behind it")
	for _, use := range []Options{{Table: Table{Columns: []string{"wide"}}}, {Label: "wide"}} {
		messagetest.Names(t, refused(t, use, "testdata/fixed.parquet"), "column wide … bytes")
	}
}

// textOfType writes a value of a type as the reader does.
func textOfType(of types.Type, mark types.LogicalTypeValue, v parquet.Value) string {
	e := &types.SchemaElement{LogicalType: types.LogicalType{Value: mark}}
	e.Type.Set(of)
	text, _ := textOf(e, nil, 0)
	return text(v)
}

func TestParquetTypes(t *testing.T) {
	micro, nano := types.TimeUnit{Value: &types.MicroSeconds{}}, types.TimeUnit{Value: &types.NanoSeconds{}}
	for _, c := range []struct {
		of   types.Type
		mark types.LogicalTypeValue
		v    parquet.Value
		want string
	}{
		{types.Int64, &types.TimestampType{Unit: micro}, parquet.Int64Value(-1), "1969-12-31 23:59:59.999999"},
		{types.Int32, &types.DateType{}, parquet.Int32Value(19782), "2024-02-29"},
		{types.Int64, &types.TimeType{Unit: nano}, parquet.Int64Value(1.5e9), "00:00:01.5"},
		{types.Int64, &types.TimeType{Unit: nano}, parquet.Int64Value(-1),
			unread + "times of day, of which one is -1 s after midnight; write durations as numbers"},
		{types.Int64, nil, parquet.Int64Value(-7), "-7"},
		{types.Int32, &types.DecimalType{Scale: 2}, parquet.Int32Value(-13), "-0.13"},
		{types.Int64, &types.DecimalType{Scale: 2}, parquet.Int64Value(-13), "-0.13"},
		{types.FixedLenByteArray, &types.DecimalType{Scale: 2},
			parquet.FixedLenByteArrayValue([]byte{0xff, 0xff, 0xff, 0xf3}), "-0.13"},
		{types.ByteArray, &types.DecimalType{}, parquet.ByteArrayValue([]byte{1, 56}), "312"},
		{types.Int32, &types.IntType{}, parquet.Int32Value(-1), "4294967295"},
		{types.Int64, &types.IntType{}, parquet.Int64Value(-1), "18446744073709551615"},
		{types.Float, nil, parquet.FloatValue(0.1), "0.1"},
		{types.Double, nil, parquet.DoubleValue(math.Pi), "3.141592653589793"},
		{types.ByteArray, &types.BsonType{}, parquet.ByteArrayValue(nil),
			unread + "BSON, a type that is not read; CAST it to BIGINT, DOUBLE or VARCHAR as you write the file"},
		{types.FixedLenByteArray, nil, parquet.FixedLenByteArrayValue(append([]byte{49}, make([]byte, 15)...)),
			unread + nameless},
		{types.FixedLenByteArray, nil, parquet.FixedLenByteArrayValue([]byte("walk\x00\x00")), "walk" + unread},
	} {
		assert.Equal(t, c.want, textOfType(c.of, c.mark, c.v))
	}
}

func TestNumberOfTruth(t *testing.T) {
	in := &input{markers: map[string]int{}, separator: ',', dialect: newDialect("", false)}
	for text, want := range map[string]float64{"true": 1, "False": 0, "TRUE": 1, "1": 1} {
		got, err := in.number(1, text)
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
	_, err := in.number(1, "truth")
	assert.Error(t, err)
}

func TestUnpackOldLZ4(t *testing.T) {
	values := []byte(strings.Repeat("twelve bytes", 30))
	pack := func(from []byte) []byte {
		to := make([]byte, lz4.CompressBlockBound(len(from)))
		n, err := new(lz4.Compressor).CompressBlock(from, to)
		require.NoError(t, err)
		return to[:n]
	}
	part := func(from []byte) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(pack(from)))), pack(from)...)
	}
	length := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
	join := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for name, packed := range map[string][]byte{
		"a block of Hadoop":          join(length(360), part(values)),
		"two blocks of Hadoop":       join(length(120), part(values[:120]), length(240), part(values[120:])),
		"a block of Hadoop in parts": join(length(360), part(values[:200]), part(values[200:])),
		"a block as it is":           pack(values),
		"a block behind its length":  append(binary.LittleEndian.AppendUint32(nil, 360), pack(values)...),
	} {
		got, err := unpackOldLZ4(packed, len(values))
		require.NoError(t, err, name)
		assert.Equal(t, values, got, name)
		for end := range packed { // what is cut off is never taken for whole
			if got, err := unpack(types.Lz4, packed[:end], len(values)); err == nil {
				assert.Equal(t, values, got, "%s, cut off at %d", name, end)
			}
		}
	}
}

func TestArrowSchema(t *testing.T) {
	file, err := os.Open("testdata/duration.parquet")
	require.NoError(t, err)
	defer file.Close()
	info, err := file.Stat()
	require.NoError(t, err)
	p, err := openParquet(file, info.Size())
	require.NoError(t, err)
	schema := arrowSchema(p.meta.KeyValueMetadata)
	require.Len(t, schema.inside, 4)
	assert.Equal(t, arrowField{kind: arrowDuration, unit: time.Millisecond}, *schema.in(2))
	// Damage neither stops the reader nor keeps it busy.
	raw, err := base64.StdEncoding.DecodeString(p.meta.KeyValueMetadata[0].Value)
	require.NoError(t, err)
	for at := range raw {
		for _, wrong := range []byte{0, 1, 0x7f, 0xff} {
			other := append([]byte(nil), raw...)
			other[at] = wrong
			arrowSchema([]types.KeyValue{{Key: "ARROW:schema", Value: base64.StdEncoding.EncodeToString(other)}})
			arrowSchema([]types.KeyValue{{Key: "ARROW:schema", Value: base64.StdEncoding.EncodeToString(raw[:at])}})
		}
	}
}

func TestDamagedParquetOfOtherWriters(t *testing.T) {
	for _, name := range []string{"lz4.parquet", "list.parquet", "truth.parquet", "rust-hadoop.parquet"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		damaged := filepath.Join(t.TempDir(), name)
		for at := 0; at < len(raw); at += 1 + len(raw)/150 {
			other := append([]byte(nil), raw...)
			other[at] ^= 0x55
			require.NoError(t, os.WriteFile(damaged, other, 0o600))
			_, _ = read(t, []string{damaged}, Options{})
		}
	}
}
