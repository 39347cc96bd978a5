package npz

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/clusterpool/ccp/internal/files"
)

// Named is an array with its name in an archive. If Rows is set, the array is of float32 and has a shape only. Rows
// fills row i, which has as many values as the dimensions after the first have together. So the array need not be in
// memory.
type Named struct {
	Name  string
	Array *Array
	Rows  func(i int, row []float32) error
}

// Write writes the arrays in this order to a deflated .npz archive, which numpy.load reads. The file appears complete
// or not at all. Errors name the array; an error of Rows ends the archive.
func Write(path string, arrays []Named) error {
	return files.Write(path, func(out io.Writer) error {
		archive, seen := zip.NewWriter(out), map[string]bool{}
		for _, a := range arrays {
			if a.Name == "" || seen[a.Name] {
				return fmt.Errorf("array name %q is empty or used twice", a.Name)
			}
			seen[a.Name] = true
			member, err := archive.Create(a.Name + ".npy")
			switch {
			case err != nil:
				return err
			case a.Rows != nil:
				err = writeRows(member, a.Array.Shape, a.Rows)
			default:
				err = WriteNPY(member, a.Array)
			}
			if err != nil {
				return fmt.Errorf("array %q: %w", a.Name, err)
			}
		}
		return archive.Close()
	})
}

// writeRows writes an .npy file of float32, row by row, so that no more than a row is in memory.
func writeRows(w io.Writer, shape []int, read func(i int, row []float32) error) error {
	h := header{shape: shape, size: 4}
	if err := h.setCount(); err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	buffered.WriteString(headerText("<f4", shape))
	row := make([]float32, h.count/max(shape[0], 1))
	for i := range shape[0] {
		if err := read(i, row); err != nil {
			return err
		}
		if err := binary.Write(buffered, binary.LittleEndian, row); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// WriteNPY writes an array in .npy format, little endian, C order, strings as dtype U. It returns an error if Data
// has none of Array's types, or not as many elements as Shape says.
func WriteNPY(w io.Writer, a *Array) error {
	h := header{shape: a.Shape, size: 1}
	if err := h.setCount(); err != nil {
		return err
	}
	texts, isText := a.Data.([]string)
	width := 1 // characters of the longest text, at least 1 as numpy has it
	for i, text := range texts {
		if !utf8.ValidString(text) { // U+FFFD in its place would be refused on reading
			return fmt.Errorf("element %d: %q is not UTF-8; write it in UTF-8", i, text)
		}
		width = max(width, utf8.RuneCountInString(text))
	}
	descr := "<" + a.dtype()
	switch {
	case isText:
		descr = fmt.Sprintf("<U%d", width)
	case descr == "<":
		return fmt.Errorf("cannot write elements of type %T", a.Data)
	case descr[2] == '1':
		descr = "|" + a.dtype() // one byte has no order
	}
	if a.Len() != h.count {
		return fmt.Errorf("shape %v needs %d elements, but there are %d", a.Shape, h.count, a.Len())
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	buffered.WriteString(headerText(descr, a.Shape))
	if !isText {
		if err := binary.Write(buffered, binary.LittleEndian, a.Data); err != nil {
			return err
		}
	}
	points := make([]rune, width)
	for _, text := range texts {
		clear(points[copy(points, []rune(text)):])
		if err := binary.Write(buffered, binary.LittleEndian, points); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// headerText returns the header, of version 1. Its length is a multiple of 64, as in numpy.
func headerText(descr string, shape []int) string {
	dims := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), ", "), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	const lead = len(magic) + 4
	text += strings.Repeat(" ", 63-(lead+len(text))%64) + "\n"
	return magic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}
