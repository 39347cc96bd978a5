package recordings

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

// format is a kind of files. It has either lines or samples.
type format struct {
	ending string
	rank   int  // of a folder's files those of the highest rank are read
	whole  bool // a file is a data set with its classes, or its half to train or to test on
	sheets bool // a file may hold several tables
	// lines calls each with the lines of a table, of which the first names the columns. Cells have no blanks around them,
	// and are valid until the next line is read. Errors name the file and the line.
	lines func(j *job, path string, each eachLine) error
	// samples reads a file that names no columns.
	samples func(j *job, from source, h hints) (content, error)
}

type eachLine func(in *input, line int, cells []string) error

// content is what a file that names no columns holds.
type content struct {
	as      string // what it was taken for
	columns columns
	samples []*sample
	classes []string // in the order in which the file declares them; nil if it does not
	second  float64  // in the unit of the times; 0 if that is unknown
}

// formats are all kinds of files. Standard input is read as the first of them.
var formats = []format{
	{ending: ".csv", rank: 1, lines: readText},
	{ending: ".tsv", rank: 1, lines: readText},
	{ending: ".parquet", rank: 1, lines: readParquet},
	{ending: ".xlsx", rank: 1, sheets: true, lines: readWorkbook},
	{ending: ".npy", rank: 1, samples: readArray},
	{ending: ".arff", rank: 2, whole: true, lines: readARFF},
	{ending: ".ts", rank: 3, whole: true, samples: readTS},
	{ending: ".txt", lines: readText},
}

// formatOf returns the format of a file, nil if no format has its ending.
func formatOf(path string) *format {
	ending := extension(path)
	for i, f := range formats {
		if f.ending == ending || path == stdin {
			return &formats[i]
		}
	}
	return nil
}

// stdin is the name of standard input.
const stdin = "-"

// extension returns the ending of a name, in small letters. It ignores .gz.
func extension(name string) string {
	return filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
}

// stem returns a name without its ending.
func stem(name string) string {
	return name[:strings.LastIndex(strings.ToLower(name), extension(name))]
}

// source is a file to read, and what its folder or its name says.
type source struct {
	path, label string
	test        string   // what says that it is to test on: "the folders" or "the files"; "" to train on
	part        bool     // its folder is named train or test, and may be no class
	note        string   // what a person should know of the choice of the file; "" for nothing
	aside       []string // of the first source: files and folders beside the recordings that are not read
}

// Forms of input, beside the formats that hold a whole data set.
const (
	folders = "folders" // a folder with a folder of recordings for each class
	long    = "long"    // tables, or recordings without classes
)

// otherPacks matches the endings of files that are packed in a way that is not read.
var otherPacks = regexp.MustCompile(`(?i)\.(bz2|xz|zst|zip|7z|lz4|lzma|z)$`)

// contents returns the folders and the files to read in a folder, and the other files in it. It skips names that begin
// with a dot.
func contents(folder string) (below, files, others []string, err error) {
	entries, err := os.ReadDir(folder)
	rank := 0
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		info, lost := os.Stat(path) // follows a link to a folder
		switch f := formatOf(path); {
		case strings.HasPrefix(entry.Name(), "."):
		case lost != nil && entry.Type()&os.ModeSymlink != 0:
			return nil, nil, nil, fmt.Errorf("%s is a link to nothing: fetch the file it stands for, "+
				"as by git annex get or dvc pull, or remove the link", path)
		case lost != nil:
			err = cmp.Or(err, lost)
		case f == nil && otherPacks.MatchString(path) && formatOf(stem(path)) != nil:
			return nil, nil, nil, fmt.Errorf("%s is packed, but not as .gz; unpack it, or pack it as .gz", path)
		case info.IsDir():
			below = append(below, path)
		case f == nil || f.rank < rank:
			others = append(others, path)
		case f.rank > rank:
			others = append(others, files...)
			files, rank = []string{path}, f.rank
		default:
			files = append(files, path)
		}
	}
	return below, files, others, err
}

