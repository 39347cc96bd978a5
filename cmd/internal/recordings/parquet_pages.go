package recordings

// This file reads the pages of Parquet files that the library parquet-go would read wrongly or not at all, and writes
// them as plain values.

import (
	"encoding/binary"
	"errors"
	"fmt"
	bitlen "math/bits"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	types "github.com/parquet-go/parquet-go/format"
)

// page is a page of a column, unpacked.
type page struct {
	header  types.PageHeader
	content []byte
}

// nextPage unpacks the first page of from, and makes of it what the library reads, see simplify. used is the length of
// the page in from.
func nextPage(from []byte, codec types.CompressionCodec, l *leaf) (p page, used int, err error) {
	reader := new(thrift.CompactProtocol).NewReaderFromBytes(from)
	err = thrift.NewDecoder(reader).Decode(&p.header)
	if err != nil {
		return p, 0, fmt.Errorf("%w: a page is damaged; write the file again", err)
	}
	used = reader.BytesRead()
	packed, size := int(p.header.CompressedPageSize), int(p.header.UncompressedPageSize)
	const most = 255 // LZ4 makes at most so many bytes of one
	isLZ4 := strings.HasPrefix(codec.String(), "LZ4")
	if packed < 0 || packed > len(from)-used || size < 0 || isLZ4 && size > most*(packed+1) {
		return p, 0, fmt.Errorf("a page claims %d bytes in %d packed ones; the file is damaged", size, packed)
	}
	raw := from[used : used+packed]
	used += packed
	levels := 0 // the bytes of the levels at the beginning, which version 2 never packs
	version2 := &p.header.DataPageHeaderV2
	if version2.Valid {
		h := &version2.V
		levels = int(h.RepetitionLevelsByteLength) + int(h.DefinitionLevelsByteLength)
		if h.IsCompressed.Valid && !h.IsCompressed.V {
			codec = types.Uncompressed
		}
		h.IsCompressed = thrift.New(false)
	}
	if levels < 0 || levels > min(packed, size) {
		return p, 0, errors.New("the levels of a page are longer than it; the file is damaged")
	}
	values, err := unpack(codec, raw[levels:], size-levels)
	if err != nil {
		return p, 0, err
	}
	p.content = append(raw[:levels:levels], values...)
	return p, used, p.simplify(l)
}

// simplify makes plain values of those that the library reads wrongly, and cuts off what lies behind plain ones.
func (p *page) simplify(l *leaf) error {
	begin, n, encoding := p.values(l)
	if n < 0 {
		return errors.New("the levels of a page are damaged; write the file again")
	}
	values := p.content[begin:]
	switch {
	case *encoding == types.Plain:
		p.content = p.content[:begin+plainLength(values, n, l)]
	case *encoding == types.DeltaBinaryPacked && l.kind == types.Int32:
		numbers, err := new(delta.BinaryPackedEncoding).DecodeInt64(nil, values)
		if err != nil {
			return err
		}
		p.content, *encoding = p.content[:begin:begin], types.Plain
		for _, number := range numbers[:min(n, len(numbers))] {
			p.content = binary.LittleEndian.AppendUint32(p.content, uint32(number)) // what is above 32 bits has wrapped around
		}
	case *encoding == types.RLE && l.kind == types.Boolean && len(values) >= 4:
		truths, err := runs(values[4:], n, 1) // behind their length in bytes
		if err != nil {
			return err
		}
		p.content, *encoding = append(p.content[:begin:begin], make([]byte, (n+7)/8)...), types.Plain
		for i, truth := range truths {
			p.content[begin+i/8] |= truth << (i % 8)
		}
	}
	return nil
}

// values returns where the values of a page begin, how many there are that are not null, and how they are encoded. The
// number is negative if the levels before them are damaged.
func (p *page) values(l *leaf) (begin, n int, encoding *types.Encoding) {
	switch {
	case p.header.DictionaryPageHeader.Valid:
		h := &p.header.DictionaryPageHeader.V
		h.Encoding = types.Plain // the only one of a dictionary, which has an older name beside
		return 0, int(h.NumValues), &h.Encoding
	case p.header.DataPageHeaderV2.Valid:
		h := &p.header.DataPageHeaderV2.V
		return int(h.RepetitionLevelsByteLength + h.DefinitionLevelsByteLength), int(h.NumValues - h.NumNulls), &h.Encoding
	}
	h := &p.header.DataPageHeader.V
	n = int(h.NumValues)
	for i, most := range []int{l.lists, l.optional} { // the highest levels of repetition, and of definition
		if most == 0 { // the page has no such levels
			continue
		}
		if begin > len(p.content)-4 {
			return begin, -1, &h.Encoding
		}
		length := int(binary.LittleEndian.Uint32(p.content[begin:]))
		begin += 4
		if length > len(p.content)-begin {
			return begin, -1, &h.Encoding
		}
		if i == 1 { // nulls are counted in the levels of definition
			n = present(p.content[begin:begin+length], n, most)
		}
		begin += length
	}
	return begin, n, &h.Encoding
}

// present counts the values that are not null: of n definition levels, those equal to most, the column's highest. It
// returns -1 if the levels are damaged.
func present(levels []byte, n, most int) (count int) {
	all, err := runs(levels, n, most)
	if err != nil {
		return -1
	}
	for _, level := range all {
		if int(level) == most {
			count++
		}
	}
	return count
}

// runs reads n numbers up to most in the hybrid of runs and packed bits.
func runs(from []byte, n, most int) ([]byte, error) {
	all, err := (&rle.Encoding{BitWidth: bitlen.Len(uint(most))}).DecodeLevels(make([]byte, 0, min(max(n, 0), 1<<20)),
		from)
	if err == nil && (n < 0 || len(all) < n) {
		err = fmt.Errorf("%d values in place of %d; the file is damaged", len(all), n)
	}
	if err != nil {
		return nil, err
	}
	return all[:n], nil
}

// widthOf is how many bytes a plain value of each type of one width has.
var widthOf = map[types.Type]int{types.Int32: 4, types.Float: 4, types.Int64: 8, types.Double: 8, types.Int96: 12}

// plainLength returns how many bytes the first n of plain values take: all, if there are fewer than n.
func plainLength(values []byte, n int, l *leaf) int {
	switch l.kind {
	case types.ByteArray: // each value begins with its length
		at := 0
		for range n {
			if at > len(values)-4 {
				return len(values)
			}
			length := int(binary.LittleEndian.Uint32(values[at:]))
			at += 4
			if length > len(values)-at {
				return len(values)
			}
			at += length
		}
		return at
	case types.Boolean: // eight values are a byte
		return min(len(values), (n+7)/8)
	}
	width := widthOf[l.kind]
	if l.kind == types.FixedLenByteArray {
		width = l.length
	}
	return min(len(values), n*width)
}

// write adds the page to some bytes.
func (p *page) write(to []byte) ([]byte, error) {
	h := p.header
	h.UncompressedPageSize, h.CompressedPageSize, h.CRC = int32(len(p.content)), int32(len(p.content)), 0
	h.DataPageHeader.V.Statistics, h.DataPageHeaderV2.V.Statistics = types.Statistics{}, types.Statistics{}
	header, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
	return append(append(to, header...), p.content...), err
}
