package training

import (
	"testing"

	"github.com/clusterpool/ccp/internal/matmul"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Transforms alone need no XLA where products are fast; networks, word vectors and whoever names a backend have it.
func TestDefaultBackend(t *testing.T) {
	backendOf := func(asked Patch) string {
		c, err := Preview(asked)
		require.NoError(t, err)
		return c.DefaultBackend()
	}
	t.Setenv(compute.ConfigEnvVar, "")
	want := ""
	if matmul.Fast() {
		want = "go"
	}
	alone := Patch{"model": "transforms", "data": "mine.npz"}
	assert.Equal(t, want, backendOf(alone))
	assert.Empty(t, backendOf(Patch{"data": "mine.npz"}))
	assert.Empty(t, backendOf(Patch{"model": "transforms", "data": "20news"}))
	t.Setenv(compute.ConfigEnvVar, "xla:cpu")
	assert.Empty(t, backendOf(alone))
}
