//go:build !cgo

package backend

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// Without cgo there is the pure Go backend, and whoever asks for XLA learns why it is not there.
func TestWithoutCGO(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "")
	for _, request := range []string{"xla", "xla:cpu", "xla:/lib/plugin.so"} {
		_, _, err := Open(Options{Name: request, Install: true})
		require.ErrorIs(t, err, errNoXLA)
		messagetest.Names(t, err, request+": … without cgo")
	}
	var log bytes.Buffer
	b, info, err := Open(Options{Install: true, Log: &log})
	require.NoError(t, err)
	b.Finalize()
	assert.Equal(t, "go", info.Name)
	assert.Contains(t, log.String(), "built without cgo")
	r := Doctor(Options{})
	assert.Equal(t, "go", r.Chosen)
	assert.Len(t, r.Trials, 1)
	assert.Contains(t, r.Advice, errNoXLA.Error())
}
