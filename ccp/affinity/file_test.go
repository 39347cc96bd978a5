package affinity

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

// TestForeignFiles reads one graph from the files of scipy (testdata/make.py).
func TestForeignFiles(t *testing.T) {
	for _, name := range []string{"csr.npz", "csc.npz"} {
		m, err := ReadFS(os.DirFS("testdata"), name)
		require.NoError(t, err)
		assert.Equal(t, small(t), m, name)
	}
	_, err := ReadFS(os.DirFS("testdata"), "coo.npz")
	assert.ErrorContains(t, err, "coo.npz: ")
	assert.ErrorContains(t, err, "indptr")
}

func TestWriteAndRead(t *testing.T) {
	nothing, err := New(3, nil)
	require.NoError(t, err)
	none, err := New(0, nil)
	require.NoError(t, err)
	odd, err := New(3, []Edge{{0, 1, 0.1}, {1, 2, 1e-300}, {0, 2, 1.0 / 3}, {0, 0, 12345678901}})
	require.NoError(t, err)
	for _, m := range []*Matrix{small(t), odd, nothing, none} {
		folder := t.TempDir()
		path := filepath.Join(folder, "graph.npz")
		require.NoError(t, m.WriteFile(path))
		back, err := ReadFS(os.DirFS(filepath.Dir(path)), filepath.Base(path))
		require.NoError(t, err)
		assert.Equal(t, m, back)

		// Writing over it leaves one file, and what cannot be written leaves none.
		require.NoError(t, m.WriteFile(path))
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
		assert.ErrorIs(t, m.WriteFile(filepath.Join(folder, "none", "graph.npz")), os.ErrNotExist)
	}
}

func TestFileErrors(t *testing.T) {
	folder := t.TempDir()
	_, err := ReadFS(os.DirFS(folder), "none.npz")
	assert.ErrorIs(t, err, os.ErrNotExist)
	ints := func(shape []int, values ...int64) *npz.Array { return &npz.Array{Shape: shape, Data: values} }
	floats := func(shape []int, values ...float64) *npz.Array { return &npz.Array{Shape: shape, Data: values} }
	words := func(values ...string) *npz.Array { return &npz.Array{Shape: []int{len(values)}, Data: values} }
	indptr, indices, data := ints([]int{3}, 0, 1, 2), ints([]int{2}, 1, 0), floats([]int{2}, 5, 5)
	for _, c := range []struct {
		want   string
		arrays map[string]*npz.Array
	}{
		{"indptr", nil},
		{"indices", map[string]*npz.Array{"indptr": indptr}},
		{"data", map[string]*npz.Array{"indptr": indptr, "indices": indices}},
		{"indptr … [3 1] … one dimension",
			map[string]*npz.Array{"indptr": ints([]int{3, 1}, 0, 1, 2), "indices": indices, "data": data}},
		{"data: elements are string", map[string]*npz.Array{"indptr": indptr, "indices": indices, "data": words("x", "y")}},
		{"symmetric … (0,1) is 5 … (1,0) is 6",
			map[string]*npz.Array{"indptr": indptr, "indices": indices, "data": floats([]int{2}, 5, 6)}},
		{"-1 nodes", map[string]*npz.Array{"indptr": ints([]int{0}), "indices": ints([]int{0}), "data": floats([]int{0})}},
	} {
		path := filepath.Join(t.TempDir(), "a.npz")
		var arrays []npz.Named
		for name, a := range c.arrays {
			arrays = append(arrays, npz.Named{Name: name, Array: a})
		}
		require.NoError(t, npz.Write(path, arrays))
		_, err := ReadFS(os.DirFS(filepath.Dir(path)), filepath.Base(path))
		require.ErrorContains(t, err, "a.npz: ")
		messagetest.Names(t, err, c.want)
		assert.Equal(t, 1, strings.Count(err.Error(), "a.npz"), err)
	}
}

func FuzzReadFS(f *testing.F) {
	for _, name := range []string{"csr.npz", "csc.npz", "coo.npz"} {
		seed, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := ReadFS(fstest.MapFS{"a.npz": {Data: content}}, "a.npz")
		if err != nil {
			require.ErrorContains(t, err, "a.npz: ")
			return
		}
		indptr, indices, data := m.CSR()
		again, err := FromCSR(m.N(), indptr, indices, data)
		require.NoError(t, err)
		require.Equal(t, m, again)
	})
}

func ExampleReadFS() {
	m, err := ReadFS(os.DirFS("testdata"), "csr.npz") // Written by scipy.sparse.save_npz.
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.N(), m.EdgeList())
	// Output: 4 [{0 1 2} {1 2 0.5} {2 2 1}]
}
