package skeleton

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tokens walks over a text of words and numbers parted by white space, without garbage.
type tokens struct {
	text []byte
	at   int // what comes next
}

// next is the next token; empty at the end of the text.
func (t *tokens) next() []byte {
	text, i := t.text, t.at
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	start := i
	for i < len(text) && text[i] > ' ' {
		i++
	}
	t.at = i
	return text[start:i]
}

// skip passes over n tokens; false where the text ends before.
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

// powers are the powers of ten that float64 has exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18, 1e19, 1e20, 1e21, 1e22}

// number reads a decimal number. The plain ones, of at most 15 digits and no exponent, it reads itself: both their digits
// and the power of ten are exact in float64, so that one division rounds as it should (Clinger 1990).
func (t *tokens) number(what string) (float32, error) {
	text, i := t.text, t.at
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	negative := i < len(text) && text[i] == '-'
	if negative {
		i++
	}
	var mantissa uint64
	first := i
	for i < len(text) && text[i]-'0' < 10 {
		mantissa = 10*mantissa + uint64(text[i]-'0')
		i++
	}
	digits, decimals := i-first, 0
	if i < len(text) && text[i] == '.' {
		i++
		point := i
		for i < len(text) && text[i]-'0' < 10 {
			mantissa = 10*mantissa + uint64(text[i]-'0')
			i++
		}
		decimals = i - point
		digits += decimals
	}
	if digits == 0 || digits > 15 || i < len(text) && text[i] > ' ' {
		return t.oddNumber(what)
	}
	t.at = i
	value := float64(mantissa) / powers[decimals]
	if negative {
		value = -value
	}
	return float32(value), nil
}

// oddNumber reads any other number, among them NaN in the spellings of several systems.
func (t *tokens) oddNumber(what string) (float32, error) {
	token := t.next()
	value, err := strconv.ParseFloat(string(token), 32)
	if err == nil {
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

// wrong is the error for the token just read: where it is, and what should be there.
func (t *tokens) wrong(token []byte, format string, args ...any) error {
	line := 1 + bytes.Count(t.text[:t.at], []byte("\n"))
	want := fmt.Sprintf(format, args...)
	if len(token) == 0 {
		return fmt.Errorf("line %d: the file ends where it needs %s", line, want)
	}
	return fmt.Errorf("line %d: %.30q where it needs %s", line, token, want)
}
