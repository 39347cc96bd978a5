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
	for name, shape := range map[string][]int{"matrix": {3, 2}, "vector": {6}, "cube": {2, 3, 1}, "no rows": {0, 4},
		"empty rows": {3, 0}} {
		t.Run(name, func(t *testing.T) {
			values := []float32{1, 2, 3, -4, 0.5, 6}
			if name == "no rows" || name == "empty rows" {
				values = []float32{}
			}
			dir := t.TempDir()
			streamed, whole := filepath.Join(dir, "streamed.npz"), filepath.Join(dir, "whole.npz")
			require.NoError(t, Write(streamed, []Named{{Name: "a", Array: &Array{Shape: shape},
				Rows: func(i int, row []float32) error {
					copy(row, values[i*len(row):])
					return nil
				}}}))
			require.NoError(t, Write(whole, []Named{{Name: "a", Array: &Array{Shape: shape, Data: values}}}))
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
	dir := t.TempDir()
	none := func(int, []float32) error { return nil }
	one := Named{Name: "a", Array: &Array{Shape: []int{1}, Data: []int64{1}}}
	for want, arrays := range map[string][]Named{
		`array "a": stop`: {{Name: "a", Array: &Array{Shape: []int{2, 2}}, Rows: func(i int, _ []float32) error {
			if i == 1 {
				return errors.New("stop")
			}
			return nil
		}}},
		`array name "" is empty`: {{Array: &Array{Shape: []int{0}}, Rows: none}},
		"more elements than any": {{Name: "a", Array: &Array{Shape: []int{1 << 62, 1 << 62}}, Rows: none}},
		"or used twice":          {one, one},
	} {
		assert.ErrorContains(t, Write(filepath.Join(dir, "a.npz"), arrays), want)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
