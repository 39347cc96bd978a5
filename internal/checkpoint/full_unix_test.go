//go:build unix

package checkpoint

import (
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/files/filestest"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// Weights that do not fit are an error: files may not be larger than 64 KiB here, as on a disk that is full. The limit
// holds for all files of a process, also for what go test writes. So the test is a process of its own.
func TestWeightsThatDoNotFit(t *testing.T) {
	if !filestest.AloneInAProcess(t) {
		return
	}
	dir := t.TempDir()
	save(t, dir, Last, 1, 1)
	store := backendtest.Store(t, map[string]any{"/model/w": make([]float32, 1<<17)})
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 1 << 16, Max: 1 << 16}
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	err := Save(dir, Last, 2, 1, store, state{}, nil)
	messagetest.Names(t, err, "weights of step 2 … 65536 of 524296 bytes … disk")
	assert.Equal(t, []string{"last-00000001"}, filestest.Names(t, dir))
}
