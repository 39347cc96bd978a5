package recordings

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gomlx/compute/dtypes/float16"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	types "github.com/parquet-go/parquet-go/format"
)

const (
	dateForm  = "2006-01-02 15:04:05.999999999"
	clockForm = "15:04:05.999999999"
)

// unit is a unit of time, 0 for none.
type unit = time.Duration

// textOf returns what writes the values of a column of Parquet by the marks of its type, and whether it writes the
// seconds of durations. Where Parquet has no mark, that of Arrow counts, and then what pandas notes of a duration.
func textOf(e *types.SchemaElement, arrow *arrowField, pandas unit) (text func(parquet.Value) string, seconds bool) {
	switch mark := markOf(e).(type) {
	case *types.DateType:
		return func(v parquet.Value) string {
			return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
		}, false
	case *types.TimestampType:
		return dateText(unitOf(mark.Unit)), false
	case *types.TimeType:
		if pandas > 0 { // fastparquet's durations
			return durationText(unitOf(mark.Unit)), true
		}
		return clockText(unitOf(mark.Unit)), false
	case *types.DecimalType:
		return decimalText(mark.Scale), false
	case *types.IntType:
		if !mark.IsSigned {
			return unsignedText, false
		}
	case *types.UUIDType:
		return uuidText, false
	case *types.Float16Type:
		return halfText, false
	case *types.StringType, *types.EnumType, *types.JsonType:
		return func(v parquet.Value) string { return strings.TrimRight(string(v.ByteArray()), "\x00") }, false
	case nil:
		text, seconds = arrow.text(e.Type.V, pandas)
		if text != nil {
			return text, seconds
		}
	default:
		return refusal(mark.String()), false
	}
	if e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Interval {
		return refusal("INTERVAL"), false
	}
	return plainText, false
}

// markOf returns the mark of an element's type: its logical type, or the older converted type. It is nil without.
func markOf(e *types.SchemaElement) types.LogicalTypeValue {
	if e.LogicalType.Value != nil || !e.ConvertedType.Valid {
		return e.LogicalType.Value
	}
	millis, micros := types.TimeUnit{Value: &types.MilliSeconds{}}, types.TimeUnit{Value: &types.MicroSeconds{}}
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		return &types.StringType{}
	case deprecated.Decimal:
		return &types.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case deprecated.Date:
		return &types.DateType{}
	case deprecated.TimeMillis:
		return &types.TimeType{Unit: millis}
	case deprecated.TimeMicros:
		return &types.TimeType{Unit: micros}
	case deprecated.TimestampMillis:
		return &types.TimestampType{Unit: millis}
	case deprecated.TimestampMicros:
		return &types.TimestampType{Unit: micros}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &types.IntType{}
	case deprecated.Bson:
		return &types.BsonType{}
	}
	return nil
}

// unitOf returns a unit of time. That of a damaged file is a nanosecond.
func unitOf(of types.TimeUnit) unit {
	if of.Value == nil {
		return time.Nanosecond
	}
	return of.Value.Duration()
}

// refusal writes that a column is not read.
func refusal(kind string) func(parquet.Value) string {
	return func(parquet.Value) string {
		return unread + kind + ", a type that is not read; CAST it to BIGINT, DOUBLE or VARCHAR as you write the file"
	}
}

