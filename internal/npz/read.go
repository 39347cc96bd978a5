package npz

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"
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

// readElements reads the elements that follow header h, in C order.
func readElements(r io.Reader, h header) (any, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if h.big {
		order = binary.BigEndian
	}
	switch fmt.Sprintf("%c%d", h.kind, h.size) {
	case "b1":
		return read(r, h, func(b []byte) (bool, error) { return b[0] != 0, nil })
	case "i1":
		return read(r, h, func(b []byte) (int8, error) { return int8(b[0]), nil })
	case "i2":
		return read(r, h, func(b []byte) (int16, error) { return int16(order.Uint16(b)), nil })
	case "i4":
		return read(r, h, func(b []byte) (int32, error) { return int32(order.Uint32(b)), nil })
	case "i8":
		return read(r, h, func(b []byte) (int64, error) { return int64(order.Uint64(b)), nil })
	case "u1":
		return readBytes(r, h)
	case "u2":
		return read(r, h, func(b []byte) (uint16, error) { return order.Uint16(b), nil })
	case "u4":
		return read(r, h, func(b []byte) (uint32, error) { return order.Uint32(b), nil })
	case "u8":
		return read(r, h, func(b []byte) (uint64, error) { return order.Uint64(b), nil })
	case "f2":
		return read(r, h, func(b []byte) (float32, error) { return fromHalf(order.Uint16(b)), nil })
	case "f4":
		return read(r, h, func(b []byte) (float32, error) { return math.Float32frombits(order.Uint32(b)), nil })
	case "f8":
		return read(r, h, func(b []byte) (float64, error) { return math.Float64frombits(order.Uint64(b)), nil })
	}
	if h.kind == 'S' {
		return read(r, h, func(b []byte) (string, error) { return strings.TrimRight(string(b), "\x00"), nil })
	}
	return read(r, h, func(b []byte) (string, error) { return fromUCS4(b, order) })
}

// read decodes h.count elements, a chunk at a time, and brings them into C order.
func read[T any](r io.Reader, h header, decode func([]byte) (T, error)) ([]T, error) {
	const chunk = 1 << 18
	out := make([]T, h.count)
	if h.count == 0 {
		return out, nil
	}
	perChunk := min(max(chunk/h.size, 1), h.count)
	buffer := make([]byte, perChunk*h.size)
	for start := 0; start < len(out); start += perChunk {
		part := out[start:min(start+perChunk, len(out))]
		if err := fill(r, buffer[:len(part)*h.size]); err != nil {
			return nil, err
		}
		for i := range part {
			v, err := decode(buffer[i*h.size : (i+1)*h.size])
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", start+i, err)
			}
			part[i] = v
		}
	}
	return rowMajor(out, h), nil
}

// readBytes is read for uint8, the type of large image sets, without a copy.
func readBytes(r io.Reader, h header) ([]uint8, error) {
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

// fromHalf widens an IEEE 754 half-precision number: 1 sign, 5 exponent and 10 fraction bits.
func fromHalf(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits>>15), uint32(bits>>10&0x1f), uint32(bits&0x3ff)
	switch exponent {
	case 0: // Zero and subnormal numbers: fraction · 2^-24, exact in float32.
		v := float32(fraction) / (1 << 24)
		if sign == 1 {
			return -v
		}
		return v
	case 0x1f: // Infinities and NaN.
		return math.Float32frombits(sign<<31 | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign<<31 | (exponent+127-15)<<23 | fraction<<13)
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
