// Package images reads sets of square images: the idx files of MNIST and the records of CIFAR-10.
package images

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/datasets"
)

// Set is a set of images of Side x Side pixels, whose nodes are the pixels, row by row.
type Set struct {
	Pixels   *datasets.Bytes
	Side     int
	Labels   []byte // one for each image
	Train    int    // number of training images, which come first
	From     string // the folder, if there is one, and the sha256 of what was read
	Warnings []string
}

// find returns the first existing file among the names, tried in each folder in turn; "" if there is none. A file
// without permission counts as found: reading it gives the real error.
func find(dirs []string, names ...string) string {
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

// missing is the error for files that no folder holds.
func missing(dirs []string, names ...string) error {
	return fmt.Errorf("%w: looked for %s in %s", fs.ErrNotExist, strings.Join(names, " or "), strings.Join(dirs, ", "))
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
