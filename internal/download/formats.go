package download

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// readTar reads a gzipped tar archive, up to its end, so that the checksum of the gzip file is compared.
func readTar(archive string, to *target) error {
	return gunzip(archive, func(unzipped io.Reader) error {
		entries := tar.NewReader(unzipped)
		for {
			header, err := entries.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return damaged(err)
			}
			switch header.Typeflag {
			case tar.TypeXGlobalHeader: // comments
			case tar.TypeDir:
				err = to.folder(header.Name)
			case tar.TypeReg:
				err = to.file(header.Name, header.Size, entries)
			default:
				err = fmt.Errorf("%q is neither a file nor a folder (type %q); this archive is not to be trusted",
					header.Name, header.Typeflag)
			}
			if err != nil {
				return err
			}
		}
		if rest, err := io.Copy(io.Discard, io.LimitReader(unzipped, to.left+1)); err != nil {
			return damaged(err)
		} else if rest > to.left {
			return to.tooLarge()
		}
		return nil
	})
}

// readGzip reads a gzipped file.
func readGzip(archive string, to *target) error {
	return gunzip(archive, func(unzipped io.Reader) error {
		name := filepath.Base(archive)
		return to.file(name[:len(name)-len(".gz")], -1, unzipped)
	})
}

func gunzip(archive string, read func(io.Reader) error) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(file, 1<<16))
	if err != nil {
		return damaged(err)
	}
	return read(unzipped)
}

// readZip reads a zip archive. Its own reader compares sizes and checksums.
func readZip(archive string, to *target) error {
	entries, err := zip.OpenReader(archive)
	if err != nil {
		return damaged(err)
	}
	defer entries.Close()
	for _, entry := range entries.File {
		switch mode := entry.Mode(); {
		case mode.IsDir():
			err = to.folder(entry.Name)
		case mode.IsRegular() && entry.UncompressedSize64 <= uint64(to.limit):
			err = unzip(entry, to)
		case mode.IsRegular():
			err = to.tooLarge()
		default:
			err = fmt.Errorf("%q is neither a file nor a folder (%v); this archive is not to be trusted", entry.Name, mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func unzip(entry *zip.File, to *target) error {
	content, err := entry.Open()
	if err != nil {
		return damaged(err)
	}
	defer func() { _ = content.Close() }()
	return to.file(entry.Name, int64(entry.UncompressedSize64), content)
}

func damaged(err error) error { return fmt.Errorf("it is damaged (%w); get it again", err) }
