package skeleton

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/clusterpool/ccp/internal/files"
)

// A file of prepared signals is a header and the records. The header is cacheMagic, the key of what they were made from, the
// number of samples, the values of a sample and the checksum of the records.
const (
	cacheMagic  = "ccp skeletons 1\n"
	cacheHeader = len(cacheMagic) + len(Key{}) + 8 + 8 + 4
)

// ReadCache reads what WriteCache wrote under the same key: n samples of `size` values. The error says what is wrong with the
// file: not there, of another key, damaged. Then the signals have to be made again.
func ReadCache(path string, key Key, n, size int) (*Signals, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	header := make([]byte, cacheHeader)
	if _, err := io.ReadFull(file, header); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", path, err)
	}
	s := &Signals{size: size}
	// All but the checksum is known beforehand.
	if !bytes.Equal(header[:cacheHeader-4], s.header(key, n)[:cacheHeader-4]) {
		return nil, fmt.Errorf("%s: made from other recordings, or in another way", path)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	length := n * recordBytes(size)
	if info.Size() != int64(cacheHeader+length) {
		return nil, fmt.Errorf("%s: damaged: %d bytes, want %d", path, info.Size(), cacheHeader+length)
	}
	s.records = make([]byte, length)
	if _, err := io.ReadFull(file, s.records); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", path, err)
	}
	if want := binary.LittleEndian.Uint32(header[cacheHeader-4:]); s.Checksum() != want {
		return nil, fmt.Errorf("%s: damaged: its checksum is %08x, want %08x", path, s.Checksum(), want)
	}
	return s, nil
}

// WriteCache keeps the signals at path, all or nothing.
func (s *Signals) WriteCache(path string, key Key) error {
	header := s.header(key, s.Len())
	binary.LittleEndian.PutUint32(header[cacheHeader-4:], s.Checksum())
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(header)
		if err == nil {
			_, err = w.Write(s.records)
		}
		return err
	})
}

// header is the header of a file, the checksum left at zero.
func (s *Signals) header(key Key, n int) []byte {
	header := append([]byte(cacheMagic), key[:]...)
	header = binary.LittleEndian.AppendUint64(header, uint64(n))
	header = binary.LittleEndian.AppendUint64(header, uint64(s.size))
	return append(header, 0, 0, 0, 0)
}
