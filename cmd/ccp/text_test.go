package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWords(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 999: "999 nodes", 1000: "1,000 nodes", 1234567: "1,234,567 nodes"} {
		assert.Equal(t, want, count(n, "node"))
	}
	for s, want := range map[float64]string{0: "0.0s", 0.26: "0.3s", 59.94: "59.9s", 60: "1m0s", 3723.4: "1h2m3s"} {
		assert.Equal(t, want, seconds(s))
	}
	assert.Equal(t, "one two\n  three\n  four-and-more", fold("one  two three four-and-more", 8, 2))
	assert.Equal(t, "", fold(" ", 8, 2))
	assert.Equal(t, "äöü", shorten("äöü", 3))
	assert.Equal(t, "ä…", shorten("äöü", 2))
}
