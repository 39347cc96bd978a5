package newsgroups

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"io"
	"os"

	"github.com/clusterpool/ccp/internal/files"
)

// writeGob writes a value to a file. The gzip format, here without compression, adds a checksum.
func writeGob[T any](path string, value T) error {
	return files.Write(path, func(w io.Writer) error {
		zipper, err := gzip.NewWriterLevel(w, gzip.NoCompression)
		if err != nil {
			return err
		}
		if err := gob.NewEncoder(zipper).Encode(value); err != nil {
			return err
		}
		return zipper.Close()
	})
}

// readGob reads a file of writeGob. It is an error if the file is damaged.
func readGob[T any](path string) (value T, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return value, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return value, err
	}
	if content, err = io.ReadAll(unzipped); err != nil { // checks the sum before anything is decoded
		return value, err
	}
	err = gob.NewDecoder(bytes.NewReader(content)).Decode(&value)
	return value, err
}
