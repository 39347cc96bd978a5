package files

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(path)
	require.NoError(t, err)
	_, err = Lock(path)
	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, path)
	unlock(false)
	assert.FileExists(t, path)
	unlock, err = Lock(path)
	require.NoError(t, err)
	unlock(true)
	assert.NoFileExists(t, path)
	_, err = Lock(filepath.Join(path, "none"))
	require.ErrorContains(t, err, path)
}

// The lock has one holder at a time, although each holder removes its file.
func TestRemovedLocksHaveOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders, held atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 300 {
				unlock, err := Lock(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if !assert.NoError(t, err) {
					return
				}
				held.Add(1)
				assert.EqualValues(t, 1, holders.Add(1))
				holders.Add(-1)
				unlock(true)
			}
		})
	}
	all.Wait()
	assert.Positive(t, held.Load())
}