// noteAside tells of files and folders that stand beside recordings and are not read, but for those that options name.
func (j *job) noteAside(sources []source, named ...string) {
	if len(sources) == 0 {
		return
	}
	if sources[0].note != "" {
		j.note("%s", sources[0].note)
	}
	aside := slices.DeleteFunc(sources[0].aside, func(path string) bool {
		return slices.ContainsFunc(named, func(other string) bool {
			return filepath.Base(other) == filepath.Base(path)
		})
	})
	if len(aside) > 0 {
		j.note("left out, as no recordings of the folder's kind: %s, such as %s", text.Count(len(aside), "file or folder"),
			aside[0])
	}
}

// sourcesOf returns the form of the input and the files to read. With halves the second of two files is the test, if
// their names say that; else all stay in their order.
func sourcesOf(inputs []string, halves bool) (form string, all []source, err error) {
	info, err := os.Stat(inputs[0])
	if err == nil && info.IsDir() && len(inputs) == 1 {
		return sourcesIn(inputs[0], halves)
	}
	return sourcesFrom(inputs, halves)
}

// sourcesIn is sourcesOf for a folder: of recordings, of data sets, or of a folder for each class. The first of the
// files has what stands beside them.
func sourcesIn(folder string, halves bool) (form string, all []source, err error) {
	below, files, others, err := contents(folder)
	whole := len(files) > 0 && formatOf(files[0]).whole
	if err != nil || !whole && (len(below) > 0 || len(files) == 0) {
		all, beside, wrong := classes(below, folder)
		err = cmp.Or(err, wrong)
		if err == nil {
			all[0].aside = slices.Concat(files, others, beside)
		}
		return folders, all, err
	}
	note := ""
	if whole {
		others = nil // a data set may come with any other files
	}
	if whole && halves {
		files, note = problemOf(folder, files)
	}
	form, all, err = sourcesFrom(files, halves)
	if err == nil {
		all[0].note, all[0].aside = note, others
	}
	return form, all, err
}

// sourcesFrom is sourcesOf for files.
func sourcesFrom(files []string, halves bool) (form string, all []source, err error) {
	form, all, err = listed(files)
	if err == nil && halves {
		err = divided(form, all)
	}
	return form, all, err
}

// problemOf returns the files of the problem that a folder is named after, if it holds those of others, too, and a
// note of these. aeon ships NAME_eq_TRAIN.ts beside NAME_TRAIN.ts, and the UEA archive a file for each dimension.
func problemOf(folder string, files []string) (taken []string, note string) {
	path, _ := filepath.Abs(folder)
	var others []string
	for _, file := range files {
		name := filepath.Base(stem(file))
		if strings.EqualFold(name, filepath.Base(path)+"_TRAIN") || strings.EqualFold(name, filepath.Base(path)+"_TEST") {
			taken = append(taken, file)
		} else {
			others = append(others, filepath.Base(file))
		}
	}
	if taken == nil || others == nil {
		return files, ""
	}
	slices.Reverse(taken) // TRAIN before TEST
	names := xslices.Map(taken, filepath.Base)
	return taken, fmt.Sprintf("of the folder %s are read; %s beside it left out", strings.Join(names, " and "+
		""), few(others))
}

// listed returns the form of files, and each as a source.
func listed(inputs []string) (form string, all []source, err error) {
	for i, input := range inputs {
		info, err := os.Stat(input)
		f, kind := formatOf(input), long
		switch {
		case input == stdin:
		case err != nil:
			return "", nil, err
		case info.IsDir():
			return "", nil, fmt.Errorf("%d files or folders are given; give one folder, or files of one kind", len(inputs))
		case f == nil:
			endings := xslices.Map(formats, func(f format) string { return f.ending })
			return "", nil, fmt.Errorf("%s is neither a .ts file, nor a .csv, nor a folder; name it after what it is: %s, "+
				"packed as .gz or not", input, strings.Join(endings, ", "))
		case f.whole && f.lines == nil:
			kind = f.ending[1:]
		}
		if i > 0 && kind != form {
			return "", nil, fmt.Errorf("%s and %s are a .%s file and a table; import each kind by itself", inputs[0], input,
				strings.Replace(form, long, kind, 1))
		}
		form, all = kind, append(all, source{path: input})
	}
	return form, all, nil
}

