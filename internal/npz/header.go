package npz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
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
	kind    byte // b, i, u, f, U or S
	size    int  // bytes of one element
	big     bool // big endian
	fortran bool
	shape   []int
	count   int // product of shape
}

// readHeader reads a .npy header and returns it with the number of bytes it took.
func readHeader(r io.Reader) (header, int64, error) {
	var lead [12]byte
	if _, err := io.ReadFull(r, lead[:8]); err != nil || string(lead[:6]) != magic {
		return header{}, 0, errors.New("not a .npy array: it does not start with \\x93NUMPY; write it with numpy.save")
	}
	taken, width := int64(8), 4
	switch version := lead[6]; version {
	case 1:
		width = 2
	case 2, 3:
	default:
		return header{}, 0, fmt.Errorf(".npy version %d.%d is not known; versions 1 to 3 are", version, lead[7])
	}
	if _, err := io.ReadFull(r, lead[8:8+width]); err != nil {
		return header{}, 0, errors.New("the .npy header is cut off")
	}
	length := binary.LittleEndian.Uint32(lead[8:12]) // The two bytes not read in version 1 are zero.
	if length > maxHeader {
		return header{}, 0, fmt.Errorf("the .npy header claims %d bytes, more than %d", length, maxHeader)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, 0, errors.New("the .npy header is cut off")
	}
	h, err := parseHeader(string(text))
	return h, taken + int64(width) + int64(length), err
}

// entry is one of a header's dictionary, with what follows it: a key, and a text, a tuple or a word.
var entry = regexp.MustCompile(`^(?:'(\w+)'|"(\w+)")\s*:\s*('[^']*'|"[^"]*"|\([^()]*\)|\w+|\[)\s*([,}]?)`)

// parseHeader reads the header's Python dictionary, such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
func parseHeader(text string) (h header, err error) {
	rest, found := strings.CutPrefix(strings.TrimSpace(text), "{")
	if !found {
		return h, malformed(text, "{")
	}
	seen := map[string]bool{}
	for end := ","; end == ","; {
		rest = strings.TrimSpace(rest)
		if after, closed := strings.CutPrefix(rest, "}"); closed {
			rest = after
			break
		}
		match := entry.FindStringSubmatch(rest)
		if match == nil {
			return h, malformed(rest, "an entry such as 'descr': '<f4'")
		}
		key, value := match[1]+match[2], match[3]
		switch {
		case seen[key]:
			err = malformed(rest, "'"+key+"' only once")
		case key == "descr" && !strings.ContainsAny(value[:1], `'"`):
			err = errors.New("the array holds records (a structured dtype); store each field as an array of its own")
		case key == "descr":
			err = h.setType(value[1 : len(value)-1])
		case key == "fortran_order" && value != "True" && value != "False":
			err = malformed(rest, "True or False")
		case key == "fortran_order":
			h.fortran = value == "True"
		case key == "shape":
			h.shape, err = parseShape(value)
		default:
			err = malformed(rest, "one of 'descr', 'fortran_order', 'shape'")
		}
		if end = match[4]; err == nil && end == "" {
			err = malformed(rest[len(match[0]):], "}")
		}
		if err != nil {
			return h, err
		}
		seen[key] = true
		rest = rest[len(match[0]):]
	}
	if len(seen) != 3 {
		return h, errors.New("the .npy header lacks one of 'descr', 'fortran_order', 'shape'")
	}
	if strings.TrimSpace(rest) != "" {
		return h, fmt.Errorf("the .npy header goes on after its dictionary: %.40q", rest)
	}
	return h, h.setCount()
}

func malformed(at, want string) error {
	return fmt.Errorf("the .npy header is malformed at %.20q: want %s", at, want)
}

// parseShape reads (), (3,), (3, 4) and the (3L, 4L) of Python 2.
func parseShape(tuple string) ([]int, error) {
	inner, isTuple := strings.CutPrefix(strings.TrimSuffix(tuple, ")"), "(")
	if !isTuple {
		return nil, malformed(tuple, "(")
	}
	dims := []int{}
	inner = strings.TrimSuffix(strings.TrimSpace(inner), ",")
	if inner == "" {
		return dims, nil
	}
	for text := range strings.SplitSeq(inner, ",") {
		dim, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(text), "L"), 10, 63)
		if err != nil {
			return nil, malformed(text, "a dimension from 0 to 2^63-1")
		}
		if dims = append(dims, int(dim)); len(dims) > maxDims {
			return nil, malformed(text, fmt.Sprintf("at most %d dimensions", maxDims))
		}
	}
	return dims, nil
}

// setType takes numpy's dtype string: byte order, kind, size.
func (h *header) setType(descr string) error {
	unsupported := fmt.Errorf("dtype %.40q is not supported; store bool, integers, float16 to float64 or strings", descr)
	if descr == "|O" || descr == "O" {
		return errors.New("the array holds pickled Python objects; store it with a plain dtype, for strings dtype=str")
	}
	if len(descr) < 3 || !strings.ContainsRune("<>|=", rune(descr[0])) {
		return unsupported
	}
	size, err := strconv.ParseUint(descr[2:], 10, 29)
	if err != nil {
		return unsupported
	}
	h.big, h.kind, h.size = descr[0] == '>', descr[1], int(size)
	var ok bool
	switch h.kind {
	case 'b':
		ok = size == 1
	case 'i', 'u':
		ok = size == 1 || size == 2 || size == 4 || size == 8
	case 'f':
		ok = size == 2 || size == 4 || size == 8
	case 'S':
		ok = true
	case 'U':
		h.size *= 4
		ok = true
	}
	if !ok {
		return unsupported
	}
	return nil
}

// setCount multiplies the shape, refusing what no file can hold.
func (h *header) setCount() error {
	count := uint64(1)
	for _, dim := range h.shape {
		high, low := bits.Mul64(count, uint64(dim))
		if high != 0 || low > math.MaxInt64 {
			return fmt.Errorf("shape %v has more elements than any file can hold", h.shape)
		}
		count = low
	}
	if h.size == 0 && count > 0 {
		return fmt.Errorf("%d strings of length 0; store them with dtype=str", count)
	}
	if high, low := bits.Mul64(count, uint64(h.size)); high != 0 || low > math.MaxInt64 {
		return fmt.Errorf("shape %v of %d-byte elements is more than any file can hold", h.shape, h.size)
	}
	h.count = int(count)
	return nil
}
