package npz

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRows: written row by row, an array is the same, byte by byte, as written at once.
func TestRows(t *testing.T) {
	for name, shape := range map[string][]int{"matrix": {3, 2}, "vector": {6}, "cube": {2, 3, 1}, "no rows": {0, 4}, "empty rows": {3, 0}} {
		t.Run(name, func(t *testing.T) {
			values := []float32{1, 2, 3, -4, 0.5, 6}
			if name == "no rows" || name == "empty rows" {
				values = []float32{}
			}
			dir := t.TempDir()
			streamed, whole := filepath.Join(dir, "streamed.npz"), filepath.Join(dir, "whole.npz")
			require.NoError(t, WriteArchive(streamed, func(w *Writer) error {
				return w.Rows("a", shape, func(i int, row []float32) error {
					copy(row, values[i*len(row):])
					return nil
				})
			}))
			require.NoError(t, Write(whole, []Named{{"a", &Array{Shape: shape, Data: values}}}))
			got, err := os.ReadFile(streamed)
			require.NoError(t, err)
			want, err := os.ReadFile(whole)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

// TestRowsErrors: whatever goes wrong leaves no file.
func TestRowsErrors(t *testing.T) {
	full := errors.New("stop")
	dir := t.TempDir()
	for want, write := range map[string]func(*Writer) error{
		`array "a": stop`: func(w *Writer) error {
			return w.Rows("a", []int{2, 2}, func(i int, _ []float32) error {
				if i == 1 {
					return full
				}
				return nil
			})
		},
		`array name "" is empty`: func(w *Writer) error { return w.Rows("", []int{0}, nil) },
		"more elements than any": func(w *Writer) error { return w.Rows("a", []int{1 << 62, 1 << 62}, nil) },
		"or used twice": func(w *Writer) error {
			return errors.Join(w.Array("a", &Array{Shape: []int{1}, Data: []int64{1}}), w.Array("a", nil))
		},
	} {
		assert.ErrorContains(t, WriteArchive(filepath.Join(dir, "a.npz"), write), want)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
