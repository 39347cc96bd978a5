package affinity

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/npz"
)

// TestForeignFiles reads one graph from the files of numpy and scipy (testdata/make.py).
func TestForeignFiles(t *testing.T) {
	for _, name := range []string{
		"csr.npz", "csc.npz", "edges.npz", "adjacency.npz", "savetxt.txt",
		"symmetric.mtx", "general.mtx", "general.mtx.gz", "array.mtx", "array_symmetric.mtx",
	} {
		m, err := ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		assert.Equal(t, small(t), m, name)
	}
	_, err := ReadFile("testdata/coo.npz")
	assert.ErrorContains(t, err, "coo.npz: no graph in its arrays (row, col, format, shape, data); want indptr")
}

func TestWriteAndRead(t *testing.T) {
	nothing, err := New(3, nil)
	require.NoError(t, err)
	none, err := New(0, nil)
	require.NoError(t, err)
	odd, err := New(3, []Edge{{0, 1, 0.1}, {1, 2, 1e-300}, {0, 2, 1.0 / 3}, {0, 0, 12345678901}})
	require.NoError(t, err)
	for _, extension := range []string{".npz", ".NPZ", ".mtx", ".mtx.gz", ".csv", ".csv.gz", ".tsv", ".txt", ".txt.gz", ".edges", ".Edges.GZ"} {
		for _, m := range []*Matrix{small(t), odd, nothing, none} {
			folder := t.TempDir()
			path := filepath.Join(folder, "graph"+extension)
			require.NoError(t, m.WriteFile(path))
			back, err := ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, m, back, extension)

			// Writing over it leaves one file, and what cannot be written leaves none.
			require.NoError(t, m.WriteFile(path))
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Len(t, entries, 1)
			assert.ErrorIs(t, m.WriteFile(filepath.Join(folder, "none", "graph"+extension)), os.ErrNotExist)
		}
	}
}

func TestFileErrors(t *testing.T) {
	folder := t.TempDir()
	put := func(name, content string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	var half bytes.Buffer
	zipper := gzip.NewWriter(&half)
	_, err := zipper.Write(bytes.Repeat([]byte("0,1\n"), 1000))
	require.NoError(t, err)
	require.NoError(t, zipper.Close())
	for _, c := range []struct{ path, want string }{
		{put("a.json", ""), `a.json: extension ".json" is not known; use .npz, .mtx, .csv`},
		{put("a.npz.gz", ""), "a.npz.gz: an .npz file is compressed already"},
		{filepath.Join(folder, "none.csv"), "no such file"},
		{filepath.Join(folder, "none.npz"), "no such file"},
		{put("b.csv", "0,1\n0,x\n"), `b.csv: line 2: node "x" is not a whole number`},
		{put("c.csv.gz", "0,1\n1,2\n2,3\n"), "c.csv.gz: gzip: invalid header; is it gzip?"},
		{put("d.csv.gz", half.String()[:half.Len()-9]), "d.csv.gz: line 1001: unexpected EOF"},
		{put("e.mtx", ""), "e.mtx: line 0: ends before its sizes"},
		{put("f.npz", "0,1\n"), "f.npz: not an .npz (zip) archive"},
	} {
		_, err := ReadFile(c.path)
		assert.ErrorContains(t, err, c.want)
	}
	assert.ErrorContains(t, small(t).WriteFile(filepath.Join(folder, "x.json")), `extension ".json" is not known`)
}

func TestNPZErrors(t *testing.T) {
	ints := func(shape []int, values ...int64) *npz.Array { return &npz.Array{Shape: shape, Data: values} }
	floats := func(shape []int, values ...float64) *npz.Array { return &npz.Array{Shape: shape, Data: values} }
	words := func(values ...string) *npz.Array { return &npz.Array{Shape: []int{len(values)}, Data: values} }
	indptr, indices, data := ints([]int{3}, 0, 1, 2), ints([]int{2}, 1, 0), floats([]int{2}, 5, 5)
	edges := ints([]int{2, 2}, 0, 1, 1, 2)
	for _, c := range []struct {
		want   string
		arrays map[string]*npz.Array
	}{
		{"no graph in its arrays ()", nil},
		{"the graph is given 2 times, by edges and by indptr, indices and data; keep one of them",
			map[string]*npz.Array{"indptr": indptr, "indices": indices, "data": data, "edges": edges}},
		{"indptr, indices and data must come together; indices, data is not there", map[string]*npz.Array{"indptr": indptr}},
		{"indptr, indices and data must come together; data is not there", map[string]*npz.Array{"indptr": indptr, "indices": indices}},
		{"indptr has shape [3 1]; want one dimension", map[string]*npz.Array{"indptr": ints([]int{3, 1}, 0, 1, 2), "indices": indices, "data": data}},
		{"data: elements are string", map[string]*npz.Array{"indptr": indptr, "indices": indices, "data": words("x", "y")}},
		{`format: ["bsr"] is not supported`, map[string]*npz.Array{"indptr": indptr, "format": words("bsr")}},
		{"shape is [2 3], but indptr has 3", map[string]*npz.Array{"indptr": indptr, "indices": indices, "data": data, "shape": ints([]int{2}, 2, 3)}},
		{"not symmetric: (0,1) is 5 but (1,0) is 6", map[string]*npz.Array{"indptr": indptr, "indices": indices, "data": floats([]int{2}, 5, 6)}},
		{"-1 nodes", map[string]*npz.Array{"indptr": ints([]int{0}), "indices": ints([]int{0}), "data": floats([]int{0})}},
		{"edges has shape [4]; want [E, 2]: list a pair of nodes a row", map[string]*npz.Array{"edges": ints([]int{4}, 0, 1, 1, 2)}},
		{"edges: element 1 is 0.5", map[string]*npz.Array{"edges": floats([]int{1, 2}, 0, 0.5)}},
		{"edges holds no edges", map[string]*npz.Array{"edges": ints([]int{0, 2})}},
		{"edges: edge 1 (1--2): node -2", map[string]*npz.Array{"edges": ints([]int{2, 2}, 0, 1, 1, -2)}},
		{"edges: node 4000000000 in a list of only 1 edges", map[string]*npz.Array{"edges": ints([]int{1, 2}, 0, 4e9)}},
		{"weights has shape [1]; want [2], the number of edges", map[string]*npz.Array{"edges": edges, "weights": floats([]int{1}, 1)}},
		{"weights[1] is -1; weights must be finite and not negative", map[string]*npz.Array{"edges": edges, "weights": floats([]int{2}, 1, -1)}},
		{"adjacency has shape [1 2]; want a square", map[string]*npz.Array{"adjacency": floats([]int{1, 2}, 0, 1)}},
		{"adjacency: the matrix is not symmetric", map[string]*npz.Array{"adjacency": floats([]int{2, 2}, 0, 1, 0, 0)}},
		{"adjacency: elements are string", map[string]*npz.Array{"adjacency": {Shape: []int{1, 1}, Data: []string{"x"}}}},
	} {
		path := filepath.Join(t.TempDir(), "a.npz")
		var arrays []npz.Named
		for name, a := range c.arrays {
			arrays = append(arrays, npz.Named{Name: name, Array: a})
		}
		require.NoError(t, npz.Write(path, arrays))
		_, err := ReadFile(path)
		assert.ErrorContains(t, err, path+": ")
		assert.ErrorContains(t, err, c.want)
		if err != nil {
			assert.Equal(t, 1, strings.Count(err.Error(), path), err)
		}
	}
}

// fuzzReader feeds texts to a reader; what it accepts must be a valid matrix that can be written and read again.
func fuzzReader(f *testing.F, format textFormat) {
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := format.read(bytes.NewReader(text))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		if m.N() > 1<<16 {
			return // Valid, but slow to go on with.
		}
		indptr, indices, data := m.CSR()
		again, err := FromCSR(m.N(), indptr, indices, data)
		require.NoError(t, err)
		require.Equal(t, m, again)
		var written bytes.Buffer
		buffered := bufio.NewWriter(&written)
		format.write(buffered, m)
		require.NoError(t, buffered.Flush())
		again, err = format.read(&written)
		require.NoError(t, err)
		require.Equal(t, m, again)
	})
}

