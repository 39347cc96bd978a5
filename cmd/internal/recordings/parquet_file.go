package recordings

// This file opens Parquet files: it reads their footer, and shows the library parquet-go each row group as a file of
// its own whose pages it reads rightly.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	types "github.com/parquet-go/parquet-go/format"
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
	footer, err := readFooter(from, size)
	if err != nil {
		return nil, err
	}
	p := &parquetFile{from: from, size: size}
	err = thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(footer)).Decode(&p.meta)
	if err != nil {
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
			RepetitionType: e.RepetitionType, NumChildren: e.NumChildren})
	}
	return p, nil
}

// readFooter reads what stands at the end of a file of that size: the description of all its content, the length of
// that, and a mark.
func readFooter(from io.ReaderAt, size int64) ([]byte, error) {
	if size < 12 { // two marks and the length
		return nil, errors.New("the file is no Parquet file; name it after what it is")
	}
	begin, end := make([]byte, 4), make([]byte, 8)
	_, err := from.ReadAt(end, size-8)
	if err != nil {
		return nil, err
	}
	_, err = from.ReadAt(begin, 0)
	if err != nil {
		return nil, err
	}
	length, mark := int64(binary.LittleEndian.Uint32(end)), string(end[4:])
	switch {
	case mark == "PARE":
		return nil, errEncrypted
	case string(begin) == parquetMagic && mark != parquetMagic:
		return nil, errors.New("the end of the file is missing; copy or write it again")
	case mark != parquetMagic || length > size-12:
		return nil, errors.New("the file is damaged, or no Parquet file")
	}
	footer := make([]byte, length)
	_, err = from.ReadAt(footer, size-8-length)
	return footer, err
}

var errEncrypted = errors.New("the file is encrypted, which is not read; write it without encryption")

// group opens a row group. The library sees a file of its own: the bytes of this one, behind them the pages that had to
// be written anew, and then a footer that knows of this row group only.
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
		parquet.SkipBloomFilters(true), parquet.SkipMagicBytes(true))
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
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		at += int64(n)
	}
	if at >= w.size && at-w.size < int64(len(w.tail)) {
		n += copy(to[n:], w.tail[at-w.size:])
	}
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
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
	made.MetaData = types.ColumnMetaData{Type: m.Type, Encoding: m.Encoding, PathInSchema: m.PathInSchema,
		Codec: m.Codec, NumValues: m.NumValues, TotalUncompressedSize: m.TotalUncompressedSize,
		TotalCompressedSize: m.TotalCompressedSize, DataPageOffset: m.DataPageOffset,
		DictionaryPageOffset: m.DictionaryPageOffset}
	if !p.libraryReads(m, l) {
		err = p.rewrite(view, m, l, &made.MetaData)
	}
	return made, err
}

// rewrite writes the pages of a column in a row group behind the end of the file, unpacked, and says in to where they
// are.
func (p *parquetFile) rewrite(view *withTail, m types.ColumnMetaData, l *leaf, to *types.ColumnMetaData) error {
	packed, err := p.packed(m)
	if err != nil {
		return err
	}
	to.Codec, to.DataPageOffset, to.DictionaryPageOffset = types.Uncompressed, 0, 0
	begin := len(view.tail)
	for valuesLeft := m.NumValues; valuesLeft > 0 && len(packed) > 0; {
		page, used, err := nextPage(packed, m.Codec, l)
		if err != nil {
			return err
		}
		packed = packed[used:]
		offset := &to.DictionaryPageOffset
		if !page.header.DictionaryPageHeader.Valid {
			values := page.header.DataPageHeader.V.NumValues + page.header.DataPageHeaderV2.V.NumValues // one of them is 0
			if values <= 0 {
				continue // this page holds none, or is of another kind
			}
			valuesLeft -= int64(values)
			offset = &to.DataPageOffset
		}
		if *offset == 0 { // the first page of its kind
			*offset = view.size + int64(len(view.tail))
		}
		view.tail, err = page.write(view.tail)
		if err != nil {
			return err
		}
	}
	to.TotalCompressedSize = int64(len(view.tail) - begin)
	to.TotalUncompressedSize = to.TotalCompressedSize
	return nil
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
