package recordings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// detect returns the form of the input, unless it is given, and the files or the folder to read.
func detect(format string, inputs []string) (string, []string, error) {
	first := inputs[0]
	info, err := os.Stat(first)
	if err != nil {
		return "", nil, err
	}
	if info.IsDir() && (format == "" || format == TS) {
		paths, err := tsIn(first)
		switch {
		case err != nil:
			return "", nil, err
		case len(paths) > 0:
			format, inputs = TS, paths
		case format == TS:
			return "", nil, fmt.Errorf("%s holds no .ts file; give the folder with NAME_TRAIN.ts and NAME_TEST.ts", first)
		}
	}
	extension := strings.ToLower(filepath.Ext(first))
	switch {
	case format != "":
	case info.IsDir():
		format = Folders
	case extension == ".ts":
		format = TS
	case extension == ".csv":
		format = Long
	default:
		return "", nil, fmt.Errorf("%s is neither a .ts file, nor a .csv, nor a folder; "+
			"say what it is with --format ts, folders or long", first)
	}
	switch {
	case format != TS && len(inputs) > 1:
		return "", nil, fmt.Errorf("%d files or folders are given; the format %s takes one", len(inputs), format)
	case format == Folders && !info.IsDir():
		return "", nil, fmt.Errorf("%s is a file; --format folders takes the folder with a folder of recordings for each class", first)
	case format == Long && info.IsDir():
		return "", nil, fmt.Errorf("%s is a folder; --format long takes one CSV file", first)
	}
	return format, inputs, nil
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
		name = name[:len(name)-len(extension)]
		for _, end := range []string{"_TRAIN", "_TEST"} {
			name = strings.TrimSuffix(name, end)
		}
	}
	return cmp.Or(strings.Trim(name, "/"), "mine") + ".npz"
}
