//go:build unix

package checkpoint

import (
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Weights that do not fit are an error: files may not be larger than 64 KiB here, as on a disk that is full.
func TestWeightsThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Last, 1, 1)
	store := newStore(t, map[string]any{"/model/w": make([]float32, 1<<17)})
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	less := limit
	less.Cur = 1 << 16
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less))
	err := Save(dir, Last, 2, 1, store, state{}, nil)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	require.ErrorContains(t, err, "saving the weights of step 2: 65536 of 524296 bytes could be written; is the disk full?")
	assert.Equal(t, []string{"last-00000001"}, names(t, dir))
}
