package download

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

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
			return fmt.Errorf("unpack %s: %w; get it again", archive, err)
		}
		return nil
	})
}

// fill unpacks an archive below root, which keeps every entry inside. It reads to the archive's end, so that gzip's
// checksum is compared.
func fill(ctx context.Context, root *os.Root, archive string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	entries := tar.NewReader(unzipped)
	for err == nil && ctx.Err() == nil {
		var entry *tar.Header
		entry, err = entries.Next()
		if err != nil {
			break
		}
		name := filepath.FromSlash(path.Clean(entry.Name))
		switch entry.Typeflag {
		case tar.TypeXGlobalHeader: // comments
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeReg:
			err = create(root, name, entries)
		default:
			err = fmt.Errorf("%q is neither a file nor a folder (type %q)", entry.Name, entry.Typeflag)
		}
	}
	if errors.Is(err, io.EOF) {
		_, err = io.Copy(io.Discard, unzipped)
	}
	return errors.Join(err, context.Cause(ctx))
}

// create creates a file with its content, and the folders above it.
func create(root *os.Root, name string, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Sync(), file.Close())
}
