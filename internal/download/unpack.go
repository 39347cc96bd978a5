package download

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// entryCost is what each file or folder counts besides its content, so that many empty ones reach the limit, too.
const entryCost = 512

// Unpack unpacks a gzipped tar archive into a new folder, which appears complete or not at all. It creates the folder's parent.
// The files may take at most `limit` bytes in all, each counting 512 more.
//
// It fails and leaves nothing if an entry is neither a file nor a folder, an entry's name leads out of the folder or occurs twice,
// the archive is damaged or unpacks to more than limit, the folder exists and is not empty, or ctx ends.
func Unpack(ctx context.Context, archive, folder string, limit int64) (err error) {
	if info, err := os.Lstat(folder); err == nil && (!info.IsDir() || os.Remove(folder) != nil) { // this removes an empty one
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
	root, err := os.OpenRoot(work)
	if err != nil {
		return err
	}
	err = (&target{ctx: ctx, root: root, limit: limit, left: limit}).fill(archive)
	if err = errors.Join(err, root.Close()); err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	return os.Rename(work, folder)
}

// target is a folder that takes the entries of an archive. Whatever the archive says, its os.Root keeps them inside.
type target struct {
	ctx   context.Context
	root  *os.Root
	limit int64
	left  int64 // of the limit
}

// fill reads an archive to its end, so that gzip's checksum is compared.
func (t *target) fill(archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return damaged(err)
	}
	entries := tar.NewReader(unzipped)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return damaged(err)
		}
		if header.Typeflag == tar.TypeXGlobalHeader { // comments
			continue
		}
		if err := t.take(header, entries); err != nil {
			return err
		}
	}
	rest, err := io.Copy(io.Discard, io.LimitReader(unzipped, t.left+1))
	if err != nil {
		return damaged(err)
	}
	return t.spend(rest)
}

// take creates the file or folder of an entry, and the folders above it.
func (t *target) take(header *tar.Header, content io.Reader) error {
	if t.ctx.Err() != nil {
		return context.Cause(t.ctx)
	}
	if err := t.spend(min(header.Size, t.limit) + entryCost); err != nil {
		return err
	}
	name := header.Name
	local := filepath.FromSlash(path.Clean(name))
	if name == "" || strings.ContainsAny(name, "\\\x00") || !filepath.IsLocal(local) {
		return fmt.Errorf("the name %q leads out of the folder; this archive is not to be trusted", name)
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return t.root.MkdirAll(local, 0o755)
	case tar.TypeReg:
	default:
		return fmt.Errorf("%q is neither a file nor a folder (type %q); this archive is not to be trusted", name, header.Typeflag)
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
	_, err = io.Copy(file, content)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// spend counts bytes against the limit.
func (t *target) spend(bytes int64) error {
	if t.left -= bytes; t.left < 0 {
		return fmt.Errorf("it unpacks to more than the %d bytes that are expected; this archive is not to be trusted", t.limit)
	}
	return nil
}

func damaged(err error) error { return fmt.Errorf("it is damaged (%w); get it again", err) }
