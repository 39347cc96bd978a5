package recordings

// This file splits a stream into lines of UTF-8 as they come.

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decodedLines returns what reads a stream in UTF-16 or UTF-32 as UTF-8, and another one as it is.
func decodedLines(from io.Reader) io.Reader {
	const some = 4096 // enough to tell, and little for each of many streams
	in := bufio.NewReaderSize(from, some)
	_, _ = in.Peek(4) // blocks until so much has come, and an error comes again
	begin, _ := in.Peek(in.Buffered())
	_, wide := wideOf(begin)
	if wide == nil {
		return in
	}
	return wide.NewDecoder().Reader(in)
}

// inUTF8 returns a line in UTF-8: one that is not is taken for Windows-1252, as that of a file is.
func inUTF8(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(line)
	if err != nil {
		return line
	}
	return text
}

// wholeLines splits what it reads into lines. Where reading fails, what comes last may be half a line, and is left out.
type wholeLines struct {
	from    io.Reader
	failed  bool
	unended bool // the last line has come, and no end of it
}

// Read notes that reading failed.
func (w *wholeLines) Read(p []byte) (n int, err error) {
	n, err = w.from.Read(p)
	w.failed = err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// split is a bufio.SplitFunc.
func (w *wholeLines) split(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if w.failed && bytes.IndexByte(data, '\n') < 0 {
		return len(data), nil, nil
	}
	w.unended = atEnd && bytes.IndexByte(data, '\n') < 0
	return bufio.ScanLines(data, atEnd)
}

// errJoined says why a stream has no row although much has come.
var errJoined = errors.New("the stream is a single line, as if its lines had lost their ends: curl -d leaves these " +
	"out, and --data-binary @FILE sends them")

// areJoined reports that a line seems to be several ones behind each other: objects of JSON, or many times the cells
// that a time point of so many values has.
func areJoined(line []byte, values int) bool {
	const (
		beside = 4 // columns that are no values, such as times and classes
		times  = 3
	)
	cells := 0
	for _, separator := range []string{",", ";", "\t"} {
		cells = max(cells, bytes.Count(line, []byte(separator)))
	}
	if bytes.HasPrefix(line, []byte("{")) {
		return bytes.Contains(line, []byte("}{"))
	}
	return cells >= times*(values+beside)
}
