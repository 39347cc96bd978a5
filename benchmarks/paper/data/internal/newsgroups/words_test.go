package newsgroups

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"", ""},
		{" \n\t.", ""},
		{"Hello, World", "hello world"},
		{"don't", "don t"},
		{"1993", "num"},
		{"3.14 is 22/7", "num num is num num"},
		{"a1b22c", "a num b num c"},
		{"$5", "dollar num"},
		{"5$6", "num dollar num"},
		{"US$$ x$y", "us dollar dollar x dollar y"},
		{"caf\xe9s \xc0la", "caf s la"},
		{"@[`{A-Z\x7f", "a z"},
		{"end", "end"},
	} {
		assert.Equal(t, strings.Fields(c.want), cut([]byte(c.body)), "%q", c.body)
	}
}

func TestIsCounted(t *testing.T) {
	for word, want := range map[string]bool{"": false, "x": false, "a": false, "the": false, "fire": false, "num": true,
		"ax": true, "computer": true} {
		assert.Equal(t, want, isCounted(word), word)
	}
	assert.Len(t, stopWords, 318)
	for _, word := range stopWords {
		assert.Equal(t, []string{word}, cut([]byte(word)), "a stop word that is no word cannot be met")
	}
}

func TestCounted(t *testing.T) {
	text, words := Counted([]byte("From: a\n\nThe 2 computers\nfor $5, x\n--\nMe"))
	assert.Equal(t, "The 2 computers\nfor $5, x", string(text))
	assert.Equal(t, []string{"num", "computers", "dollar", "num"}, words)
}

// FuzzWords compares with the replacements done one after another.
func FuzzWords(f *testing.F) {
	f.Add([]byte("It cost $5 or 10$, don't\xe9 you3know"))
	f.Add([]byte{0, 255, '9', '$', '9'})
	f.Fuzz(func(t *testing.T, body []byte) {
		var spaced strings.Builder
		for i, c := range body {
			isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
			switch {
			case isDigit(c) && i > 0 && isDigit(body[i-1]):
			case isDigit(c):
				spaced.WriteString(" num ")
			case c == '$':
				spaced.WriteString(" dollar ")
			case c < 0x80 && strings.ContainsAny(strings.ToLower(string(rune(c))), "abcdefghijklmnopqrstuvwxyz"):
				spaced.WriteString(strings.ToLower(string(rune(c))))
			default:
				spaced.WriteByte(' ')
			}
		}
		assert.Equal(t, strings.Fields(spaced.String()), cut(body))
	})
}
