package datasets

import (
	"encoding/binary"
	"fmt"
)

// idx is a parsed idx file of unsigned bytes: its sizes, its values row-major, and the whole file they lie in.
type idx struct {
	dims         []int
	values, file []byte
}

// idxUnsignedByte is the type code of the third byte of an idx file.
const idxUnsignedByte = 0x08

// parseIDX reads an idx file: two zero bytes, a type code, the number of dimensions, each dimension as a big-endian
// uint32, the values. It must hold unsigned bytes in exactly the wanted dimensions, of which -1 takes any size.
func parseIDX(file []byte, want ...int) (idx, error) {
	if len(file) < 4 || file[0] != 0 || file[1] != 0 {
		return idx{}, fmt.Errorf("does not start with an idx magic number (% x); is it an idx file?", file[:min(4, len(file))])
	}
	if file[2] != idxUnsignedByte || int(file[3]) != len(want) {
		return idx{}, fmt.Errorf("magic number % x: want 00 00 08 %02x, unsigned bytes in %d dimensions",
			file[:4], len(want), len(want))
	}
	header := 4 + 4*len(want)
	if len(file) < header {
		return idx{}, fmt.Errorf("ends after %d bytes, within its header of %d; get the file again", len(file), header)
	}
	parsed := idx{values: file[header:], file: file}
	size := 1
	for i, wanted := range want {
		dim := int(binary.BigEndian.Uint32(file[4+4*i:]))
		if wanted >= 0 && dim != wanted {
			return idx{}, fmt.Errorf("dimension %d is %d, want %d", i, dim, wanted)
		}
		parsed.dims = append(parsed.dims, dim)
		if size *= dim; size > 1<<40 {
			return idx{}, fmt.Errorf("claims dimensions %v; the file is damaged", parsed.dims)
		}
	}
	if len(parsed.values) != size {
		return idx{}, fmt.Errorf("holds %d values, but its dimensions %v need %d; get the file again",
			len(parsed.values), parsed.dims, size)
	}
	return parsed, nil
}
