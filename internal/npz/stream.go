package npz

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/clusterpool/ccp/internal/files"
)

// Writer writes the arrays of an archive one after another, so that none but the one at hand need be in memory.
type Writer struct {
	archive *zip.Writer
	seen    map[string]bool
}

// WriteArchive is Write for arrays that `write` makes as it goes. The file appears whole or not at all.
func WriteArchive(path string, write func(*Writer) error) error {
	return files.Write(path, func(out io.Writer) error {
		w := &Writer{archive: zip.NewWriter(out), seen: map[string]bool{}}
		if err := write(w); err != nil {
			return err
		}
		return w.archive.Close()
	})
}

// Array adds an array. Its errors name it.
func (w *Writer) Array(name string, a *Array) error {
	return w.member(name, func(member io.Writer) error { return WriteNPY(member, a) })
}

// Rows adds a float32 array row by row: row i, of as many values as the dimensions after the first have in all, is what
// `read` puts into the slice it is given. An error of read ends the archive.
func (w *Writer) Rows(name string, shape []int, read func(i int, row []float32) error) error {
	return w.member(name, func(member io.Writer) error {
		h := header{shape: shape, size: 4}
		if err := h.setCount(); err != nil {
			return err
		}
		buffered := bufio.NewWriterSize(member, 1<<16)
		buffered.WriteString(headerText("<f4", shape))
		row := make([]float32, h.count/max(shape[0], 1))
		raw := make([]byte, 0, 4*len(row))
		for i := range shape[0] {
			if err := read(i, row); err != nil {
				return err
			}
			raw = raw[:0]
			for _, v := range row {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
			}
			if _, err := buffered.Write(raw); err != nil {
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
