package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The example does what it says.
func TestRun(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	models.Register("mixed", models.Network{Build: network, Clusters: true})
	assert.Greater(t, run(filepath.Join(t.TempDir(), "mixed"), 60), 0.8)
}

// What a user writes for a network of one's own on eight hierarchies, and to train it, stays short.
func TestLength(t *testing.T) {
	program, err := os.ReadFile("main.go")
	require.NoError(t, err)
	assert.LessOrEqual(t, bytes.Count(program, []byte("\n")), 70)
}
