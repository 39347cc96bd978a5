package jsonread

import (
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// content is what the tests read.
type content struct {
	Name   string
	Count  int
	Yes    bool
	Values []float64
	Gaps   int
	Raw    string
}

func read(text string) (c content, err error) {
	r := New([]byte(text))
	var raw []byte
	err = r.Object(map[string]Value{
		"name":  r.Text(&c.Name),
		"count": r.Int(&c.Count),
		"yes":   r.Bool(&c.Yes),
		"raw":   r.Raw(&raw),
		"values": func(what string) error {
			c.Values = nil
			return r.List(func(int) error {
				var v float64
				err := r.Float(&v)("a value")
				if math.IsNaN(v) {
					c.Gaps++
					v = 0
				}
				c.Values = append(c.Values, v)
				return err
			})(what)
		},
	})("the document")
	c.Raw = string(raw)
	if err == nil {
		err = r.End()
	}
	return c, err
}

func TestRead(t *testing.T) {
	c, err := read(` {"junk":[{"a":[1,{}]},"x"],"name":"a\u00e9\n","count":-3,"yes":true,"raw": [ 1 ,"]"] ,"values":[1e2,null,-0.5]} `)
	require.NoError(t, err)
	assert.Equal(t, content{"aé\n", -3, true, []float64{100, 0, -0.5}, 1, `[ 1 ,"]"]`}, c)
	for _, text := range []string{`{}`, `null`, `{"name":null,"count":null,"yes":null,"values":null}`, `{"yes":false}`} {
		c, err := read(text)
		require.NoError(t, err, text)
		assert.Equal(t, content{}, c, text)
	}
	c, err = read(`{"n\u0061me":"x"}`)
	require.NoError(t, err)
	assert.Equal(t, "x", c.Name)
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                      "unexpected end at byte 0",
		`{"count":1`:            "unexpected end at byte 10",
		`{"name":"a`:            "unexpected end at byte 10",
		`[]`:                    "document … list … byte 0 … object",
		`{} {}`:                 "more … byte 4",
		`{"name":3}`:            "name … number … byte 7 … text",
		`{"name":}`:             "name … missing … byte 7 … text",
		`{"count":1.5}`:         "count … 1.5 … byte 12 … whole number",
		`{"count":{}}`:          "count … object … byte 8 … number",
		`{"yes":"x"}`:           "yes … text … byte 6 … true or false",
		`{"values":3}`:          "values … number … byte 9 … list",
		`{"values":[[]]}`:       "value … list … byte 11 … number",
		`{"values":[1e999]}`:    "value … 1e999 … byte 16 … float64",
		`{"values":[1,]}`:       "',' … byte 12",
		`{"junk":[1 2]}`:        "'2' … byte 11",
		`{"junk":nul}`:          "'}' … byte 11",
		"{\"junk\":\"\n\"}":     `'\n' … byte 9`,
		`{"a":"` + "\\uZZZZ\"}": `\uZZZZ … byte 6`,
	} {
		_, err := read(text)
		messagetest.Names(t, err, want, text)
	}
	long := strings.Repeat("9", 5000)
	for text, want := range map[string]string{
		`{"name":"` + long + `"}`:            "name … 5000 bytes … byte 5010 … 1024",
		`{"count":` + long + `}`:             "count … byte 5009 … whole number",
		`{"values":[` + long + `]}`:          "value … byte 5011 … float64",
		strings.Repeat("[", 1<<20):           "document … list",
		`{"x":` + strings.Repeat("[", 1<<20): "max depth … byte",
		`{"` + long + `":` + long + `}`:      "",
	} {
		_, err := read(text)
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		messagetest.Names(t, err, want)
		assert.Less(t, len(err.Error()), 200)
	}
}

// What is not asked for is not kept, however much there is of it.
func TestSkippedTakesNoMemory(t *testing.T) {
	for _, junk := range []string{"{},", `{"a":{"b":[[]]}},`, `"",`, "0,", "[[[]]],", "null,"} {
		text := `{"junk":[` + strings.Repeat(junk, 4<<20/len(junk)) + `0],"count":1,"` + strings.Repeat("k", 1<<20) + `":0}`
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := read(text)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		assert.Equal(t, 1, c.Count)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(text)+1<<16), "more than the document: %s", junk)
	}
}

// What is accepted is JSON, and is read as encoding/json reads it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`{"name":"a","count":1,"yes":true,"values":[1,null],"raw":[1]}`, `{"x":{"y":[]}}`, `null`,
		"{\"name\":\"\xff\\ud800\"}", `{"count":1,"count":2}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := read(text)
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &members))
		var want content
		for name, to := range map[string]any{"name": &want.Name, "count": &want.Count, "yes": &want.Yes,
			"values": &want.Values} {
			if raw, ok := members[name]; ok {
				require.NoError(t, json.Unmarshal(raw, to))
			}
		}
		require.Equal(t, []any{want.Name, want.Count, want.Yes, len(want.Values)},
			[]any{c.Name, c.Count, c.Yes, len(c.Values)})
		require.LessOrEqual(t, len(c.Name), 3*MaxText)
	})
}
