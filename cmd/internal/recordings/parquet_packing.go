package recordings

// This file unpacks the pages of Parquet files, which are packed by codecs such as zstd or by one of the forms of LZ4.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	types "github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// unpack unpacks the values of a page.
func unpack(codec types.CompressionCodec, packed []byte, size int) ([]byte, error) {
	var values []byte
	var err error
	switch {
	case size == 0:
	case codec == types.Uncompressed:
		values = packed
	case codec == types.Lz4Raw:
		values, err = unpackLZ4(packed, size)
	case codec == types.Lz4:
		values, err = unpackOldLZ4(packed, size)
	default:
		values, err = parquet.LookupCompressionCodec(codec).Decode(nil, packed)
	}
	if err == nil && len(values) != size {
		err = fmt.Errorf("%d bytes in place of %d", len(values), size)
	}
	if err != nil {
		return nil, fmt.Errorf("a page packed by %s cannot be unpacked (%w): the file is damaged, or packed in another way; "+
			"write it again with zstd, snappy or LZ4_RAW", codec, err)
	}
	return values, nil
}

// unpackLZ4 unpacks a block of LZ4.
func unpackLZ4(packed []byte, size int) ([]byte, error) {
	values := make([]byte, size)
	n, err := lz4.UncompressBlock(packed, values)
	if err != nil {
		return nil, err
	}
	return values[:n], nil
}

// unpackOldLZ4 unpacks what the older codec LZ4 of Parquet stands for, of which the format does not say what it is:
// Hadoop's blocks; or a frame of LZ4; or a block as it is, or behind its length.
func unpackOldLZ4(packed []byte, size int) ([]byte, error) {
	if values := unpackHadoop(packed, size); values != nil {
		return values, nil
	}
	if len(packed) > 4 && binary.LittleEndian.Uint32(packed) == 0x184d2204 {
		values := make([]byte, size)
		n, err := io.ReadFull(lz4.NewReader(bytes.NewReader(packed)), values)
		return values[:n], err
	}
	if len(packed) > 4 && int(binary.LittleEndian.Uint32(packed)) == size {
		if values, err := unpackLZ4(packed[4:], size); err == nil && len(values) == size {
			return values, nil
		}
	}
	return unpackLZ4(packed, size)
}

// unpackHadoop unpacks Hadoop's form of LZ4 into size bytes: blocks, each of which begins with its unpacked length and
// has parts, which begin with their packed lengths. It returns nil for anything else.
func unpackHadoop(packed []byte, size int) []byte {
	values := make([]byte, 0, size)
	nextLength := func() int { // takes a length from the beginning; -1 if the bytes end before
		if len(packed) < 4 {
			return -1
		}
		n := binary.BigEndian.Uint32(packed)
		packed = packed[4:]
		return int(n)
	}
	for len(packed) > 0 {
		block := nextLength()
		if block < 0 || block > size-len(values) {
			return nil
		}
		end := len(values) + block
		for len(values) < end {
			length := nextLength()
			if length <= 0 || length > len(packed) {
				return nil
			}
			part, err := unpackLZ4(packed[:length], end-len(values))
			if err != nil || len(part) == 0 {
				return nil
			}
			values, packed = append(values, part...), packed[length:]
		}
	}
	if len(values) != size {
		return nil
	}
	return values
}
