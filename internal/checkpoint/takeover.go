package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
)

// A run that is to take the place of another is in NextFolder of the checkpoint's directory, until its first snapshot.
// Then TakeOver renames the folder to takenFolder: from here on the run before does not count any more.
const (
	NextFolder  = ".ccp-next"
	takenFolder = ".ccp-taken"
)

// rename moves a file or a folder. Tests replace it, to stop in between.
var rename = files.Rename

// TakeOver puts the run in NextFolder in the place of the run in dir, which remove deletes. If it is stopped anywhere,
// FS reads the run before or the new one, and Settle ends the work. The caller holds the lock of dir.
func TakeOver(dir string, remove func(dir string) error) error {
	if err := rename(filepath.Join(dir, NextFolder), filepath.Join(dir, takenFolder)); err != nil {
		return err
	}
	return Settle(dir, remove)
}

// Settle ends a TakeOver that was stopped, and does nothing if none was. As long as the configuration is in
// takenFolder, something of the run before may be left, so that it is the first to be moved.
func Settle(dir string, remove func(dir string) error) error {
	taken := filepath.Join(dir, takenFolder)
	entries, err := os.ReadDir(taken)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, missing := os.Stat(filepath.Join(taken, ConfigFile)); err == nil && missing == nil {
		err = remove(dir)
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		if (a.Name() == ConfigFile) == (b.Name() == ConfigFile) {
			return strings.Compare(a.Name(), b.Name())
		} else if a.Name() == ConfigFile {
			return -1
		}
		return 1
	})
	for _, e := range entries {
		if err := move(filepath.Join(taken, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(taken)
}

// move renames a file or a folder. If a folder is there already, in which somebody keeps files of his own, it gets the
// new files, too.
func move(from, to string) error {
	entries, err := os.ReadDir(from)
	if info, missing := os.Stat(to); err != nil || missing != nil || !info.IsDir() {
		return rename(from, to)
	}
	for _, e := range entries {
		if err := move(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// Taking reports whether a TakeOver of dir was stopped, or is under way.
func Taking(dir fs.FS) bool {
	_, err := fs.Stat(dir, takenFolder)
	return err == nil
}

// FS returns a checkpoint as it is to be read: what a TakeOver has not moved yet counts in place of what is there.
func FS(dir fs.FS) fs.FS {
	if !Taking(dir) {
		return dir
	}
	taken, err := fs.Sub(dir, takenFolder)
	if err != nil {
		return dir
	}
	if _, err := fs.Stat(taken, ConfigFile); err == nil { // nothing was moved, and what is there is of the run before
		return taken
	}
	return merged{taken, dir}
}

// ReadJSON reads a JSON file of the checkpoint in dir into v, of the run that FS shows. The error is os.ErrNotExist if
// that run has no such file.
func ReadJSON(dir, name string, v any) error {
	raw, err := fs.ReadFile(FS(os.DirFS(dir)), filepath.ToSlash(name))
	path := filepath.Join(dir, name)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return &fs.PathError{Op: unread.Op, Path: path, Err: unread.Err}
	}
	if err != nil {
		return err
	}
	return files.ParseJSON(path, raw, v)
}

// merged is a folder, and below it one with the files that it lacks.
type merged struct{ above, below fs.FS }

// Open implements fs.FS.
func (m merged) Open(name string) (fs.File, error) {
	if file, err := m.above.Open(name); err == nil {
		return file, nil
	}
	return m.below.Open(name)
}

// ReadDir implements fs.ReadDirFS.
func (m merged) ReadDir(name string) ([]fs.DirEntry, error) {
	above, missing := fs.ReadDir(m.above, name)
	below, err := fs.ReadDir(m.below, name)
	if missing == nil {
		err = nil
	}
	byName := func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }
	all := slices.SortedStableFunc(slices.Values(slices.Concat(above, below)), byName)
	return slices.CompactFunc(all, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() }), err
}
