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
func ReadNPY(r io.Reader, size int64) (*Array, error) { return readNPY(r, size, nil) }

// readNPY is ReadNPY. With a scan, it makes numbers float32 while it reads, and shows them to it.
func readNPY(r io.Reader, size int64, scan Scan) (*Array, error) {
	h, taken, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	need := int64(h.count) * int64(h.size)
	if left := size - taken; need != left {
		return nil, fmt.Errorf("shape %v of %d-byte elements needs %d bytes, but the array has %d; the file is cut off or "+
			"damaged", h.shape, h.size, need, left)
	}
	if h.fortran && len(h.shape) > 1 {
		raw := make([]byte, h.count*h.size)
		if err := fill(r, raw); err != nil {
			return nil, err
		}
		r = bytes.NewReader(rowMajor(raw, h))
	}
	if scan != nil && types[h.dtype] != nil {
		data, err := readFloats(r, h, scan(h.shape))
		return &Array{Shape: h.shape, Data: data, stored: types[h.dtype].String()}, err
	}
	data, err := readElements(r, h)
	if err != nil {
		return nil, err
	}
	return &Array{Shape: h.shape, Data: data}, nil
}

// chunk is about how many bytes are decoded at a time: few enough for a processor's cache.
const chunk = 1 << 18

// step returns how many elements are decoded at a time.
func (h *header) step() int { return min(max(chunk/max(h.size, 1), 1), h.count) }

// order returns the order of the bytes of an element.
func (h *header) order() binary.ByteOrder {
	if h.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// readElements reads the elements that follow header h, a chunk at a time, in C order.
func readElements(r io.Reader, h header) (any, error) {
	element := cmp.Or(types[h.dtype], reflect.TypeFor[string]())
	all, buffer := reflect.MakeSlice(reflect.SliceOf(element), h.count, h.count), make([]byte, h.step()*h.size)
	for from := 0; from < h.count; from += h.step() {
		some := all.Slice(from, min(from+h.step(), h.count))
		raw := buffer[:some.Len()*h.size]
		if err := fill(r, raw); err != nil {
			return nil, err
		}
		if at, err := decode(some.Interface(), raw, h, h.order()); err != nil {
			return nil, fmt.Errorf("element %d: %w", from+at, err)
		}
	}
	return all.Interface(), nil
}

// readFloats reads numbers as readElements does, as float32. see, unless it is nil, is shown each chunk of them.
func readFloats(r io.Reader, h header, see func(some []float32)) ([]float32, error) {
	all, buffer := make([]float32, h.count), make([]byte, h.step()*h.size)
	wide := any(nil) // the elements of a chunk, unless they are float32
	if types[h.dtype] != reflect.TypeFor[float32]() {
		wide = reflect.MakeSlice(reflect.SliceOf(types[h.dtype]), h.step(), h.step()).Interface()
	}
	for from := 0; from < h.count; from += h.step() {
		some := all[from:min(from+h.step(), h.count)]
		raw := buffer[:len(some)*h.size]
		if err := fill(r, raw); err != nil {
			return nil, err
		}
		into := any(some)
		if wide != nil {
			into = reflect.ValueOf(wide).Slice(0, len(some)).Interface()
		}
		if at, err := decode(into, raw, h, h.order()); err != nil {
			return nil, fmt.Errorf("element %d: %w", from+at, err)
		}
		if wide != nil {
			narrow(some, into)
		}
		if see != nil {
			see(some)
		}
	}
	return all, nil
}

// narrow writes numbers of any of the types to floats, which are as many. Booleans become 0 and 1.
func narrow(floats []float32, numbers any) {
	switch numbers := numbers.(type) {
	case []bool:
		for i, v := range numbers {
			if v {
				floats[i] = 1
			} else {
				floats[i] = 0
			}
		}
	case []int8:
		narrowed(floats, numbers)
	case []int16:
		narrowed(floats, numbers)
	case []int32:
		narrowed(floats, numbers)
	case []int64:
		narrowed(floats, numbers)
	case []uint8:
		narrowed(floats, numbers)
	case []uint16:
		narrowed(floats, numbers)
	case []uint32:
		narrowed(floats, numbers)
	case []uint64:
		narrowed(floats, numbers)
	case []float64:
		narrowed(floats, numbers)
	}
}

// wider are the types of numbers that narrow makes float32 of.
type wider interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float64
}

func narrowed[T wider](floats []float32, numbers []T) {
	for i, v := range numbers {
		floats[i] = float32(v)
	}
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
			raw = raw[:4*len(floats)]
			for i := range floats {
				floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i : 4*i+4]))
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
