package skeleton

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/clusterpool/ccp/internal/files"
)

// ReadCache reads what WriteCache wrote under the same key: n samples of `size` values. On any error the signals have to be
// made again.
func ReadCache(path string, key Key, n, size int) (*Signals, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	header, records, _ := bytes.Cut(content, []byte("\n"))
	s := &Signals{records: records, size: size}
	if len(records) != n*recordBytes(size) || !bytes.Equal(header, s.header(key)) {
		return nil, fmt.Errorf("%s: damaged, or made from other recordings or in another way", path)
	}
	return s, nil
}

// WriteCache keeps the signals at path, all or nothing: a line of text, then the records.
func (s *Signals) WriteCache(path string, key Key) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(s.header(key), '\n'))
		if err == nil {
			_, err = w.Write(s.records)
		}
		return err
	})
}

// header says what the signals were made from, their number, their size and their checksum.
func (s *Signals) header(key Key) []byte {
	return fmt.Appendf(nil, "ccp skeletons 2 %x %d %d %08x", key, s.Len(), s.size, s.Checksum())
}
