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

// extension returns the ending of a name, in small letters. It ignores .gz.
func extension(name string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
}

// endings are the endings of files to read. A folder's .txt files are read only if it has no others.
var endings = []string{".csv", ".tsv", ".parquet", ".xlsx", ".npy", ".ts", ".txt"}

// contents returns the folders and the files to read in a folder, or the .ts files if it has any. It skips names that
// begin with a dot.
func contents(folder string) (below, files []string, err error) {
	entries, err := os.ReadDir(folder)
	kinds := map[string][]string{}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, err := os.Stat(path) // follows a link to a folder
		switch ending := extension(path); {
		case err != nil || strings.HasPrefix(entry.Name(), "."):
		case info.IsDir():
			below = append(below, path)
		case ending == ".ts" || ending == ".txt":
			kinds[ending] = append(kinds[ending], path)
		case slices.Contains(endings, ending):
			files = append(files, path)
		}
	}
	switch {
	case kinds[".ts"] != nil:
		files = kinds[".ts"]
	case files == nil:
		files = kinds[".txt"]
	}
	return below, files, err
}

// detect returns the form of the input and the files to read. With halves the second of two files is the test, if their
// names say that; else all stay in their order.
func detect(inputs []string, halves bool) (form string, sources []sample, err error) {
	if info, err := os.Stat(inputs[0]); err == nil && info.IsDir() && len(inputs) == 1 {
		below, files, err := contents(inputs[0])
		series := len(files) > 0 && extension(files[0]) == ".ts"
		if err != nil || !series && (len(below) > 0 || len(files) == 0) {
			sources, wrong := classes(below, inputs[0])
			return folders, sources, cmp.Or(err, wrong)
		}
		inputs = files
	}
	for i, input := range inputs {
		kind := long
		if extension(input) == ".ts" {
			kind = ts
		}
		if input != stdin {
			info, err := os.Stat(input)
			switch {
			case err != nil:
				return "", nil, err
			case info.IsDir():
				return "", nil, fmt.Errorf("%d files or folders are given; give one folder, or files of one kind", len(inputs))
			case !slices.Contains(endings, extension(input)):
				return "", nil, fmt.Errorf("%s is neither a .ts file, nor a .csv, nor a folder; name it after what it is: %s, "+
					"packed as .gz or not", input, strings.Join(endings, ", "))
			}
		}
		if i > 0 && kind != form {
			return "", nil, fmt.Errorf("%s and %s are a .ts file and a table; import each kind by itself", inputs[0], input)
		}
		form, sources = kind, append(sources, sample{path: input})
	}
	ends := func(i int, name string) bool {
		path := strings.ToLower(sources[i].path)
		return halves && strings.HasSuffix(path[:strings.LastIndex(path, extension(path))], name)
	}
	if len(sources) == 2 && ends(0, "test") && ends(1, "train") {
		slices.Reverse(sources)
	}
	if len(sources) == 2 && ends(0, "train") && ends(1, "test") {
		sources[1].test = true
	} else if halves && form == ts && len(sources) > 1 {
		err = fmt.Errorf("%d .ts files (%s, …) do not say by their names which is the test; give one, or "+
			"NAME_TRAIN.ts and NAME_TEST.ts", len(sources), sources[0].path)
	}
	return form, sources, err
}

// half reports that a folder is named after half of the data: train, training or test.
func half(folder, name string) bool {
	return strings.TrimSuffix(strings.ToLower(filepath.Base(folder)), "ing") == name
}

// classes lists the recordings of a folder with a folder for each class, or with the folders train and test of such.
func classes(below []string, folder string) (sources []sample, err error) {
	halves, inside := len(below) == 2, [2][]string{}
	for i := 0; i < 2 && halves; i++ {
		deeper, files, _ := contents(below[i])
		halves, inside[i] = len(deeper) > 0 && len(files) == 0 && half(below[i], []string{"test", "train"}[i]), deeper
	}
	if halves {
		train, err := classes(inside[1], below[1])
		test, wrong := classes(inside[0], below[0])
		for i := range test {
			test[i].test = true
		}
		return append(train, test...), cmp.Or(err, wrong)
	}
	part := len(below) == 2 && half(below[0], "test") && half(below[1], "train")
	if part {
		below = []string{below[1], below[0]}
	}
	for _, inside := range below {
		deeper, files, err := contents(inside)
		switch {
		case err != nil:
			return nil, err
		case len(files) == 0 && len(deeper) > 0:
			return nil, fmt.Errorf("%s holds folders, no recordings; want folders of classes, or train and test with folders "+
				"of classes in them, and nothing else", inside)
		case len(files) == 0:
			return nil, fmt.Errorf("%s holds no .csv or .npy file; put the recordings of class %q there, or remove the folder",
				inside, filepath.Base(inside))
		case extension(files[0]) == ".ts":
			return nil, fmt.Errorf("%s holds .ts files; import that folder, each problem by itself", inside)
		}
		for _, path := range files {
			sources = append(sources, sample{path: path, label: filepath.Base(inside), part: part})
		}
	}
	if len(sources) == 0 {
		err = fmt.Errorf("%s holds neither .ts files nor folders of .csv or .npy files; make a folder for each class "+
			"and put its recordings there, or give one .csv of all readings", folder)
	}
	return sources, err
}

// Name returns the default name of the file that an import writes: the folder's or file's name without _TRAIN and the
// like.
func Name(inputs []string) string {
	path, _ := filepath.Abs(inputs[0]) // "" if the working folder is gone
	name := filepath.Base(cmp.Or(path, inputs[0]))
	if ending := extension(name); slices.Contains(endings, ending) {
		name = name[:strings.LastIndex(strings.ToLower(name), ending)]
		name = strings.TrimSuffix(strings.TrimSuffix(name, "_TRAIN"), "_TEST")
	}
	return cmp.Or(strings.Trim(name, "/-"), "mine") + ".npz"
}
