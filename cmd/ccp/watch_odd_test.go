package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is odd in a stream is told once, and does not end what is watched.
func TestWatchOdd(t *testing.T) {
	dir := watched(t)
	lines, _ := annotated(2, 8, false)
	code, plain, stderr := watchStream(t, lines, "--checkpoint", dir)
	require.Zero(t, code, stderr)

	t.Run("rows that are not later", func(t *testing.T) {
		late := slices.Insert(slices.Clone(lines), 501, lines[500], lines[500][:strings.Index(lines[500], ",")]+",9,9",
			lines[490])
		code, stdout, stderr := watchStream(t, late, "--checkpoint", dir)
		require.Zero(t, code, stderr)
		assert.Equal(t, plain, stdout, "nothing begins anew")
		messagetest.Names(t, stderr, "left out … repeats … 24.95 … 24.95 … other values … 0 gaps … 1 row … 2 rows")
		assert.NotContains(t, stderr, "set back")

		back := append(slices.Clone(lines), lines[1:500]...)
		code, _, stderr = watchStream(t, back, "--checkpoint", dir)
		require.Zero(t, code, stderr)
		messagetest.Names(t, stderr, "set back … 1 gap")

		known, _ := annotated(2, 8, true)
		known = slices.Insert(known, 501, known[500])
		path := write(t, filepath.Join(t.TempDir(), "twice.csv"), strings.Join(known, "\n")+"\n")
		code, _, stderr = execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity")
		require.Zero(t, code, stderr)
		messagetest.Names(t, stderr, "left out: 1 line")
	})
}
