package npz

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The hash of the file is the same whichever arrays were read, and in whatever order.
func TestDigestIsOfTheWholeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	var arrays []Named
	for i, n := range []int{10, 700_000, 5} { // the second is read ahead, in blocks
		arrays = append(arrays, Named{Name: fmt.Sprint(i), Array: &Array{Shape: []int{n}, Data: upTo[float64](n)}})
	}
	require.NoError(t, Write(path, arrays))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	want := fmt.Sprintf("%x", sha256.Sum256(content))
	for _, order := range []string{"", "0", "1", "2", "012", "210", "1201", "11"} {
		f, err := OpenDigest(path)
		require.NoError(t, err)
		for name := range strings.SplitSeq(order, "") {
			a, err := f.Array(name)
			require.NoError(t, err)
			assert.Equal(t, arrays[name[0]-'0'].Array.Data, a.Data)
		}
		got, err := f.Digest()
		require.NoError(t, err)
		assert.Equal(t, want, got, "after arrays %s", order)
		require.NoError(t, f.Close())
	}
}

// A reader ahead gives all bytes and then the error, and can be ended at any place.
func TestReadAhead(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 3*aheadSize/16+5)
	broken := errors.New("broken")
	for _, end := range []error{io.EOF, broken} {
		a := readAhead(io.MultiReader(strings.NewReader(text), failing{end}))
		got, err := io.ReadAll(a)
		assert.Equal(t, text, string(got))
		if errors.Is(end, io.EOF) {
			assert.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, broken)
		}
		a.end()
	}
	a := readAhead(strings.NewReader(text))
	_, err := a.Read(make([]byte, 10))
	require.NoError(t, err)
	a.end() // though most is unread
}

// failing ends with an error.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// Numbers of each type become the float32 that Float32s makes of them, and a scan sees each once, in order.
func TestNarrow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	for _, data := range []any{[]bool{true, false}, []int8{-128, 127}, []int16{-3, 300}, []int32{1<<24 + 1, -7},
		[]int64{math.MaxInt64, -1}, upTo[uint8](600_000), []uint16{65535}, []uint32{math.MaxUint32},
		[]uint64{math.MaxUint64, 5}, []float32{1.5, float32(math.Inf(1))}, []float64{0.1, 1e300, -1e-300}} {
		a := &Array{Data: data}
		a.Shape = []int{a.Len()}
		require.NoError(t, Write(path, []Named{{Name: "a", Array: a}}))
		f, err := Open(path)
		require.NoError(t, err)
		var seen []float32
		narrow, err := f.Narrow("a", func(shape []int) func([]float32) {
			assert.Equal(t, a.Shape, shape)
			return func(some []float32) { seen = append(seen, some...) }
		})
		require.NoError(t, err)
		want, err := a.Float32s()
		require.NoError(t, err)
		assert.Equal(t, want, narrow.Data)
		assert.Equal(t, want, seen)
		assert.Equal(t, a.Kind(), narrow.Kind())
		require.NoError(t, f.Close())
	}
}
