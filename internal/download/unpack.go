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

	"github.com/clusterpool/ccp/internal/files"
)

// Unpack unpacks a gzipped tar archive into a new folder, which appears complete or not at all. It creates the
// folder's parent.
//
// It fails and leaves nothing in these cases:
//
//   - an entry is neither a file nor a folder, or its name leads out of the folder or occurs twice;
//   - the archive is damaged;
//   - the folder exists and is not empty;
//   - ctx ends.
//
// Unpack sets no limit to the size. Check the archive's checksum first, as [Fetcher.Fetch] does.
func Unpack(ctx context.Context, archive, folder string) error {
	info, err := os.Lstat(folder)
	if err == nil && (!info.IsDir() || os.Remove(folder) != nil) { // this removes an empty folder
		return fmt.Errorf("cannot unpack %s: %s is there and is not an empty folder; move it away", archive, folder)
	}
	return files.Folder(folder, func(work string) error {
		root, err := os.OpenRoot(work)
		if err != nil {
			return err
		}
		if err := errors.Join(fill(ctx, root, archive), root.Close()); err != nil {
			return fmt.Errorf("unpack %s: %w", archive, err)
		}
		return nil
	})
}

// fill unpacks an archive below root. It reads to the archive's end, so that gzip's checksum is compared.
func fill(ctx context.Context, root *os.Root, archive string) error {
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
	for ctx.Err() == nil {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			if _, err := io.Copy(io.Discard, unzipped); err != nil {
				return damaged(err)
			}
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		if header.Typeflag == tar.TypeXGlobalHeader { // comments
			continue
		}
		if err := take(root, header, entries); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// take creates the file or folder of an entry, and the folders above it. Whatever the entry says, root keeps it inside.
func take(root *os.Root, header *tar.Header, content io.Reader) error {
	name, folder := header.Name, header.Typeflag == tar.TypeDir
	local := filepath.FromSlash(path.Clean(name))
	if name == "" || strings.ContainsAny(name, "\\\x00") || !filepath.IsLocal(local) {
		return fmt.Errorf("the name %q leads out of the folder; do not trust this archive", name)
	}
	if !folder && header.Typeflag != tar.TypeReg {
		return fmt.Errorf("%q is neither a file nor a folder (type %q); do not trust this archive", name, header.Typeflag)
	}
	if folder {
		return root.MkdirAll(local, 0o755)
	}
	if err := root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
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

func damaged(err error) error { return fmt.Errorf("it is damaged (%w); get it again", err) }
