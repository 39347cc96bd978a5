package npz

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// upTo returns 0, 1, ..., n-1.
func upTo[T uint8 | uint16 | int32 | float64](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
}

// TestNumpyFiles reads what numpy wrote (testdata/make.py), stored and deflated.
func TestNumpyFiles(t *testing.T) {
	want := []Named{
		{Name: "bools", Array: &Array{Shape: []int{3}, Data: []bool{true, false, true}}},
		{Name: "big_half", Array: &Array{Shape: []int{2}, Data: []float32{1, -2.5}}},
		{Name: "single", Array: &Array{Shape: []int{5}, Data: []float32{0, 0.25, 0.5, 0.75, 1}}},
		{Name: "big_double", Array: &Array{Shape: []int{2, 2}, Data: []float64{1.5, -2.25, 1e300, 0}}},
		{Name: "fortran", Array: &Array{Shape: []int{2, 3, 4}, Data: upTo[int32](24)}},
		{Name: "fortran_bytes", Array: &Array{Shape: []int{2, 3, 4}, Data: upTo[uint8](24)}},
		{Name: "big_shorts", Array: &Array{Shape: []int{2}, Data: []int16{-2, 258}}},
		{Name: "unsigned", Array: &Array{Shape: []int{2}, Data: []uint64{math.MaxUint64, 0}}},
		{Name: "words", Array: &Array{Shape: []int{2, 3}, Data: []string{"cat", "", "Zürich", "日本", "a\x00b", "🙂"}}},
		{Name: "big_words", Array: &Array{Shape: []int{2}, Data: []string{"né", "x"}}},
		{Name: "raw", Array: &Array{Shape: []int{3}, Data: []string{"dog", "", "mouse"}}},
		{Name: "scalar", Array: &Array{Shape: []int{}, Data: []int64{7}}},
		{Name: "empty", Array: &Array{Shape: []int{0, 3}, Data: []float32{}}},
	}
	for _, name := range []string{"plain.npz", "packed.npz"} {
		f, err := Open(filepath.Join("testdata", name))
		require.NoError(t, err)
		defer f.Close()
		assert.Len(t, f.Names(), len(want)+1)
		for _, w := range want {
			require.True(t, f.Has(w.Name), w.Name)
			a, err := f.Array(w.Name)
			require.NoError(t, err)
			assert.Equal(t, w.Array, a, "%s: %s", name, w.Name)
		}

		a, err := f.Array("half")
		require.NoError(t, err)
		half := a.Data.([]float32)
		assert.Equal(t, []float32{0, 0, 1, -2.5, 65504, 1.0 / (1 << 24), -1.0 / (1 << 14), float32(math.Inf(1))}, half[:8])
		assert.True(t, math.Signbit(float64(half[1])), "-0 keeps its sign")
		assert.True(t, math.IsNaN(float64(half[8])))

		_, err = f.Array("labels")
		messagetest.Names(t, err, `no array "labels" … bools, half`)
	}
}

func TestNumpyVersions(t *testing.T) {
	for _, name := range []string{"v1.npy", "v2.npy", "v3.npy"} {
		a, err := ReadNPYFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		assert.Equal(t, &Array{Shape: []int{2, 3, 4}, Data: upTo[uint16](24)}, a)
	}
}

func TestRefusedTypes(t *testing.T) {
	f, err := Open("testdata/refused.npz")
	require.NoError(t, err)
	defer f.Close()
	for name, message := range map[string]string{
		"objects": "pickled Python objects",
		"complex": `dtype "<c16" is not supported`,
		"dates":   `"<M8[D]" … not supported … dates`,
		"records": "records (a structured dtype)",
	} {
		_, err := f.Array(name)
		messagetest.Names(t, err, `refused.npz … "`+name+`" … `+message)
	}
}

