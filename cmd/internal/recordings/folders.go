package recordings

// This file looks into folders: for recordings in a folder for each class, and for what stands beside them.

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
