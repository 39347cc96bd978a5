package recordings

// This file lists the formats of files that are read. Another format is an entry of formats, and a file of its own with
// the function that reads it.

import (
	"path/filepath"
	"strings"
)

// format is a kind of files. It has either lines or samples.
type format struct {
	ending string
	rank   int  // of a folder's files those of the highest rank are read
	whole  bool // a file is a data set with its classes, or its half to train or to test on
	sheets bool // a file may hold several tables
	lists  bool // a cell may hold a list, also of lists
	// unnamed says that the columns of a file have places and no names. Then another number of them than in the files
	// before means that the axes of an array are in another order.
	unnamed bool
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
	{ending: ".parquet", rank: 1, lists: true, lines: readParquet},
	{ending: ".xlsx", rank: 1, sheets: true, lines: readWorkbook},
	{ending: ".npy", rank: 1, unnamed: true, samples: readArray},
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
