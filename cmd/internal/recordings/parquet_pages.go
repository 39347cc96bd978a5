package recordings

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	bitlen "math/bits"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	types "github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// parquetFile is an open Parquet file. The library parquet-go decodes its pages, one row group at a time. It sees the
// physical types alone, as the marks of types are read here; it sees no page index, which it would read, although
// nobody asks for it; and pages that it does not read rightly are unpacked before.
type parquetFile struct {
	from   io.ReaderAt
	size   int64
	meta   types.FileMetaData
	schema []types.SchemaElement // as the library sees it
	leaves []*leaf
}

const parquetMagic = "PAR1"

// openParquet reads the footer of a file of that size.
func openParquet(from io.ReaderAt, size int64) (*parquetFile, error) {
	p := &parquetFile{from: from, size: size}
	end := make([]byte, 8)
	if size < 12 {
		return nil, errors.New("the file is no Parquet file; name it after what it is")
	}
	if _, err := from.ReadAt(end, size-8); err != nil {
		return nil, err
	}
	begin := make([]byte, 4)
	if _, err := from.ReadAt(begin, 0); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(end))
	switch {
	case string(end[4:]) == "PARE":
		return nil, errEncrypted
	case string(begin) == parquetMagic && string(end[4:]) != parquetMagic:
		return nil, errors.New("the end of the file is missing; copy or write it again")
	case string(end[4:]) != parquetMagic || length > size-12:
		return nil, errors.New("the file is damaged, or no Parquet file")
	}
	footer := make([]byte, length)
	if _, err := from.ReadAt(footer, size-8-length); err != nil {
		return nil, err
	}
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(footer)).Decode(&p.meta); err != nil {
		return nil, fmt.Errorf("%w: the file is damaged; write it again", err)
	}
	if p.meta.EncryptionAlgorithm.Value != nil {
		return nil, errEncrypted
	}
	root, _, err := treeOf(p.meta.Schema, 0)
	if err != nil {
		return nil, err
	}
	c := leafFinder{pandas: pandasDurations(p.meta.KeyValueMetadata)}
	c.walk(root, nil, 0, 0, arrowSchema(p.meta.KeyValueMetadata))
	p.leaves = c.leaves
	for _, e := range p.meta.Schema {
		p.schema = append(p.schema, types.SchemaElement{Name: e.Name, Type: e.Type, TypeLength: e.TypeLength,
			RepetitionType: e.RepetitionType,
			NumChildren:    e.NumChildren})
	}
	return p, nil
}

var errEncrypted = errors.New("the file is encrypted, which is not read; write it without encryption")

// group opens a row group.
func (p *parquetFile) group(i int) (parquet.RowGroup, error) {
	g := p.meta.RowGroups[i]
	if len(g.Columns) != len(p.leaves) {
		return nil, fmt.Errorf("row group %d has %d columns, and the schema %d; the file is damaged", i, len(g.Columns),
			len(p.leaves))
	}
	view := &withTail{from: p.from, size: p.size}
	chunks := make([]types.ColumnChunk, len(g.Columns))
	for column, chunk := range g.Columns {
		made, err := p.chunk(view, chunk, p.leaves[column])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", p.leaves[column].heading(), err)
		}
		chunks[column] = made
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol),
		&types.FileMetaData{Version: p.meta.Version, Schema: p.schema, NumRows: g.NumRows,
			RowGroups: []types.RowGroup{{Columns: chunks, NumRows: g.NumRows, TotalByteSize: g.TotalByteSize}}})
	if err != nil {
		return nil, err
	}
	view.tail = append(view.tail, footer...)
	view.tail = binary.LittleEndian.AppendUint32(view.tail, uint32(len(footer)))
	view.tail = append(view.tail, parquetMagic...)
	file, err := parquet.OpenFile(view, view.size+int64(len(view.tail)), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true),
		parquet.SkipMagicBytes(true))
	if err != nil {
		return nil, err
	}
	return file.RowGroups()[0], nil
}

// withTail is a file with more behind its end.
type withTail struct {
	from io.ReaderAt
	size int64
	tail []byte
}

// ReadAt reads from the file and, behind its end, from the tail.
func (w *withTail) ReadAt(to []byte, at int64) (n int, err error) {
	if at < w.size {
		n, err = w.from.ReadAt(to[:min(int64(len(to)), w.size-at)], at)
		if n < len(to) && (err == nil || errors.Is(err, io.EOF)) {
			more := copy(to[n:], w.tail)
			n, err = n+more, nil
		}
	} else if at-w.size < int64(len(w.tail)) {
		n = copy(to, w.tail[at-w.size:])
	}
	if err == nil && n < len(to) {
		err = io.EOF
	}
	return n, err
}