// count returns a value of 32 or 64 bits.
func count(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// stamp returns the time that is n units after the beginning of 1970.
func stamp(n int64, of unit) time.Time {
	each := int64(time.Second / of)
	return time.Unix(floorDiv(n, each), (n-floorDiv(n, each)*each)*int64(of)).UTC()
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// dateText writes times since 1970 in a unit.
func dateText(of unit) func(parquet.Value) string {
	return func(v parquet.Value) string { return stamp(count(v), of).Format(dateForm) }
}

// clockText writes times of day in a unit.
func clockText(of unit) func(parquet.Value) string {
	const day = 24 * 60 * 60
	return func(v parquet.Value) string {
		when := stamp(count(v), of)
		if seconds := when.Unix(); seconds < 0 || seconds >= day {
			return unread + fmt.Sprintf("times of day, of which one is %d s after midnight; write durations as numbers", seconds)
		}
		return when.Format(clockForm)
	}
}

// durationText writes durations in a unit as seconds, to the last digit.
func durationText(of unit) func(parquet.Value) string {
	return func(v parquet.Value) string {
		n := new(big.Int).Mul(big.NewInt(count(v)), big.NewInt(int64(of)))
		return fraction(n, 9)
	}
}

// fraction writes n / 10^digits.
func fraction(n *big.Int, digits int) string {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return new(big.Rat).SetFrac(n, power).FloatString(digits)
}

// decimalText writes decimals with so many digits after the point.
func decimalText(scale int32) func(parquet.Value) string {
	if scale < 0 || scale > 100 {
		return refusal(fmt.Sprintf("a DECIMAL of scale %d", scale))
	}
	return func(v parquet.Value) string { return fraction(whole(v), int(scale)) }
}

// unsignedText writes an integer without a sign.
func unsignedText(v parquet.Value) string {
	if v.Kind() == parquet.Int32 {
		return strconv.FormatUint(uint64(v.Uint32()), 10)
	}
	return strconv.FormatUint(v.Uint64(), 10)
}

// uuidText writes a UUID with its dashes.
func uuidText(v parquet.Value) string {
	raw := v.ByteArray()
	if len(raw) != 16 {
		return unread + nameless
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
}

// halfText writes a number of 16 bits.
func halfText(v parquet.Value) string {
	raw := v.ByteArray()
	if len(raw) != 2 {
		return unread + nameless
	}
	return strconv.FormatFloat(float64(float16.Float16(binary.LittleEndian.Uint16(raw)).Float32()), 'g', -1, 64)
}

// plainText writes a value of a type without a mark.
func plainText(v parquet.Value) string {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean())
	case parquet.Int32, parquet.Int64:
		return strconv.FormatInt(count(v), 10)
	case parquet.Int96: // of older programs: nanoseconds of a day, and the day by Julian's count
		words := v.Int96()
		return time.Unix((int64(words[2])-2_440_588)*24*60*60, int64(words[1])<<32|int64(words[0])).UTC().Format(dateForm)
	case parquet.Float:
		return floatText(v.Float())
	case parquet.Double:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	return bytesText(v)
}

// floatText writes a number of 32 bits as short as it stays itself.
func floatText(f float32) string {
	text := strconv.FormatFloat(float64(f), 'g', -1, 32)
	if back, err := strconv.ParseFloat(text, 64); err == nil &&
		math.Float32bits(float32(back)) == math.Float32bits(f) || f != f {
		return text
	}
	return strconv.FormatFloat(float64(f), 'g', -1, 64)
}

// bytesText writes bytes whose meaning no mark tells. They may be a name, but no number: 0x31 is a text of one digit
// for one program, and 49 for another. ClickHouse and others fill texts of a fixed length up with zero bytes. In 16 and
// 32 bytes they write large integers, too, which a few bytes before the zeros may be.
func bytesText(v parquet.Value) string {
	text := strings.TrimRight(string(v.ByteArray()), "\x00")
	integer := v.Kind() == parquet.FixedLenByteArray && (len(v.ByteArray()) == 16 || len(v.ByteArray()) == 32) &&
		len(text) < 4
	if text == "" || integer || !utf8.ValidString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return unread + nameless
	}
	return text + unread
}

// whole reads the digits of a decimal: an integer, or its two's complement with the high byte first.
func whole(v parquet.Value) *big.Int {
	if kind := v.Kind(); kind == parquet.Int32 || kind == parquet.Int64 {
		return big.NewInt(count(v))
	}
	raw := v.ByteArray()
	n := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	return n
}
