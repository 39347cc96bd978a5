package npz

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/gomlx/compute/dtypes/float16"
)

// ReadNPYFile reads the one array of a .npy file.
func ReadNPYFile(path string) (*Array, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	a, err := ReadNPY(bufio.NewReader(file), info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return a, nil
}

// ReadNPY reads an array in .npy format from r, which holds exactly size bytes. It is an error if the header's shape
// does not fit size; this is found out before memory for the array is asked for.
func ReadNPY(r io.Reader, size int64) (*Array, error) {
	h, taken, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	need := int64(h.count) * int64(h.size)
	if left := size - taken; need != left {
		return nil, fmt.Errorf("shape %v of %d-byte elements needs %d bytes, but the array has %d; the file is cut off or damaged",
			h.shape, h.size, need, left)
	}
	data, err := readElements(r, h)
	if err != nil {
		return nil, err
	}
	return &Array{Shape: h.shape, Data: data}, nil
}

// readers read elements of a fixed size, by dtype.
var readers = map[string]func(io.Reader, header, binary.ByteOrder) (any, error){
	"b1": fixed[bool], "i1": fixed[int8], "i2": fixed[int16], "i4": fixed[int32], "i8": fixed[int64], "u1": readBytes, "u2": fixed[uint16],
	"u4": fixed[uint32], "u8": fixed[uint64], "f4": fixed[float32], "f8": fixed[float64],
}

// readElements reads the elements that follow header h, in C order.
func readElements(r io.Reader, h header) (any, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if h.big {
		order = binary.BigEndian
	}
	dtype := fmt.Sprintf("%c%d", h.kind, h.size)
	if reader, ok := readers[dtype]; ok {
		return reader(r, h, order)
	}
	switch {
	case dtype == "f2":
		return read(r, h, each(h, func(b []byte) (float32, error) { return float16.Float16(order.Uint16(b)).Float32(), nil }))
	case h.kind == 'S':
		return read(r, h, each(h, func(b []byte) (string, error) { return strings.TrimRight(string(b), "\x00"), nil }))
	}
	return read(r, h, each(h, func(b []byte) (string, error) { return fromUCS4(b, order) }))
}

// fixed reads what encoding/binary knows.
func fixed[T any](r io.Reader, h header, order binary.ByteOrder) (any, error) {
	return read(r, h, func(part []T, raw []byte) (int, error) { return binary.Decode(raw, order, part) })
}

// each decodes one element after another. With an error comes the place of its element.
func each[T any](h header, decode func([]byte) (T, error)) func(part []T, raw []byte) (int, error) {
	return func(part []T, raw []byte) (at int, err error) {
		for at = range part {
			if part[at], err = decode(raw[at*h.size : (at+1)*h.size]); err != nil {
				return at, err
			}
		}
		return 0, nil
	}
}

// read decodes h.count elements, a chunk at a time, and brings them into C order.
func read[T any](r io.Reader, h header, decode func(part []T, raw []byte) (at int, err error)) ([]T, error) {
	const chunk = 1 << 18
	out := make([]T, h.count)
	if h.count == 0 {
		return out, nil
	}
	perChunk := min(max(chunk/h.size, 1), h.count)
	buffer := make([]byte, perChunk*h.size)
	for start := 0; start < len(out); start += perChunk {
		part := out[start:min(start+perChunk, len(out))]
		raw := buffer[:len(part)*h.size]
		if err := fill(r, raw); err != nil {
			return nil, err
		}
		if at, err := decode(part, raw); err != nil {
			return nil, fmt.Errorf("element %d: %w", start+at, err)
		}
	}
	return rowMajor(out, h), nil
}

// readBytes is read for uint8, the type of large image sets, without a copy.
func readBytes(r io.Reader, h header, _ binary.ByteOrder) (any, error) {
	out := make([]uint8, h.count)
	if err := fill(r, out); err != nil {
		return nil, err
	}
	return rowMajor(out, h), nil
}

// fill reads exactly the whole buffer.
func fill(r io.Reader, buffer []byte) error {
	_, err := io.ReadFull(r, buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the elements are cut off; the file is damaged")
	}
	return err
}

// rowMajor turns elements in Fortran order (first index fastest) into C order (last index fastest).
func rowMajor[T any](in []T, h header) []T {
	if !h.fortran || len(h.shape) < 2 || len(in) < 2 {
		return in
	}
	strides := make([]int, len(h.shape)) // In the Fortran-ordered input.
	stride := 1
	for d, dim := range h.shape {
		strides[d] = stride
		stride *= dim
	}
	out := make([]T, len(in))
	index := make([]int, len(h.shape))
	from := 0
	for to := range out {
		out[to] = in[from]
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			from += strides[d]
			if index[d] < h.shape[d] {
				break
			}
			from -= index[d] * strides[d]
			index[d] = 0
		}
	}
	return out
}

// fromUCS4 decodes an element of dtype U: one 4-byte code point a character, padded with zeros.
func fromUCS4(b []byte, order binary.ByteOrder) (string, error) {
	for len(b) >= 4 && order.Uint32(b[len(b)-4:]) == 0 {
		b = b[:len(b)-4]
	}
	text := make([]byte, 0, len(b)/4)
	for ; len(b) >= 4; b = b[4:] {
		point := order.Uint32(b)
		if point > utf8.MaxRune || !utf8.ValidRune(rune(point)) {
			return "", fmt.Errorf("%#x is no Unicode character", point)
		}
		text = utf8.AppendRune(text, rune(point))
	}
	return string(text), nil
}
