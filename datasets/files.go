package datasets

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dirs are the folders in which the files of a source may lie: its own folders below the data folder, then the data folder.
// Several sets have files of the same name; the folder tells them apart.
func (i Info) dirs(dataDir string) []string {
	dirs := append(slices.Clone(i.folders), "")
	for at, name := range dirs {
		dirs[at] = filepath.Join(cmp.Or(dataDir, "."), name)
	}
	return dirs
}

// missing is the error for files that no folder holds: what was looked for, where, and how to get it.
func (i Info) missing(dirs []string, names ...string) error {
	return fmt.Errorf("%w: looked for %s in %s; get %s, unpack it in a folder and pass --data-dir FOLDER",
		fs.ErrNotExist, strings.Join(names, " or "), strings.Join(dirs, ", "), i.get)
}

// findFile returns the first existing file among the names, tried in each folder in turn; "" when there is none.
// A file without permission counts as found, so that reading it gives the real error.
func findFile(dirs []string, names ...string) string {
	for _, dir := range dirs {
		for _, name := range names {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && !info.IsDir() || err != nil && os.IsPermission(err) {
				return path
			}
		}
	}
	return ""
}

// gunzip decompresses gzip data and returns other data as it is. It refuses to grow beyond limit bytes.
func gunzip(data []byte, limit int64) ([]byte, error) {
	if len(data) < 2 || data[0] != 0x1f || data[1] != 0x8b {
		return data, nil
	}
	reader, err := gzip.NewReader(bytes.NewReader(data))
	var unpacked []byte
	if err == nil {
		unpacked, err = io.ReadAll(io.LimitReader(reader, limit+1))
	}
	if err != nil {
		return nil, fmt.Errorf("damaged gzip file: %w; get the file again", err)
	}
	if int64(len(unpacked)) > limit {
		return nil, fmt.Errorf("unpacks to more than %d bytes, the most this format needs", limit)
	}
	return unpacked, nil
}

// hashFile is the sha256 of a file in hexadecimal.
func hashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	digest := sha256.New()
	_, err = io.Copy(digest, file)
	return fmt.Sprintf("%x", digest.Sum(nil)), err
}
