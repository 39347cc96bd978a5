package recordings

// This file finds the files to read in what a person gives: one folder, or files; and says which are to test on.

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

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
		if len(below)+len(files) == 0 {
			err = cmp.Or(err, checkRecorders(folder, others...))
		}
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
		name, problem := filepath.Base(stem(file)), filepath.Base(path)
		if strings.EqualFold(name, problem+"_TRAIN") || strings.EqualFold(name, problem+"_TEST") {
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
	return taken, fmt.Sprintf("of the folder %s are read; %s beside it left out", strings.Join(names, " and "),
		few(others))
}

// listed returns the form that all files have, and each file as a source. It is an error if one is no file of a known
// format, or if tables and .ts files are mixed.
func listed(inputs []string) (form string, all []source, err error) {
	for i, input := range inputs {
		if input != stdin {
			err := checkIsFile(input, len(inputs))
			if err != nil {
				return "", nil, err
			}
		}
		own := formOfFile(input)
		if i > 0 && own != form {
			dataSet := form // the one of the two forms that is no table
			if form == long {
				dataSet = own
			}
			return "", nil, fmt.Errorf("%s and %s are a .%s file and a table; import each kind by itself", inputs[0], input,
				dataSet)
		}
		form, all = own, append(all, source{path: input})
	}
	return form, all, nil
}

// checkIsFile returns an error if one of so many inputs is a folder, not there, or of no format that is read.
func checkIsFile(input string, inputs int) error {
	info, err := os.Stat(input)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%d files or folders are given; give one folder, or files of one kind", inputs)
	case formatOf(input) == nil:
		if err := checkRecorders(input, input); err != nil {
			return err
		}
		if extension(input) == ".npz" {
			return &dataSetError{input}
		}
		endings := xslices.Map(formats, func(f format) string { return f.ending })
		return fmt.Errorf("%s is neither a .ts file, nor a .csv, nor a folder; name it after what it is: %s, "+
			"packed as .gz or not", input, strings.Join(endings, ", "))
	}
	return nil
}

// dataSetError says that a file is a data set already.
type dataSetError struct{ file string }

func (e *dataSetError) Error() string {
	return e.file + " is a data set already: ccp train and ccp eval take it as it is, and ccp predict if it is the only " +
		"file"
}

// formOfFile returns the form of a file of a known format: that of a whole data set is called after its ending, ts.
// All other files, .npy among them, are read side by side.
func formOfFile(path string) string {
	f := formatOf(path)
	if f.whole && f.lines == nil {
		return f.ending[1:]
	}
	return long
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
