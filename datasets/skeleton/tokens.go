package skeleton

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tokens reads a text of words and numbers separated by white space, without allocating.
type tokens struct {
	text []byte
	at   int // where the next token begins
}

// next is the next token; empty at the end of the text.
func (t *tokens) next() []byte {
	text, start := t.text, t.at
	for start < len(text) && text[start] <= ' ' {
		start++
	}
	t.at = start
	for t.at < len(text) && text[t.at] > ' ' {
		t.at++
	}
	return text[start:t.at]
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

// powers are powers of ten that float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// number reads a decimal number. A plain one, of at most 15 digits and no exponent, it reads itself: its digits and the power of ten
// are exact in float64, so that one division rounds correctly (Clinger 1990). With strconv alone recordings take 1.4 times as long.
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
	digits, point := 0, -1 // digits before the point
	for ; i < len(text); i++ {
		if d := text[i] - '0'; d < 10 {
			mantissa = 10*mantissa + uint64(d)
			digits++
		} else if text[i] == '.' && point < 0 {
			point = digits
		} else {
			break
		}
	}
	if digits == 0 || digits > 15 || i < len(text) && text[i] > ' ' {
		return t.oddNumber(what)
	}
	t.at = i
	value := float64(mantissa)
	if point >= 0 {
		value /= powers[digits-point]
	}
	if negative {
		value = -value
	}
	return float32(value), nil
}

// oddNumber reads any other number, or NaN in the spellings of several systems.
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

// wrong is the error for the last token: its line, and what should be there.
func (t *tokens) wrong(token []byte, format string, args ...any) error {
	line := 1 + bytes.Count(t.text[:t.at], []byte("\n"))
	want := fmt.Sprintf(format, args...)
	if len(token) == 0 {
		return fmt.Errorf("line %d: the file ends where it needs %s", line, want)
	}
	return fmt.Errorf("line %d: %.30q where it needs %s", line, token, want)
}
