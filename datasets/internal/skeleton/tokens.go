package skeleton

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tokens reads a text of words and numbers separated by white space.
type tokens struct {
	text []byte
	at   int // where the next token begins
}

// next returns the next token; empty at the end of the text.
func (t *tokens) next() []byte {
	for t.at < len(t.text) && t.text[t.at] <= ' ' {
		t.at++
	}
	start := t.at
	for t.at < len(t.text) && t.text[t.at] > ' ' {
		t.at++
	}
	return t.text[start:t.at]
}

// skip skips n tokens; false if the text ends before.
func (t *tokens) skip(n int) bool {
	for range n {
		if len(t.next()) == 0 {
			return false
		}
	}
	return true
}

// count reads a whole number from 0 to most.
func (t *tokens) count(what string, most int) (int, error) {
	token := t.next()
	n, err := strconv.Atoi(string(token))
	if err != nil || n < 0 || n > most {
		return 0, t.wrong(token, "%s from 0 to %d", what, most)
	}
	return n, nil
}

// number reads a number, or NaN in the spellings of several systems.
func (t *tokens) number(what string) (float32, error) {
	token := t.next()
	value, err := strconv.ParseFloat(string(token), 64)
	if err == nil && (math.IsInf(value, 0) || math.Abs(value) <= math.MaxFloat32) {
		return float32(value), nil
	}
	lower := strings.ToLower(string(token))
	for _, spelling := range []string{"nan", "#ind", "#qnan", "#inf"} {
		if len(token) < 24 && strings.Contains(lower, spelling) {
			return float32(math.NaN()), nil
		}
	}
	return 0, t.wrong(token, "%s, a number", what)
}

// wrong is the error for the last token: its line, and what should be there.
func (t *tokens) wrong(token []byte, format string, args ...any) error {
	line := 1 + bytes.Count(t.text[:t.at], []byte("\n"))
	want := fmt.Sprintf(format, args...)
	if len(token) == 0 {
		return fmt.Errorf("line %d: the file ends where it needs %s", line, want)
	}
	return fmt.Errorf("line %d: %.30q where it needs %s", line, token, want)
}
