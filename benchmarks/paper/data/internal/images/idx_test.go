package images

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/images/imagestest"
)

func FuzzIDX(f *testing.F) {
	for _, seed := range [][]byte{imagestest.IDX([]byte{1, 2, 3}, 3), imagestest.IDX(make([]byte, 784), 1, 28, 28),
		imagestest.IDX(nil, 1<<31, 28, 28),
		{0, 0, 8}, imagestest.Gzipped(f, imagestest.IDX([]byte{1}, 1))} {
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
