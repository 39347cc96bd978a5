package npz

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/clusterpool/ccp/internal/files"
)

// Named is an array with its name in an archive.
type Named struct {
	Name  string
	Array *Array
}

// Write writes the arrays in this order to a deflated .npz archive, which numpy.load reads. The file appears complete
// or not at all.
func Write(path string, arrays []Named) error {
	return WriteArchive(path, func(w *Writer) error {
		for _, named := range arrays {
			if err := w.Array(named.Name, named.Array); err != nil {
				return err
			}
		}
		return nil
	})
}

// Writer writes the arrays of an archive one after another. Only the current array must be in memory.
type Writer struct {
	archive *zip.Writer
	seen    map[string]bool
}

// WriteArchive writes an archive whose arrays `write` adds one by one. The file appears complete or not at all.
func WriteArchive(path string, write func(*Writer) error) error {
	return files.Write(path, func(out io.Writer) error {
		w := &Writer{archive: zip.NewWriter(out), seen: map[string]bool{}}
		if err := write(w); err != nil {
			return err
		}
		return w.archive.Close()
	})
}

// Array adds an array. Errors name the array.
func (w *Writer) Array(name string, a *Array) error {
	return w.member(name, func(member io.Writer) error { return WriteNPY(member, a) })
}

// Rows adds a float32 array row by row. `read` fills the slice with row i, which has as many values as the dimensions
// after the first have together. An error of read ends the archive.
func (w *Writer) Rows(name string, shape []int, read func(i int, row []float32) error) error {
	return w.member(name, func(member io.Writer) error {
		h := header{shape: shape, size: 4}
		if err := h.setCount(); err != nil {
			return err
		}
		buffered := bufio.NewWriterSize(member, 1<<16)
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
	})
}

func (w *Writer) member(name string, write func(io.Writer) error) error {
	if name == "" || w.seen[name] {
		return fmt.Errorf("array name %q is empty or used twice", name)
	}
	w.seen[name] = true
	member, err := w.archive.Create(name + ".npy")
	if err != nil {
		return err
	}
	if err := write(member); err != nil {
		return fmt.Errorf("array %q: %w", name, err)
	}
	return nil
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
	for _, text := range texts {
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

// dtype returns numpy's kind and size of the elements, "" for types without a fixed size, such as strings.
func (a *Array) dtype() string {
	slice := reflect.TypeOf(a.Data)
	if slice == nil || slice.Kind() != reflect.Slice {
		return ""
	}
	element := slice.Elem()
	name := fmt.Sprintf("%c%d", element.String()[0], element.Size()) // int16: i2
	if types[name] != element {
		return ""
	}
	return name
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
