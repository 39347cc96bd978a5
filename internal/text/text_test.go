package text

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 999: "999 nodes", 1000: "1,000 nodes",
		1234567: "1,234,567 nodes"} {
		assert.Equal(t, want, Count(n, "node"))
	}
	for s, want := range map[float64]string{0: "0.0s", 0.26: "0.3s", 59.94: "59.9s", 60: "1m0s", 3723.4: "1h2m3s"} {
		assert.Equal(t, want, Seconds(s))
	}
	for bytes, want := range map[int64]string{0: "0.0 MB", 123_456: "0.1 MB", 9_940_000: "9.9 MB", 10_000_000: "10 MB",
		1_234_567_890: "1,235 MB"} {
		assert.Equal(t, want, Megabytes(bytes))
	}
	for bytes, want := range map[float64]string{5e8: "0.5 GB", 16e9: "16 GB", 3.1858e12: "3,186 GB",
		1e300: "1,000,000,000,000,000,000 GB"} {
		assert.Equal(t, want, Gigabytes(bytes))
	}
}

func TestWords(t *testing.T) {
	assert.Equal(t, "one two\n  three\n  four-and-more", Fold("", "one  two three four-and-more", 8, 2))
	assert.Equal(t, "> one\n  two\n  three", Fold("> ", "one two three", 8, 2), "what begins a line is a part of it")
	assert.Equal(t, "> ones\n  two", Fold("> ", "ones two", 8, 2))
	assert.Equal(t, "> longest\n  two", Fold("> ", "longest two", 8, 2))
	assert.Equal(t, "> ", Fold("> ", " ", 8, 2))
	assert.Equal(t, "äöü", Shorten("äöü", 3))
	assert.Equal(t, "ä…", Shorten("äöü", 2))
}

// What a stranger wrote cannot steer a terminal, nor break a table.
func TestPlain(t *testing.T) {
	assert.Equal(t, "größe\tx\n\ufffd]0;title\ufffd\ufffd\ufffd[31m\ufffdcba",
		Plain("größe\tx\n\x1b]0;title\a\r\u009b[31m\u202ecba"))
	assert.Equal(t, "\U0001f469\u200d\U0001f52c", Plain("\U0001f469\u200d\U0001f52c"), "a joined picture")
	assert.Equal(t, "a b\ufffd c", Shorten("a\tb\x1b\nc", 30))
}

func TestAlign(t *testing.T) {
	table := "class\t samples\tnote\nä\t7\t\nairplane\t0.2\tx\n"
	want := "class     samples  note\nä               7\nairplane      0.2  x\n"
	assert.Equal(t, "above\n"+want+"\n"+want+"below\n", Align("above\n"+table+"\n"+table+"below\n"),
		"each table has widths of its own")
	assert.Equal(t, "  a  b\n  c\nend", Align("\ta\tb\n\tc\nend"), "an empty column is an indent")
	assert.Empty(t, Align(""))
}

// A file is whole, or it is not there at all.
func TestWriteCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	require.NoError(t, WriteCSV(path, []string{"name", "value"}, func(row func(cells ...any)) error {
		row("a,b", float32(1)/3)
		row(3, 1./3)
		return nil
	}))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "name,value\n\"a,b\",0.333333\n3,0.3333333\n", string(raw))

	refused := errors.New("not today")
	assert.Equal(t, refused,
		WriteCSV(filepath.Join(filepath.Dir(path), "b.csv"), nil, func(func(...any)) error { return refused }))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	assert.ErrorContains(t, WriteCSV(filepath.Join(path, "c.csv"), nil, func(func(...any)) error { return nil }), "a.csv")
}

// Sums of steps are as people write them, whatever the size of a step; a step that is none leaves the time.
func TestToStep(t *testing.T) {
	for _, c := range []struct{ time, step, want float64 }{
		{36 * 0.0400000016, 0.0400000016, 1.44}, {1717140606159.9998, 40, 1717140606160}, {0.1 + 0.2, 0.1, 0.3},
		{1e-9, 1e-3, 0}, {-1.4400001, 0.04, -1.44}, {1.4400001, 0, 1.4400001}, {86400.01, 86400, 86400},
		{0.719999316, 0.00999999046, 0.72},
	} {
		assert.Equal(t, c.want, ToStep(c.time, c.step), "%g in steps of %g", c.time, c.step)
	}
}
