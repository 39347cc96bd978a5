// Package imagestest makes files of images for tests.
package imagestest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// IDX is an idx file of unsigned bytes.
func IDX(values []byte, dims ...int) []byte {
	file := []byte{0, 0, 8, byte(len(dims))}
	for _, dim := range dims {
		file = binary.BigEndian.AppendUint32(file, uint32(dim))
	}
	return append(file, values...)
}

// Gzipped packs a file's content.
func Gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}
