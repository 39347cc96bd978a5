// Package files writes files and folders completely or not at all, and keeps results that took long to compute in the
// user's cache folder.
package files

import (
	"cmp"
	"crypto/rand"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Unfinished begins the name of everything that is not complete yet. The name that it will have follows, then a dash
// and letters of chance.
const Unfinished = ".writing-"

// Sweep removes from dir what killed writers left of the files and folders whose names `ours` accepts. The caller holds
// the lock under which these are written.
func Sweep(dir string, ours func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name, left := strings.CutPrefix(e.Name(), Unfinished)
		if end := strings.LastIndex(name, "-"); left && end >= 0 && ours(name[:end]) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// begun returns the first part of the name of what is being written to path. File systems allow names of 255 bytes.
func begun(path string) string {
	name := filepath.Base(path)
	return Unfinished + strings.ToValidUTF8(name[:min(len(name), 200)], "") + "-"
}

// Write creates the file at path with the content that `write` writes. The content goes to a temporary file in the
// same folder. Write flushes this file to the disk and then renames it. So path holds either its old content or all
// of the new one, even if the machine stops. If several processes write the same path at once, the last one wins. The
// file gets the permissions of the old one, or of any new file. After a failure, such as a full disk, Write removes the
// temporary file; the error names path. Links stay what they are, and so do devices and pipes: Write writes into them.
func Write(path string, write func(w io.Writer) error) (err error) {
	dangling := false
	if _, err := os.Readlink(path); err == nil {
		if _, err := os.Stat(path); err != nil { // the system knows the place of a link's target that is not there yet
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
			if err != nil {
				return err
			}
			_, dangling = file.Close(), true
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := os.FileMode(0o666)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	} else if err == nil && !info.IsDir() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	temporary := filepath.Join(filepath.Dir(path), begun(path)+rand.Text())
	defer func() {
		if err != nil {
			_ = os.Remove(temporary)
			if dangling {
				_ = os.Remove(path)
			}
			err = fmt.Errorf("write %s: %w", path, cause(err, temporary))
		}
	}()
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	err = cmp.Or(err, file.Close())
	if err == nil {
		err = Rename(temporary, path)
	}
	return err
}

// Rename renames a file or folder and makes the new name survive a power cut. Windows refuses to replace a file that
// is open, so Rename waits up to two seconds there for readers and virus scanners.
func Rename(from, to string) error {
	err := os.Rename(from, to)
	for pause := time.Millisecond; Busy(err) && pause < 2*time.Second; pause *= 2 {
		time.Sleep(pause)
		err = os.Rename(from, to)
	}
	if err == nil {
		err = Sync(filepath.Dir(to))
	}
	return err
}

// Busy reports whether an error is Windows's answer for a file that somebody has open: ERROR_ACCESS_DENIED or
// ERROR_SHARING_VIOLATION.
func Busy(err error) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && runtime.GOOS == "windows" && (number == 5 || number == 32)
}

// cause returns an error without the name of the temporary file, which means nothing to people.
func cause(err error, temporary string) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Path == temporary {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok && link.Old == temporary {
		return link.Err
	}
	return err
}

// Folder creates the folder at path with the files that fill writes into work. The folder appears complete or not at
// all, and Folder creates the folders above it.
func Folder(path string, fill func(work string) error) error {
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	work := filepath.Join(parent, begun(path)+rand.Text())
	if err := os.Mkdir(work, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(work) // of no effect once renamed
	if err := fill(work); err != nil {
		return err
	}
	return Rename(work, path)
}

// Digest returns the hash of a file's content in hexadecimal digits, and the file's size in bytes.
func Digest(path string, h hash.Hash) (digits string, size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	size, err = io.Copy(h, file)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// WriteBytes writes content to path, as Write does.
func WriteBytes(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// WriteCSV writes a table to path, as Write does.
func WriteCSV(path string, rows [][]string) error {
	return Write(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

// WriteJSON writes v to path as indented JSON, as Write does.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(v)
	})
}

// ReadJSON reads what WriteJSON wrote. Errors name the file.
func ReadJSON(path string, v any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return ParseJSON(path, raw, v)
}

// ParseJSON parses the content of a JSON file into v. An error names the file.
func ParseJSON(path string, raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%s: it is damaged (%w); copy the folder again from where it is whole", path, err)
	}
	return nil
}

// Remove deletes files of a folder. A file that is not there is no error.
func Remove(dir string, names ...string) error {
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// CheckDirectory returns an error if dir is something else than a directory, such as a file. A missing dir is no error.
func CheckDirectory(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", dir)
	}
	return err
}

// Sync makes the content of a file, or the names in a folder, survive a power cut. Windows and some file systems cannot
// do this for a folder; that is no error.
func Sync(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	flag := os.O_RDWR // Windows flushes only what is open for writing.
	if info.IsDir() {
		if runtime.GOOS == "windows" {
			return nil
		}
		flag = os.O_RDONLY
	}
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	err = file.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}
