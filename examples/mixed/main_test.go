package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The example does what it says; a second run does not write over the first.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mixed")
	require.NoError(t, run(dir, 60))
	require.ErrorContains(t, run(dir, 1), "is not empty; choose another directory")
}
