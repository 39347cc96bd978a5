//go:build unix

package training

import (
	"io/fs"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files/filestest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A disk on which the new run's snapshot does not fit costs nothing of the run before: no file may be larger than the
// limit here. The limit holds for all files of a process, so that the test is a process of its own.
func TestOverwriteOnAFullDisk(t *testing.T) {
	if !filestest.AloneInAProcess(t) {
		return
	}
	backend := backendtest.Go(t)
	before := ringConfig(writeRing(t, 80))
	before["epochs"] = 1
	after := with(before, "seed", 5)
	dir, answer, files := replaced(t, backend, before)
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	// What does not fit in turn: the configuration, the graph, the description, the weights, and the state to resume
	// from, which is the largest file.
	for _, most := range []uint64{100, 1000, 3000, 5000, largestIn(t, dir) - 1} {
		limit := old
		limit.Cur = most
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
		_, err := Train(t.Context(), backend, after, Options{Dir: dir, Overwrite: true})
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		require.Error(t, err, "%d bytes", most)
		assert.Equal(t, files, without(contents(t, dir), filepath.Join(dir, checkpoint.NextFolder)), "%d bytes", most)
		assert.Equal(t, answer, answerOf(t, backend, dir))
	}
	_, err := Train(t.Context(), backend, after, Options{Dir: dir, Overwrite: true})
	require.NoError(t, err)
	assert.NotEqual(t, answer, answerOf(t, backend, dir))
}

// largestIn returns the size of the largest file in a folder.
func largestIn(t *testing.T, dir string) uint64 {
	t.Helper()
	var largest int64
	require.NoError(t, filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		largest = max(largest, info.Size())
		return nil
	}))
	return uint64(largest)
}
