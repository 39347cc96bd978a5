package recordings

// This file holds a file that is being read, and how it is written; and unpacks what gzip has packed.

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
)

// begun is the length of a file's beginning that shows its dialect.
const begun = 1 << 16

// input is a file that is being read, and how it is written.
type input struct {
	*bufio.Reader // of text; nil for a file of another kind
	path          string
	size          int64 // of the file; 0 if unknown
	packed        bool
	encoding      string         // "" for UTF-8
	markers       map[string]int // what stands for missing values, of all files
	exact         []bool         // the columns whose numbers are no text, but a program's
	allExact      bool           // all columns are such
	lineShape
	lastNumber
	numberMarks
	declaredClasses
	workbookMarks
	parquetMarks
}

// lineShape says how a file of text parts its lines.
type lineShape struct {
	separator    rune
	usual        int  // the number of cells that most lines of the file's beginning have; 0 if unknown
	secondQuoted bool // the second line begins with a quotation mark
	hasRowNames  bool // of R's own table: the first column names the rows, and the headings have no cell for it
}

// lastNumber says how the last number that was read is written.
type lastNumber struct {
	mark    mark   // the mark in it
	open    mark   // the same, if it may be before decimals or between thousands
	plain   string // as Go writes it
	reliant bool   // it has a decimal comma, where commas separate the cells
}

// numberMarks says how the numbers of the file are written so far.
type numberMarks struct {
	dialect    *dialect // of all files, or of this one
	pointed    bool     // a number has a point
	commaed    bool     // a number has a comma
	tellsComma bool     // a number has a comma that can only be before decimals
	bare       numeral  // see dialect
}

// declaredClasses is what the file itself says of its classes, as .arff files do.
type declaredClasses struct {
	class   string   // their column; "" where the file does not say
	classes []string // in the order in which it declares them; nil if it does not
}

// workbookMarks is what a workbook says of its formulas.
type workbookMarks struct {
	unresolved []int             // the columns of the line whose formulas have no result
	formulas   map[int]*formulas // of its columns
	doubtful   bool              // nobody may have calculated them
}

// parquetMarks is what a Parquet file says of its columns.
type parquetMarks struct {
	lists   []lists      // columns of lists in each other
	seconds map[int]bool // columns whose cells are durations in seconds
}

// as says how the file is written: before what is said of its numbers, and after it.
func (in *input) as() (before, after string) {
	if in.packed {
		after = ", gzip"
	}
	if in.encoding != "" {
		after += ", " + in.encoding
	}
	return separators[in.separator], after
}

// unpack opens a file that gzip may have packed.
func (j *job) unpack(file *os.File, path string) (*input, error) {
	in := &input{path: path, markers: j.markers}
	info, err := file.Stat()
	if err == nil { // else its size is unknown, which only matters for the progress that is told
		in.size = info.Size()
	}
	if j.buffer == nil {
		j.buffer = bufio.NewReaderSize(nil, begun)
	}
	in.Reader = j.buffer
	in.Reset(file)
	mark, _ := in.Peek(2)
	if string(mark) != "\x1f\x8b" {
		return in, nil
	}
	unpacked, err := gzip.NewReader(in.Reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; the packed file is damaged: pack it again", path, err)
	}
	in.packed, in.Reader = true, bufio.NewReaderSize(unpacked, begun)
	return in, nil
}
