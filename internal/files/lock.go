package files

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// ErrLocked says that another process holds a lock.
var ErrLocked = errors.New("another process holds the lock")

// Lock takes the lock of the file at path, and creates the file. If another process has the lock, Lock returns
// ErrLocked. The system drops the lock of a process that dies. unlock gives the lock back; it can remove the file, too.
func Lock(path string) (unlock func(remove bool), err error) {
	for {
		lock := flock.New(path, flock.SetPermissions(0o666))
		locked, err := lock.TryLock()
		if err == nil && !locked {
			err = ErrLocked
		}
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		held, err := lock.Stat()
		now, missing := os.Stat(path)
		if err == nil && missing == nil && os.SameFile(held, now) {
			return func(remove bool) { release(lock, remove) }, nil
		}
		_ = lock.Unlock()
		err = errors.Join(err, missing)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		// The holder before removed the file while it was opened here. Others take the lock of a new file.
	}
}

// release removes the file while the lock is held, so that nobody loses a lock that was just taken. Windows removes no
// open file. There the file goes afterwards, unless another process has opened it.
func release(lock *flock.Flock, remove bool) {
	if remove && runtime.GOOS != "windows" {
		_ = os.Remove(lock.Path())
	}
	_ = lock.Unlock()
	if remove && runtime.GOOS == "windows" {
		_ = os.Remove(lock.Path())
	}
}
