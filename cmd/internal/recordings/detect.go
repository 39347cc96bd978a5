package recordings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Forms of input.
const (
	ts      = "ts"      // one or two .ts files, or the folder that holds them
	folders = "folders" // a folder with a folder of recordings for each class
	long    = "long"    // a CSV with a line for each reading
)

// detect returns the form of the input, and the files or the folder to read.
func detect(inputs []string) (form string, paths []string, err error) {
	first := inputs[0]
	info, err := os.Stat(first)
	switch extension := strings.ToLower(filepath.Ext(first)); {
	case err != nil:
		return "", nil, err
	case !info.IsDir() && extension == ".ts":
		return ts, inputs, nil
	case len(inputs) > 1:
		return "", nil, fmt.Errorf("%d files or folders are given; give one, or two .ts files", len(inputs))
	case info.IsDir():
		if paths, err = tsIn(first); err != nil || len(paths) > 0 {
			return ts, paths, err
		}
		return folders, inputs, nil
	case extension == ".csv":
		return long, inputs, nil
	}
	return "", nil, fmt.Errorf("%s is neither a .ts file, nor a .csv, nor a folder; name it after what it is", first)
}

// Name returns the default name of the file that an import writes: the folder's or file's name without _TRAIN and the
// like.
func Name(inputs []string) string {
	path, err := filepath.Abs(inputs[0])
	if err != nil {
		path = inputs[0]
	}
	name := filepath.Base(path)
	if extension := strings.ToLower(filepath.Ext(name)); extension == ".ts" || extension == ".csv" {
		name = strings.TrimSuffix(strings.TrimSuffix(name[:len(name)-len(extension)], "_TRAIN"), "_TEST")
	}
	return cmp.Or(strings.Trim(name, "/"), "mine") + ".npz"
}