// npy frames a header's text as version 1 does and appends data.
func npy(text string, data string) []byte {
	return []byte(magic + "\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text + data)
}

func TestMalformedArrays(t *testing.T) {
	const shape = "{'descr': '|u1', 'fortran_order': False, 'shape': "
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"empty file", "not a .npy array", nil},
		{"text", "not a .npy array", []byte("1,2,3\n4,5,6\n")},
		{"version", "version 9.0 is unknown", []byte(magic + "\x09\x00\x10\x00")},
		{"no length", "header is cut off", []byte(magic + "\x01\x00")},
		{"short header", "header is cut off", []byte(magic + "\x01\x00\xff\x00{}")},
		{"long header", "claims 4294967295 bytes", []byte(magic + "\x02\x00\xff\xff\xff\xff{}")},
		{"no dictionary", "malformed … {", npy("hello", "")},
		{"unclosed text", "{'descr\" is malformed", npy("{'descr", "")},
		{"no shape", "is malformed", npy("{'descr': '<f4', 'fortran_order': False}", "")},
		{"twice", "is malformed", npy("{'descr': '<f4', 'descr': '<f4'}", "")},
		{"other key", "is malformed", npy("{'dtype': '<f4'}", "")},
		{"tail", "is malformed", npy(shape+"(1,)} # x", "a")},
		{"boolean", "is malformed", npy("{'descr': '<f4', 'fortran_order': 0}", "")},
		{"no tuple", "3}\" is malformed", npy(shape+"3}", "")},
		{"no end", "is malformed", npy(shape+"(1,)", "a")},
		{"negative", "is malformed", npy(shape+"(-1,)}", "")},
		{"too large a number", "is malformed", npy(shape+"(9223372036854775808,)}", "")},
		{"unclosed tuple", "(1 2)}\" is malformed", npy(shape+"(1 2)}", "")},
		{"product overflows", "more elements", npy(shape+"(4294967296, 4294967296)}", "")},
		{"bytes overflow", "more elements",
			npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", "")},
		{"huge", "1000000000000 bytes … 1", npy(shape+"(1000000000000,)}", "a")},
		{"cut off", "3 bytes … 2", npy(shape+"(3,)}", "ab")},
		{"too long", "1 bytes … 2", npy(shape+"(1,)}", "ab")},
		{"strings of nothing", "5 strings of length 0", npy("{'descr': '<U0', 'fortran_order': False, 'shape': (5,)}", "")},
		{"not Unicode", "element 1 … 0x110000 … Unicode",
			npy("{'descr': '<U1', 'fortran_order': False, 'shape': (2,)}", "a\x00\x00\x00\x00\x00\x11\x00")},
		{"not UTF-8", `element 1 … "K\xe4se" … UTF-8 … dtype=str`,
			npy("{'descr': '|S4', 'fortran_order': False, 'shape': (2,)}", "K\xc3\xa4.K\xe4se")},
		{"dtype", `dtype "<f3" is not supported`, npy("{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", "abc")},
		{"65 dimensions", "at most 64 dimensions", npy(shape+"("+string(bytes.Repeat([]byte("1,"), 65))+")}", "a")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadNPY(bytes.NewReader(c.file), int64(len(c.file)))
			messagetest.Names(t, err, c.want)
		})
	}
}

func TestPython2Shape(t *testing.T) {
	file := npy("{'shape': (2L, 1L), 'fortran_order': True, 'descr': \"|S1\"}\n", "ab")
	a, err := ReadNPY(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	assert.Equal(t, &Array{Shape: []int{2, 1}, Data: []string{"a", "b"}}, a)
}

func TestReadFileErrorsNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	_, err := ReadNPYFile(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "x.npy")

	require.NoError(t, os.WriteFile(path, []byte("no array"), 0o644))
	_, err = ReadNPYFile(path)
	messagetest.Names(t, err, "x.npy … .npy")
}

// TestChunks reads arrays longer than one chunk and strings wider than one.
func TestChunks(t *testing.T) {
	for _, data := range []any{upTo[float64](100_001), upTo[uint8](600_000),
		[]string{string(bytes.Repeat([]byte("x"), 70_000)), "y"}} {
		a := &Array{Data: data}
		a.Shape = []int{a.Len()}
		var file bytes.Buffer
		require.NoError(t, WriteNPY(&file, a))
		back, err := ReadNPY(&file, int64(file.Len()))
		require.NoError(t, err)
		assert.Equal(t, a, back)
	}
}

func FuzzReadNPY(f *testing.F) {
	for _, name := range []string{"v1.npy", "v2.npy", "v3.npy"} {
		seed, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Add(npy("{'descr': '>U2', 'fortran_order': True, 'shape': (1, 2)}",
		"\x00\x00\x00a\x00\x00\x00b\x00\x00\x00c\x00\x00\x00\x00"))
	f.Add(npy("{'descr': '<f2', 'fortran_order': False, 'shape': ()}", "\x00\x3c"))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := ReadNPY(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		count := 1
		for _, dim := range a.Shape {
			count *= dim
		}
		require.Equal(t, count, a.Len())

		// What was read can be written, and reads back the same.
		var first, second bytes.Buffer
		if texts, ok := a.Data.([]string); ok && !allUTF8(texts) {
			return // Raw bytes of dtype S need not be text.
		}
		require.NoError(t, WriteNPY(&first, a))
		written := bytes.Clone(first.Bytes())
		back, err := ReadNPY(&first, int64(len(written)))
		require.NoError(t, err)
		require.Equal(t, a.Shape, back.Shape)
		require.NoError(t, WriteNPY(&second, back))
		require.Equal(t, written, second.Bytes())
	})
}