// divided marks the second of two files as the test, if their names say that. Data sets that are more files are
// refused: which is the test would be a guess.
func divided(form string, all []source) error {
	ends := func(i int, name string) bool { return strings.HasSuffix(strings.ToLower(stem(all[i].path)), name) }
	f := formatOf(all[0].path)
	switch {
	case len(all) == 2 && (ends(0, "test") && ends(1, "train") || ends(0, "train") && ends(1, "test")):
		if ends(0, "test") {
			slices.Reverse(all)
		}
		all[1].test = "the files"
	case (form != long || f.whole) && len(all) > 1:
		return fmt.Errorf("%d %s files (%s, …) do not say by their names which is the test; give one, or "+
			"NAME_TRAIN%[2]s and NAME_TEST%[2]s", len(all), f.ending, all[0].path)
	}
	return nil
}

// half reports that a folder is named after half of the data: train, training or test.
func half(folder, name string) bool {
	return strings.TrimSuffix(strings.ToLower(filepath.Base(folder)), "ing") == name
}

// classes lists the recordings of a folder with a folder for each class, or with the folders train and test of such,
// and what stands beside the recordings.
func classes(below []string, folder string) (all []source, beside []string, err error) {
	part := len(below) == 2 && half(below[0], "test") && half(below[1], "train")
	if part {
		slices.Reverse(below)
		train, files, aside, _ := contents(below[0])
		test, more, asideOfTests, _ := contents(below[1])
		if len(train) > 0 && len(test) > 0 && len(files)+len(more) == 0 {
			all, beside, err = classes(train, below[0])
			tests, besideTests, wrong := classes(test, below[1])
			for i := range tests {
				tests[i].test = "the folders"
			}
			return append(all, tests...), slices.Concat(aside, asideOfTests, beside, besideTests), cmp.Or(err, wrong)
		}
	}
	for _, inside := range below {
		deeper, files, others, err := contents(inside)
		class, column := partOf(inside)
		switch {
		case column != "" && column != "label":
			return nil, nil, fmt.Errorf("%s is a part of a table by its column %s, not a class: write the table as one file, "+
				"as by DuckDB's COPY (FROM read_parquet('%s/**/*.parquet', hive_partitioning = true)) TO 'whole.parquet'",
				inside, column, folder)
		case err != nil:
			return nil, nil, err
		case len(files) == 0 && len(deeper) > 0:
			return nil, nil, fmt.Errorf("%s holds folders, no recordings; want folders of classes, or train and test with "+
				"folders of classes in them, and nothing else", inside)
		case len(files) == 0:
			return nil, nil, fmt.Errorf("%s holds no .csv or .npy file; put the recordings of class %q there, "+
				"or remove the folder", inside, class)
		case formatOf(files[0]).whole:
			return nil, nil, fmt.Errorf("%s holds %s files; import that folder, each problem by itself", inside,
				extension(files[0]))
		}
		beside = slices.Concat(beside, others, deeper)
		for _, path := range files {
			all = append(all, source{path: path, label: class, part: part})
		}
	}
	if len(all) == 0 {
		err = fmt.Errorf("%s holds neither .ts files nor folders of .csv or .npy files; make a folder for each class "+
			"and put its recordings there, or give one .csv of all readings", folder)
	}
	return all, beside, err
}

// partOf returns the class that a folder is named after. Spark, Arrow and DuckDB part a table by the values of a
// column, and name the folders of the parts label=walk, with marks such as %20 in them; then there is a column.
func partOf(folder string) (class, column string) {
	class = filepath.Base(folder)
	column, value, ok := strings.Cut(class, "=")
	if !ok {
		return class, ""
	}
	if plain, err := url.PathUnescape(value); err == nil {
		value = plain
	}
	return value, column
}

// Name returns the default name of the file that an import writes: the folder's or file's name without _TRAIN and the
// like.
func Name(inputs []string) string {
	path, _ := filepath.Abs(inputs[0]) // "" if the working folder is gone
	name := filepath.Base(cmp.Or(path, inputs[0]))
	if formatOf(name) != nil {
		name = strings.TrimSuffix(strings.TrimSuffix(stem(name), "_TRAIN"), "_TEST")
	}
	return cmp.Or(strings.Trim(name, "/-"), "mine") + ".npz"
}