func FuzzReadEdgeList(f *testing.F) {
	for _, seed := range []string{
		"0,1\n1,2\n", "source\ttarget\tweight\n0\t1\t0.5\n1 2 3\n", "# nodes: 5\n0 1 1e-3\n# end\n\n1.0 2.0 0\n",
		"\ufeffi, j, w\n0, 1, 1\n1, 0, 1\n", "4000000000,1\n", "# nodes: 0\n", "0,0,7", "0,1,nan", "-1 2",
	} {
		f.Add([]byte(seed))
	}
	fuzzReader(f, textFormats[".csv"])
}

func FuzzReadMatrixMarket(f *testing.F) {
	for _, name := range []string{"symmetric.mtx", "general.mtx", "array.mtx", "array_symmetric.mtx"} {
		seed, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Add([]byte("%%MatrixMarket matrix coordinate pattern symmetric\n% two\n\n3 3 2\n2 1\n3 3\n"))
	f.Add([]byte("%%MatrixMarket matrix coordinate integer general\n2 2 2\n2 1 4\n1 2 4\n"))
	fuzzReader(f, textFormats[".mtx"])
}

func FuzzReadNPZ(f *testing.F) {
	for _, name := range []string{"csr.npz", "csc.npz", "coo.npz", "edges.npz", "adjacency.npz"} {
		seed, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "a.npz")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		file, err := npz.Open(path)
		if err != nil {
			return // A matter of package npz.
		}
		defer file.Close()
		m, err := graphOf(file)
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

func ExampleMatrix_WriteFile() {
	folder, err := os.MkdirTemp("", "affinity")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "ring.csv")
	ring, err := New(3, []Edge{{0, 1, 1}, {1, 2, 0.5}, {2, 0, 0.25}})
	if err == nil {
		err = ring.WriteFile(path)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := os.ReadFile(path)
	fmt.Print(string(content), err)
	// Output:
	// # nodes: 3
	// 0,1,1
	// 0,2,0.25
	// 1,2,0.5
	// <nil>
}

func ExampleReadFile() {
	m, err := ReadFile("testdata/csr.npz") // Written by scipy.sparse.save_npz.
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.N(), m.EdgeList())
	// Output: 4 [{0 1 2} {1 2 0.5} {2 2 1}]
}