// libraryReads reports that the library reads the pages of a column as they are. It reads those of LZ4 wrongly, or not
// at all, and those of fastparquet, which leaves a few bytes behind the values of a page, with complaints on the
// standard error or not at all; it stops at a page of lists that holds none, as pyarrow leaves them; it refuses
// integers of 32 bits whose differences DuckDB writes in 64; and it reads truth values wrongly whose runs end within a
// byte.
func (p *parquetFile) libraryReads(m types.ColumnMetaData, l *leaf) bool {
	switch {
	case m.Codec == types.Lz4, m.Codec == types.Lz4Raw, l.lists > 0, m.Type == types.Boolean:
		return false
	case m.Type == types.Int32 && slices.Contains(m.Encoding, types.DeltaBinaryPacked):
		return false
	}
	return !strings.HasPrefix(p.meta.CreatedBy, "fastparquet")
}

// packed reads the bytes of a column in a row group.
func (p *parquetFile) packed(m types.ColumnMetaData) ([]byte, error) {
	begin := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		begin = min(begin, m.DictionaryPageOffset)
	}
	if begin < 0 || m.TotalCompressedSize < 0 || begin+m.TotalCompressedSize > p.size {
		return nil, errors.New("ends behind the end of the file, which is damaged")
	}
	packed := make([]byte, m.TotalCompressedSize)
	_, err := p.from.ReadAt(packed, begin)
	return packed, err
}

// chunk returns where the library finds the pages of a column in a row group: in the file, or unpacked behind its end
// if it does not read them as they are.
func (p *parquetFile) chunk(view *withTail, chunk types.ColumnChunk, l *leaf) (made types.ColumnChunk, err error) {
	m := chunk.MetaData
	switch {
	case chunk.CryptoMetadata.Value != nil:
		return made, errEncrypted
	case chunk.FilePath != "":
		return made, fmt.Errorf("lies in another file, %q; give the files with the rows", chunk.FilePath)
	case m.Type != l.kind:
		return made, errors.New("has another type in a row group than in the schema; the file is damaged")
	}
	made.MetaData = types.ColumnMetaData{Type: m.Type, Encoding: m.Encoding, PathInSchema: m.PathInSchema, Codec: m.Codec,
		NumValues:             m.NumValues,
		TotalUncompressedSize: m.TotalUncompressedSize, TotalCompressedSize: m.TotalCompressedSize,
		DataPageOffset:       m.DataPageOffset,
		DictionaryPageOffset: m.DictionaryPageOffset}
	if p.libraryReads(m, l) {
		return made, nil
	}
	packed, err := p.packed(m)
	if err != nil {
		return made, err
	}
	to := &made.MetaData
	to.Codec, to.DataPageOffset, to.DictionaryPageOffset = types.Uncompressed, 0, 0
	from := len(view.tail)
	for left := m.NumValues; left > 0 && len(packed) > 0; {
		page, used, err := nextPage(packed, m.Codec, l)
		if err != nil {
			return made, err
		}
		at := view.size + int64(len(view.tail))
		packed = packed[used:]
		if page.header.DictionaryPageHeader.Valid {
			if to.DictionaryPageOffset == 0 {
				to.DictionaryPageOffset = at
			}
		} else {
			values := page.header.DataPageHeader.V.NumValues + page.header.DataPageHeaderV2.V.NumValues // one of them is 0
			if values <= 0 {
				continue // this page holds none, or is of another kind
			}
			left -= int64(values)
			if to.DataPageOffset == 0 {
				to.DataPageOffset = at
			}
		}
		view.tail, err = page.write(view.tail)
		if err != nil {
			return made, err
		}
	}
	to.TotalCompressedSize = int64(len(view.tail) - from)
	to.TotalUncompressedSize = to.TotalCompressedSize
	return made, nil
}

// page is a page of a column, unpacked.
type page struct {
	header  types.PageHeader
	content []byte
}

// nextPage unpacks the first page of from, and makes of it what the library reads, see simplify. used is the length of
// the page in from.
func nextPage(from []byte, codec types.CompressionCodec, l *leaf) (p page, used int, err error) {
	reader := new(thrift.CompactProtocol).NewReaderFromBytes(from)
	if err := thrift.NewDecoder(reader).Decode(&p.header); err != nil {
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
	if h := &p.header.DataPageHeaderV2; h.Valid {
		levels = int(h.V.RepetitionLevelsByteLength) + int(h.V.DefinitionLevelsByteLength)
		if h.V.IsCompressed.Valid && !h.V.IsCompressed.V {
			codec = types.Uncompressed
		}
		h.V.IsCompressed = thrift.New(false)
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
	width := map[types.Type]int{types.Int32: 4, types.Float: 4, types.Int64: 8, types.Double: 8, types.Int96: 12,
		types.FixedLenByteArray: l.length}[l.kind]
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
