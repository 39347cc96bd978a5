package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// entryCost is what a file or folder counts for beside its content, so that a great many empty ones meet the limit, too.
const entryCost = 512

// Unpack unpacks an archive (.tar.gz, .tgz or .zip; a .gz holds one file, of its name without .gz) into a new folder, which
// appears whole or not at all; its parent is made. The files may take at most `limit` bytes in all, each counting 512 more.
//
// It is an error, and nothing is left, if an entry is neither a file nor a folder, its name leads out of the folder or is
// there twice, the archive is damaged or unpacks to more than limit, the folder is there and not empty, or ctx ends.
func Unpack(ctx context.Context, archive, folder string, limit int64) (err error) {
	read, err := readerFor(archive)
	if err != nil {
		return err
	}
	if info, err := os.Lstat(folder); err == nil && (!info.IsDir() || os.Remove(folder) != nil) { // it removes an empty one
		return fmt.Errorf("cannot unpack %s: %s is there and is not an empty folder; move it away", archive, folder)
	}
	parent := filepath.Dir(folder)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, "."+filepath.Base(folder)+"-*"+partSuffix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) // after the rename there is none
	if err := fill(ctx, read, archive, work, limit); err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	return os.Rename(work, folder)
}

// fill unpacks an archive into an existing folder. Whatever the archive says, the folder's os.Root keeps it inside.
func fill(ctx context.Context, read reader, archive, folder string, limit int64) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return read(archive, &target{ctx: ctx, root: root, limit: limit, left: limit})
}

// reader hands the entries of an archive to a target.
type reader func(archive string, to *target) error

func readerFor(archive string) (reader, error) {
	name := strings.ToLower(archive)
	for _, format := range []struct {
		suffix string
		read   reader
	}{{".tar.gz", readTar}, {".tgz", readTar}, {".zip", readZip}, {".gz", readGzip}} {
		if strings.HasSuffix(name, format.suffix) {
			return format.read, nil
		}
	}
	return nil, fmt.Errorf("%s: the archive's name must end in .tar.gz, .tgz, .zip or .gz", archive)
}

// target takes the entries of an archive into a folder.
type target struct {
	ctx   context.Context
	root  *os.Root
	limit int64
	left  int64 // of the limit
}

// folder makes a folder and those above it.
func (t *target) folder(name string) error {
	name, err := t.enter(name, 0)
	if err != nil {
		return err
	}
	return t.root.MkdirAll(name, 0o755)
}

// file writes a file of `size` bytes, or of any size up to the limit if that is negative.
func (t *target) file(name string, size int64, content io.Reader) error {
	local, err := t.enter(name, max(size, 0))
	if err != nil {
		return err
	}
	if err := t.root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return err
	}
	file, err := t.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%q is in it twice", name)
	}
	if err != nil {
		return err
	}
	most := size
	if size < 0 {
		most = t.left
	}
	written, err := io.Copy(file, io.LimitReader(content, most+1))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	switch {
	case err != nil:
		return fmt.Errorf("%q: %w", name, err)
	case size < 0 && written > most:
		return t.tooLarge()
	case size >= 0 && written != size:
		return fmt.Errorf("%q: %d bytes or more, where the archive says %d; get the archive again", name, written, size)
	}
	if size < 0 {
		t.left -= written
	}
	return nil
}

// enter counts an entry against the limit and makes a path of its name that stays within the folder.
func (t *target) enter(name string, size int64) (string, error) {
	if err := t.ctx.Err(); err != nil {
		return "", context.Cause(t.ctx)
	}
	if size > t.left-entryCost {
		return "", t.tooLarge()
	}
	t.left -= size + entryCost
	local := filepath.FromSlash(path.Clean(name))
	if name == "" || strings.ContainsAny(name, "\\\x00") || !filepath.IsLocal(local) {
		return "", fmt.Errorf("the name %q leads out of the folder; this archive is not to be trusted", name)
	}
	return local, nil
}

func (t *target) tooLarge() error {
	return fmt.Errorf("it unpacks to more than the %d bytes that are expected; this archive is not to be trusted", t.limit)
}
