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
// with a dot. Of files of several formats those of the highest rank are read.
func contents(folder string) (below, files, others []string, err error) {
	entries, err := os.ReadDir(folder)
	rank := 0
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		info, lost := os.Stat(path) // follows a link to a folder
		isLink := entry.Type()&os.ModeSymlink != 0
		f := formatOf(path)
		switch {
		case lost != nil && isLink:
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
// and what stands beside the recordings. below are the folders in it.
func classes(below []string, folder string) (all []source, beside []string, err error) {
	isParted := len(below) == 2 && half(below[0], "test") && half(below[1], "train")
	if isParted {
		slices.Reverse(below) // train before test
		train, files, aside, _ := contents(below[0])
		test, filesOfTests, asideOfTests, _ := contents(below[1])
		if len(train) > 0 && len(test) > 0 && len(files)+len(filesOfTests) == 0 {
			all, beside, err = trainAndTest(train, test, below)
			return all, slices.Concat(aside, asideOfTests, beside), err
		}
	}
	for _, inside := range below {
		deeper, files, others, err := contents(inside)
		if err != nil {
			return nil, nil, err
		}
		if len(files) == 0 {
			err = checkRecorders(folder, others...)
			if err != nil {
				return nil, nil, err
			}
		}
		class, column := partOf(inside)
		err = checkClass(inside, column, folder, files, deeper)
		if err != nil {
			return nil, nil, err
		}
		beside = slices.Concat(beside, others, deeper)
		for _, path := range files {
			all = append(all, source{path: path, label: class, part: isParted})
		}
	}
	if len(all) == 0 {
		err = checkRecorders(folder, beside...)
		if err != nil {
			return nil, nil, err
		}
		err = fmt.Errorf("%s holds neither .ts files nor folders of .csv or .npy files; make a folder for each class "+
			"and put its recordings there, or give one .csv of all readings", folder)
	}
	return all, beside, err
}

// trainAndTest lists the recordings of the folders train and test, in this order, each with folders of classes.
func trainAndTest(train, test, folders []string) (all []source, beside []string, err error) {
	all, beside, err = classes(train, folders[0])
	tests, besideTests, wrong := classes(test, folders[1])
	for i := range tests {
		tests[i].test = "the folders"
	}
	return append(all, tests...), append(beside, besideTests...), cmp.Or(err, wrong)
}

// checkClass returns an error if a folder inside another one does not hold the recordings of a class. column is that of
// a parted table, if the folder is named so; files and deeper are what it holds.
func checkClass(inside, column, folder string, files, deeper []string) error {
	switch {
	case column != "" && column != "label":
		return fmt.Errorf("%s is a part of a table by its column %s, not a class: write the table as one file, "+
			"as by DuckDB's COPY (FROM read_parquet('%s/**/*.parquet', hive_partitioning = true)) TO 'whole.parquet'",
			inside, column, folder)
	case len(files) == 0 && len(deeper) > 0:
		return fmt.Errorf("%s holds folders, no recordings; want folders of classes, or train and test with "+
			"folders of classes in them, and nothing else", inside)
	case len(files) == 0:
		class, _ := partOf(inside)
		return fmt.Errorf("%s holds no .csv or .npy file; put the recordings of class %q there, or remove the folder",
			inside, class)
	case formatOf(files[0]).whole:
		return fmt.Errorf("%s holds %s files; import that folder, each problem by itself", inside, extension(files[0]))
	}
	return nil
}

// partOf returns the class that a folder is named after. Spark, Arrow and DuckDB part a table by the values of a
// column, and name the folders of the parts label=walk, with marks such as %20 in them; then there is a column.
func partOf(folder string) (class, column string) {
	class = filepath.Base(folder)
	column, value, ok := strings.Cut(class, "=")
	if !ok {
		return class, ""
	}
	plain, err := url.PathUnescape(value)
	if err != nil { // it has a % that is no such mark
		return value, column
	}
	return plain, column
}
