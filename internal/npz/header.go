package npz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

const (
	magic = "\x93NUMPY"

	// maxHeader bounds the header's text. numpy itself refuses more than 10,000 characters when it reads.
	maxHeader = 1 << 16

	// maxDims is numpy's own limit.
	maxDims = 64
)

// header is what precedes the elements in a .npy file.
type header struct {
	dtype   string // numpy's kind and size: b1, i2, f4; of strings U or S without a size
	size    int    // bytes of one element
	big     bool   // big endian
	fortran bool
	shape   []int
	count   int // product of shape
}

// readHeader reads a .npy header and returns it with the number of its bytes.
func readHeader(r io.Reader) (h header, taken int64, err error) {
	var lead [12]byte
	if _, err := io.ReadFull(r, lead[:8]); err != nil || string(lead[:6]) != magic {
		return h, 0, errors.New("not a .npy array: it does not start with \\x93NUMPY; write it with numpy.save")
	}
	width, known := map[byte]int{1: 2, 2: 4, 3: 4}[lead[6]] // of the length that follows
	if !known {
		return h, 0, fmt.Errorf(".npy version %d.%d is unknown; versions 1 to 3 are known", lead[6], lead[7])
	}
	if _, err := io.ReadFull(r, lead[8:8+width]); err != nil {
		return h, 0, errors.New("the .npy header is cut off")
	}
	length := binary.LittleEndian.Uint32(lead[8:])
	if length > maxHeader {
		return h, 0, fmt.Errorf("the .npy header claims %d bytes, more than %d", length, maxHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, 0, errors.New("the .npy header is cut off")
	}
	h, err = parseHeader(string(text))
	return h, int64(8+width) + int64(length), err
}

// dictionary is the header's Python dictionary. Its three entries may come in any order. Python 2 wrote dimensions as
// 3L.
var dictionary = regexp.MustCompile(`^\{` + entry + `,` + entry + `,` + entry + `,?\s*\}$`)

const entry = `\s*['"](descr|fortran_order|shape)['"]\s*:\s*` +
	`('[^']*'|"[^"]*"|\[.*\]|True|False|\((?:\s*\d+L?\s*,)*(?:\s*\d+L?)?\s*\))\s*`

// parseHeader reads the Python dictionary at the begin of an .npy file.
func parseHeader(text string) (h header, err error) {
	text = strings.TrimSpace(text)
	const example = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
	malformed := fmt.Errorf("the .npy header %.150q is malformed; want such as %s", text, example)
	match := dictionary.FindStringSubmatch(text)
	if match == nil {
		return h, malformed
	}
	entries := map[string]string{match[1]: match[2], match[3]: match[4], match[5]: match[6]}
	descr, order, shape := entries["descr"], entries["fortran_order"], entries["shape"]
	if len(entries) != 3 || !strings.ContainsAny(descr[:1], `'"[`) || !strings.HasSuffix(order, "e") || shape[0] != '(' {
		return h, malformed
	}
	if descr[0] == '[' {
		return h, errors.New("the array holds records (a structured dtype); store each field as an array of its own")
	}
	if err := h.setType(descr[1 : len(descr)-1]); err != nil {
		return h, err
	}
	h.fortran, h.shape = order == "True", []int{}
	for dim := range strings.FieldsFuncSeq(shape, func(r rune) bool { return r < '0' || r > '9' }) {
		size, err := strconv.Atoi(dim)
		if err != nil {
			return h, malformed
		}
		h.shape = append(h.shape, size)
	}
	if len(h.shape) > maxDims {
		return h, fmt.Errorf("the array has %d dimensions; want at most %d dimensions", len(h.shape), maxDims)
	}
	return h, h.setCount()
}

// types are the elements of fixed size by numpy's kind and size.
var types = map[string]reflect.Type{
	"b1": reflect.TypeFor[bool](), "i1": reflect.TypeFor[int8](), "i2": reflect.TypeFor[int16](),
	"i4": reflect.TypeFor[int32](), "i8": reflect.TypeFor[int64](), "u1": reflect.TypeFor[uint8](),
	"u2": reflect.TypeFor[uint16](), "u4": reflect.TypeFor[uint32](), "u8": reflect.TypeFor[uint64](),
	"f2": reflect.TypeFor[float32](), "f4": reflect.TypeFor[float32](), "f8": reflect.TypeFor[float64](),
}

// setType takes numpy's dtype string: byte order, kind, size.
func (h *header) setType(descr string) error {
	if descr == "|O" || descr == "O" {
		return errors.New("the array holds pickled Python objects; store it with a plain dtype, for strings dtype=str; " +
			"recordings of " +
			"several lengths are one array of floats with NaN after their ends, a scipy matrix is its arrays indptr, " +
			"indices and data")
	}
	unsupported := fmt.Errorf("dtype %.40q is not supported; store bool, integers, float16 to float64 or strings, and "+
		"dates as seconds, (dates - dates[0]) / numpy.timedelta64(1, 's')", descr)
	if len(descr) < 3 || !strings.ContainsRune("<>|=", rune(descr[0])) {
		return unsupported
	}
	size, err := strconv.ParseUint(descr[2:], 10, 29)
	if err != nil {
		return unsupported
	}
	h.big, h.dtype, h.size = descr[0] == '>', fmt.Sprintf("%c%d", descr[1], size), int(size)
	switch kind := descr[1:2]; {
	case kind == "S":
		h.dtype = kind
	case kind == "U":
		h.dtype, h.size = kind, 4*h.size
	case types[h.dtype] == nil:
		return unsupported
	}
	return nil
}

// setCount multiplies the shape and refuses what no file can hold.
func (h *header) setCount() error {
	h.count = 1
	for _, dim := range h.shape {
		if dim < 0 {
			return fmt.Errorf("shape %v has a negative dimension", h.shape)
		}
		if dim > 0 && h.count > math.MaxInt/max(h.size, 1)/dim {
			return fmt.Errorf("shape %v with %d bytes an element has more elements than any file can hold", h.shape, h.size)
		}
		h.count *= dim
	}
	if h.size == 0 && h.count > 0 {
		return fmt.Errorf("%d strings of length 0; store them with dtype=str", h.count)
	}
	return nil
}
