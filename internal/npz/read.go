package npz

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
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

// ReadNPY reads an array in .npy format from r, which holds exactly size bytes. If the header's shape does not fit
// size, ReadNPY returns an error before it allocates the array.
func ReadNPY(r io.Reader, size int64) (*Array, error) { return readNPY(r, size, false) }

// readNPY is ReadNPY. If narrow is set, it makes numbers float32 while it reads.
func readNPY(r io.Reader, size int64, narrow bool) (*Array, error) {
	h, taken, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	need := int64(h.count) * int64(h.size)
	if left := size - taken; need != left {
		return nil, fmt.Errorf("shape %v of %d-byte elements needs %d bytes, but the array has %d; the file is cut off or "+
			"damaged", h.shape, h.size, need, left)
	}
	stored := ""
	if narrow && types[h.dtype] != nil {
		stored = types[h.dtype].String()
	}
	data, err := readElements(r, h, stored != "")
	if err != nil {
		return nil, err
	}
	return &Array{Shape: h.shape, Data: data, stored: stored}, nil
}

// readElements reads the elements that follow header h, a chunk at a time, in C order. With narrow they become float32.
func readElements(r io.Reader, h header, narrow bool) (any, error) {
	const chunk = 1 << 18
	if h.fortran && len(h.shape) > 1 {
		raw := make([]byte, h.count*h.size)
		if err := fill(r, raw); err != nil {
			return nil, err
		}
		r = bytes.NewReader(rowMajor(raw, h))
	}
	var order binary.ByteOrder = binary.LittleEndian
	if h.big {
		order = binary.BigEndian
	}
	element := cmp.Or(types[h.dtype], reflect.TypeFor[string]())
	step := min(max(chunk/max(h.size, 1), 1), h.count)
	buffer, part := make([]byte, step*h.size), reflect.MakeSlice(reflect.SliceOf(element), step, step)
	if narrow {
		element = reflect.TypeFor[float32]()
	}
	all := reflect.MakeSlice(reflect.SliceOf(element), 0, h.count)
	for all.Len() < h.count {
		some := part.Slice(0, min(step, h.count-all.Len()))
		raw := buffer[:some.Len()*h.size]
		if err := fill(r, raw); err != nil {
			return nil, err
		}
		if at, err := decode(some.Interface(), raw, h, order); err != nil {
			return nil, fmt.Errorf("element %d: %w", all.Len()+at, err)
		}
		if narrow {
			numbers, _ := convert[float32](&Array{Data: some.Interface()}, "numbers") // all of types are
			some = reflect.ValueOf(numbers)
		}
		all = reflect.AppendSlice(all, some)
	}
	return all.Interface(), nil
}

// decode turns raw bytes into elements. With an error comes the index of its element.
func decode(part any, raw []byte, h header, order binary.ByteOrder) (at int, err error) {
	switch h.dtype {
	case "f2":
		for i := range part.([]float32) {
			part.([]float32)[i] = float16.Float16(order.Uint16(raw[2*i:])).Float32()
		}
	case "S":
		for i := range part.([]string) {
			text := strings.TrimRight(string(raw[i*h.size:(i+1)*h.size]), "\x00")
			part.([]string)[i] = text
			if !utf8.ValidString(text) { // else model.json makes equal texts of different ones
				return i, fmt.Errorf("%q is not UTF-8; store texts with dtype=str, as by numpy.char.decode(array, 'latin-1')", text)
			}
		}
	case "U":
		for i := range part.([]string) {
			part.([]string)[i], err = fromUCS4(raw[i*h.size:(i+1)*h.size], order)
			if err != nil {
				return i, err
			}
		}
	default:
		if floats, ok := part.([]float32); ok && order == binary.LittleEndian { // most large arrays
			for i := range floats {
				floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			}
			return 0, nil
		}
		_, err = binary.Decode(raw, order, part)
	}
	return 0, err
}

func fill(r io.Reader, buffer []byte) error {
	if _, err := io.ReadFull(r, buffer); err != nil {
		return fmt.Errorf("the elements are cut off or damaged: %w", err)
	}
	return nil
}

// rowMajor turns elements in Fortran order (first index fastest) into C order (last index fastest).
func rowMajor(in []byte, h header) []byte {
	out := make([]byte, 0, len(in))
	index := make([]int, len(h.shape))
	for range h.count {
		from, stride := 0, h.size
		for d, dim := range h.shape {
			from += index[d] * stride
			stride *= dim
		}
		out = append(out, in[from:from+h.size]...)
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			if index[d] < h.shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

// fromUCS4 decodes an element of dtype U: one 4-byte code point per character, padded with zeros.
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
