package recordings

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/parquet-go/parquet-go"
	types "github.com/parquet-go/parquet-go/format"
)

// Types of Arrow that Parquet has no mark for, by their numbers in Arrow's Schema.fbs.
const (
	arrowDate      = 8
	arrowTime      = 9
	arrowTimestamp = 10
	arrowDuration  = 18
)

// arrowUnits are Arrow's units of time, by their numbers.
var arrowUnits = []unit{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}

// arrowField is what Arrow says of a column. pyarrow, pandas, polars and arrow-rs keep it beside Parquet's schema.
type arrowField struct {
	kind   int
	unit   unit
	inside []*arrowField
}

// in returns the field of that number within another one; nil if there is none.
func (a *arrowField) in(i int) *arrowField {
	if a == nil || i >= len(a.inside) {
		return nil
	}
	return a.inside[i]
}

// text returns how to write an integer whose meaning Parquet's own marks do not tell: as Arrow's type says, or without
// one as the note of pandas says. It is nil for other columns. seconds reports that the text is a number of seconds.
func (a *arrowField) text(of types.Type, pandas unit) (text func(parquet.Value) string, seconds bool) {
	if of != types.Int64 && of != types.Int32 {
		return nil, false
	}
	switch {
	case a == nil && pandas > 0 && of == types.Int64:
		return durationText(pandas), true
	case a == nil:
		return nil, false
	case a.kind == arrowDuration:
		return durationText(a.unit), true
	case a.kind == arrowTimestamp:
		return dateText(a.unit), false
	case a.kind == arrowDate && of == types.Int64:
		return dateText(time.Millisecond), false
	case a.kind == arrowTime:
		return clockText(a.unit), false
	}
	return nil, false
}

// arrowSchema reads Arrow's schema from the metadata of a Parquet file: a message of Arrow's stream in base64, whose
// header is a table of FlatBuffers. The result is nil if there is none that can be read, as then Parquet's own marks
// count.
func arrowSchema(metadata []types.KeyValue) *arrowField {
	for _, entry := range metadata {
		if entry.Key != "ARROW:schema" {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(entry.Value)
		if err != nil {
			return nil
		}
		if len(raw) > 8 && binary.LittleEndian.Uint32(raw) == 0xffffffff {
			raw = raw[4:]
		}
		if len(raw) < 8 {
			return nil
		}
		b := &flat{raw: raw[4:], left: 1 << 16}
		schema := b.table(b.field(b.at(0), 2))
		if b.byte(b.field(b.at(0), 1)) != 1 { // the header of a message that is no schema
			return nil
		}
		return &arrowField{inside: b.fields(b.field(schema, 1), 0)}
	}
	return nil
}

// flat reads FlatBuffers. What lies outside of the bytes reads as 0, and stands for nothing. left bounds the fields, as
// a stranger's file may have the same ones in each other without end.
type flat struct {
	raw  []byte
	left int
}

func (b *flat) bytes(at, n int) []byte {
	if at <= 0 && n < 4 || at < 0 || at > len(b.raw)-n {
		return make([]byte, n)
	}
	return b.raw[at : at+n]
}

func (b *flat) byte(at int) int  { return int(b.bytes(at, 1)[0]) }
func (b *flat) short(at int) int { return int(binary.LittleEndian.Uint16(b.bytes(at, 2))) }
func (b *flat) int(at int) int   { return int(int32(binary.LittleEndian.Uint32(b.bytes(at, 4)))) }

// at follows the offset that is stored there.
func (b *flat) at(at int) int { return at + b.int(at) }

// table is at for an offset that may be missing.
func (b *flat) table(at int) int {
	if at == 0 {
		return 0
	}
	return b.at(at)
}

// field returns where a field of a table is stored; 0 if it is not.
func (b *flat) field(table, number int) int {
	index := table - b.int(table)
	if table == 0 || 4+2*number >= b.short(index) {
		return 0
	}
	if offset := b.short(index + 4 + 2*number); offset > 0 {
		return table + offset
	}
	return 0
}

// fields reads a vector of the fields of a schema, or of the fields in one.
func (b *flat) fields(at, depth int) (all []*arrowField) {
	if at == 0 || depth > deepest {
		return nil
	}
	vector := b.at(at)
	for i := range min(max(b.int(vector), 0), len(b.raw)/4) {
		b.left--
		if b.left < 0 {
			return all
		}
		field := b.at(vector + 4 + 4*i)
		a := &arrowField{kind: b.byte(b.field(field, 2)), unit: time.Millisecond}
		unit := b.field(b.table(b.field(field, 3)), 0)
		switch number := b.short(unit); {
		case unit == 0 && a.kind == arrowTimestamp: // FlatBuffers leave out what is usual
			a.unit = time.Second
		case unit > 0 && number < len(arrowUnits):
			a.unit = arrowUnits[number]
		}
		a.inside = b.fields(b.field(field, 5), depth+1)
		all = append(all, a)
	}
	return all
}

// durationUnits are the units of numpy's types of durations.
var durationUnits = map[string]unit{"timedelta64[s]": time.Second, "timedelta64[ms]": time.Millisecond,
	"timedelta64[us]": time.Microsecond, "timedelta64[ns]": time.Nanosecond}

// pandasDurations returns the units of the columns that are durations by the note that pandas leaves in the metadata.
// Parquet itself has no type for them: fastparquet marks such a column as times of day, and other writers give it no
// mark.
func pandasDurations(metadata []types.KeyValue) map[string]unit {
	all := map[string]unit{}
	for _, entry := range metadata {
		var noted struct {
			Columns []struct {
				Name  string `json:"field_name"`
				Label any    `json:"name"` // null for an index without a name
				Type  string `json:"numpy_type"`
			} `json:"columns"`
		}
		if entry.Key != "pandas" || json.Unmarshal([]byte(entry.Value), &noted) != nil {
			continue
		}
		for _, column := range noted.Columns {
			unit := durationUnits[column.Type]
			if unit == 0 {
				continue
			}
			label, _ := column.Label.(string)
			all[cmp.Or(column.Name, label)] = unit
		}
	}
	return all
}
