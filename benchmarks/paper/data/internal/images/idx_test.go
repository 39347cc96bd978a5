package images

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// idxFile is an idx file of unsigned bytes.
func idxFile(values []byte, dims ...int) []byte {
	file := []byte{0, 0, 8, byte(len(dims))}
	for _, dim := range dims {
		file = binary.BigEndian.AppendUint32(file, uint32(dim))
	}
	return append(file, values...)
}

func gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

func FuzzIDX(f *testing.F) {
	for _, seed := range [][]byte{idxFile([]byte{1, 2, 3}, 3), idxFile(make([]byte, 784), 1, 28, 28),
		idxFile(nil, 1<<31, 28, 28),
		{0, 0, 8}, gzipped(f, idxFile([]byte{1}, 1))} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		plain, err := gunzip(file, 1<<16)
		if err != nil {
			return
		}
		if parsed, err := parseIDX(plain, 28, 28); err == nil {
			require.Zero(t, len(parsed)%784)
		}
		if parsed, err := parseIDX(plain); err == nil {
			require.Len(t, parsed, len(plain)-8)
		}
	})
}
