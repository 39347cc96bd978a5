package newsgroups

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStripHeader(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{"", ""},
		{"From: me\nSubject: it", ""},
		{"From: me\n\nbody", "body"},
		{"From: me\n\nfirst\n\nsecond", "first\n\nsecond"},
		{"\n\nbody", "body"},
		{"From: me\n \nnot blank enough", ""},
		{"From: me\r\n\r\nwindows", ""},
	} {
		assert.Equal(t, c.want, string(stripHeader([]byte(c.message))), "%q", c.message)
	}
}

func TestStripFooter(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"empty", "", ""},
		{"one line", "text\n", "text\n"},
		{"no blank line", "a\nb\n", "a\nb\n"},
		{"blank line", "text\n\nme\nmy address\n", "text"},
		{"the last of two", "one\n\ntwo\n\nme", "one\n\ntwo"},
		{"hyphens", "text\n--\nme", "text"},
		{"hyphens in space", "text\n  ---- \nme", "text"},
		{"hyphens apart", "text\n- -\nme", "text\n- -\nme"},
		{"hyphens and more", "text\n-- me", "text\n-- me"},
		{"blank lines at the ends", "\n\n text\n\nme\n\n\n", "text"},
		{"hyphens on the first line", "--\nme", "--\nme"},
		{"hyphens on the last line", "text\nme\n--", "text\nme"},
		{"carriage returns", "text\r\n\r\nme\r\n", "text\r"},
		{"a blank line of Latin-1's other spaces", "text\n\xa0\x85\x1c\nme", "text"},
		{"Latin-1's other spaces at the ends", "\xa0\ntext\n\nme\n\x85", "text"},
		{"UTF-8's space is none in Latin-1", "text\n\xe2\x80\x83\nme", "text\n\xe2\x80\x83\nme"},
		{"only space", " \n\n ", " \n\n "},
	} {
		assert.Equal(t, c.want, string(stripFooter([]byte(c.body))), c.name)
	}
}

func TestStripQuotes(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"", ""},
		{"a\n> b\n|c\nd\n", "a\nd\n"},
		{" > a\n a | b", " > a\n a | b"},
		{"In article 5 he\nin article 5", "in article 5"},
		{"Quoted from her\nnot Quoted from her", "not Quoted from her"},
		{"he writes in x\nhe writes: x\nshe wrote: y\nit says: z\nwho said: a\nnone", "none"},
		{"He Wrote: it\nhe wrote it", "He Wrote: it\nhe wrote it"},
		{"a\n> b", "a"},
		{"> a\n\n", "\n"},
	} {
		assert.Equal(t, c.want, string(stripQuotes([]byte(c.body))), "%q", c.body)
	}
}

// TestBodyOrder has a blank line that only stripping the quote would leave last: the footer goes first.
func TestBodyOrder(t *testing.T) {
	assert.Equal(t, "text", string(body([]byte("From: me\n\ntext\n\n> quote\nown line"))))
	assert.Equal(t, "text\nown line", string(body([]byte("From: me\n\ntext\n> quote\nown line"))))
}

// FuzzBody checks that what is left is a selection of the message's bytes, in their order.
func FuzzBody(f *testing.F) {
	f.Add([]byte("From: me\n\nShe wrote:\n> text\nanswer\n\n--\nme"))
	f.Add([]byte("\n\n\n\n\xa0--\n>"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, message []byte) {
		body := body(message)
		at := 0
		for _, character := range message {
			if at < len(body) && body[at] == character {
				at++
			}
		}
		assert.Equal(t, len(body), at)
		for line := range strings.SplitSeq(string(body), "\n") {
			assert.False(t, strings.HasPrefix(line, ">"))
		}
	})
}
