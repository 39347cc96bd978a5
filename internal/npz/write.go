package npz

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Named is an array with its name in an archive.
type Named struct {
	Name  string
	Array *Array
}

// Write writes the arrays, in this order, as a deflated .npz archive that numpy.load reads. The file appears whole or
// not at all.
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

// WriteNPY writes an array in .npy format, little endian, C order. Strings are written as dtype U. It is an error if
// Data is of none of Array's types or does not have as many elements as Shape says.
func WriteNPY(w io.Writer, a *Array) error {
	h := header{shape: a.Shape, size: 1}
	for _, dim := range a.Shape {
		if dim < 0 {
			return fmt.Errorf("shape %v has a negative dimension", a.Shape)
		}
	}
	if err := h.setCount(); err != nil {
		return err
	}
	descr, err := descriptor(a.Data)
	if err != nil {
		return err
	}
	if a.Len() != h.count {
		return fmt.Errorf("shape %v needs %d elements, but there are %d", a.Shape, h.count, a.Len())
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	buffered.WriteString(headerText(descr, a.Shape))
	if texts, ok := a.Data.([]string); ok {
		writeUCS4(buffered, texts)
	} else if err := binary.Write(buffered, binary.LittleEndian, a.Data); err != nil {
		return err
	}
	return buffered.Flush() // Also reports an earlier error.
}

// headerText is the version 1 header; its length is a multiple of 64, as numpy writes it.
func headerText(descr string, shape []int) string {
	var dims strings.Builder
	for _, dim := range shape {
		fmt.Fprintf(&dims, "%d, ", dim)
	}
	tuple := strings.TrimSuffix(dims.String(), " ")
	if len(shape) > 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	const lead = len(magic) + 4
	text += strings.Repeat(" ", 63-(lead+len(text))%64) + "\n"
	return magic + "\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text
}

// descriptor is numpy's dtype string for a slice.
func descriptor(data any) (string, error) {
	if texts, ok := data.([]string); ok {
		return fmt.Sprintf("<U%d", longest(texts)), nil
	}
	dtype, ok := dtypes[fmt.Sprintf("%T", data)]
	switch {
	case !ok:
		return "", fmt.Errorf("cannot write elements of type %T", data)
	case strings.HasSuffix(dtype, "1"):
		return "|" + dtype, nil // one byte has no order
	}
	return "<" + dtype, nil
}

// longest is the number of characters of the longest text, at least 1 as numpy has it.
func longest(texts []string) int {
	width := 1
	for _, text := range texts {
		width = max(width, utf8.RuneCountInString(text))
	}
	return width
}

// writeUCS4 writes each text as code points of 4 bytes, padded with zeros to the longest.
func writeUCS4(w *bufio.Writer, texts []string) {
	width := longest(texts)
	var point [4]byte
	for _, text := range texts {
		written := 0
		for _, r := range text {
			binary.LittleEndian.PutUint32(point[:], uint32(r))
			w.Write(point[:])
			written++
		}
		clear(point[:])
		for ; written < width; written++ {
			w.Write(point[:])
		}
	}
}
