package datasets

import (
	"encoding/binary"
	"fmt"
)

// parseIDX reads an idx file: two zero bytes, a type code, the number of dimensions, each dimension as a big-endian uint32,
// the values. It must hold unsigned bytes, any number of samples of the given sides. It returns the values, row-major.
func parseIDX(file []byte, sides ...int) ([]byte, error) {
	const unsignedByte = 8
	dims := 1 + len(sides)
	if len(file) < 4 || file[0] != 0 || file[1] != 0 {
		return nil, fmt.Errorf("does not start with an idx magic number (% x); is it an idx file?", file[:min(4, len(file))])
	}
	if file[2] != unsignedByte || int(file[3]) != dims {
		return nil, fmt.Errorf("magic number % x: want 00 00 08 %02x, unsigned bytes in %d dimensions", file[:4], dims, dims)
	}
	header := 4 + 4*dims
	if len(file) < header {
		return nil, fmt.Errorf("ends after %d bytes, within its header of %d; get the file again", len(file), header)
	}
	size := int(binary.BigEndian.Uint32(file[4:]))
	for i, want := range sides {
		if side := int(binary.BigEndian.Uint32(file[8+4*i:])); side != want {
			return nil, fmt.Errorf("dimension %d is %d, want %d", i+1, side, want)
		}
		size *= want
	}
	values := file[header:]
	if len(values) != size {
		return nil, fmt.Errorf("holds %d values, but its dimensions need %d; get the file again", len(values), size)
	}
	return values, nil
}
