package recordings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Forms of input.
const (
	ts      = "ts"      // one or two .ts files, or the folder that holds them
	folders = "folders" // a folder with a folder of recordings for each class
	long    = "long"    // tables, or recordings without classes
)

// stdin is the name of standard input.
const stdin = "-"

// source is a file to read.
type source struct {
	path  string
	class string // the folder of its class; "" for none
	test  bool
}

// name is what a recording is called whose file is all of it.
func (s source) name() string { return filepath.Base(s.path) }

// extension returns the ending of a name, in small letters, without that of gzip.
func extension(name string) string {
	name = strings.ToLower(name)
	return filepath.Ext(strings.TrimSuffix(name, ".gz"))
}

// isTable reports that a file is a table or an array by its name. Files named .txt are so if nothing else is there.
func isTable(name string) bool {
	return slices.Contains([]string{".csv", ".tsv", ".npy"}, extension(name))
}

// detect returns the form of the input and the files to read.
func (r *reading) detect(inputs []string) (form string, sources []source, err error) {
	kinds := map[string]bool{}
	for _, input := range inputs {
		if input == stdin {
			kinds[long] = true
			continue
		}
		info, err := os.Stat(input)
		switch kind := extension(input); {
		case err != nil:
			return "", nil, err
		case info.IsDir() && len(inputs) > 1:
			return "", nil, fmt.Errorf("%d files or folders are given; give one folder, or files of one kind", len(inputs))
		case info.IsDir():
			return r.detectFolder(input)
		case isTable(input) || kind == ".txt":
			kinds[long] = true
		case kind == ".ts":
			kinds[ts] = true
		default:
			return "", nil, fmt.Errorf("%s is neither a .ts file, nor a .csv, nor a folder; name it after what it is: "+
				".csv, .tsv, .txt, .npy or .ts, packed with .gz or not", input)
		}
	}
	if len(kinds) > 1 {
		return "", nil, fmt.Errorf("%s and other files are .ts files and tables; import each kind by itself", inputs[0])
	}
	return files(inputs, kinds[ts])
}

// files returns files as sources. Of two, one may be the test by its name.
func files(paths []string, series bool) (form string, sources []source, err error) {
	ordered, err := trainFirst(paths)
	if form = long; series {
		form = ts
	} else if err != nil {
		ordered, err = paths, nil
		for _, path := range paths {
			sources = append(sources, source{path: path})
		}
		return form, sources, nil
	}
	for i, path := range ordered {
		sources = append(sources, source{path: path, test: i == 1})
	}
	return form, sources, err
}

// detectFolder lists the recordings of a folder: a problem of .ts files; a folder for each class, or a folder train and
// a folder test of these; or files, if labels are given or none are wanted.
func (r *reading) detectFolder(folder string) (form string, sources []source, err error) {
	if paths, err := tsIn(folder); err != nil || len(paths) > 0 {
		if err != nil {
			return "", nil, err
		}
		return files(paths, true)
	}
	below, loose, err := entriesOf(folder)
	if err != nil {
		return "", nil, err
	}
	halves := map[string]bool{}
	for _, path := range below {
		inside, files, err := entriesOf(path)
		switch name := strings.ToLower(filepath.Base(path)); {
		case err != nil:
			return "", nil, err
		case len(inside) == 0 || len(files) > 0:
		case name == "train" || name == "training":
			halves["train"] = true
		case name == "test" || name == "testing":
			halves["test"] = true
		}
	}
	if len(below) == 2 && len(halves) == 2 {
		slices.Reverse(below) // test comes before train
		for i, half := range below {
			classes, _, err := entriesOf(half)
			if err != nil {
				return "", nil, err
			}
			more, err := classSources(half, classes)
			if err != nil {
				return "", nil, err
			}
			for at := range more {
				more[at].test = i == 1
			}
			sources = append(sources, more...)
		}
		return folders, sources, nil
	}
	if len(below) == 0 && len(loose) > 0 {
		return files(loose, false)
	}
	sources, err = classSources(folder, below)
	return folders, sources, err
}

// entriesOf returns the folders and the recordings in a folder. It skips names that begin with a dot.
func entriesOf(folder string) (below, recordings []string, err error) {
	entries, err := os.ReadDir(folder)
	var texts []string
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path) // follows a link to a folder
		switch {
		case err != nil || strings.HasPrefix(entry.Name(), "."):
		case info.IsDir():
			below = append(below, path)
		case isTable(path):
			recordings = append(recordings, path)
		case extension(path) == ".txt":
			texts = append(texts, path)
		}
	}
	if recordings == nil {
		recordings = texts
	}
	return below, recordings, err
}

// classSources lists the recordings of classes.
func classSources(folder string, classes []string) (sources []source, err error) {
	for _, inside := range classes {
		_, recordings, err := entriesOf(inside)
		if err != nil {
			return nil, err
		}
		if ts, _ := tsIn(inside); len(recordings) == 0 && len(ts) > 0 {
			return nil, fmt.Errorf("%s holds .ts files; import that folder, each problem by itself", inside)
		}
		if len(recordings) == 0 {
			return nil, fmt.Errorf("%s holds no .csv or .npy file; put the recordings of class %q there, or remove the folder",
				inside, filepath.Base(inside))
		}
		for _, path := range recordings {
			sources = append(sources, source{path: path, class: filepath.Base(inside)})
		}
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("%s holds neither .ts files nor folders of .csv or .npy files; make a folder for each class "+
			"and put its recordings there, or give one .csv of all readings", folder)
	}
	return sources, nil
}

// Name returns the default name of the file that an import writes: the folder's or file's name without _TRAIN and the
// like.
func Name(inputs []string) string {
	path, err := filepath.Abs(inputs[0])
	if err != nil {
		path = inputs[0]
	}
	name := filepath.Base(path)
	if ext := extension(name); isTable(name) || ext == ".ts" || ext == ".txt" {
		name = name[:strings.LastIndex(strings.ToLower(name), ext)]
		name = strings.TrimSuffix(strings.TrimSuffix(name, "_TRAIN"), "_TEST")
	}
	return cmp.Or(strings.Trim(name, "/-"), "mine") + ".npz"
}
