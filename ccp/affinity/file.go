package affinity

import (
	"cmp"
	"io/fs"

	"github.com/clusterpool/ccp/internal/npz"
)

// ReadFS reads a graph from an .npz file of a file system, which WriteFile or scipy.sparse.save_npz wrote: the arrays
// indptr, indices and data of [FromCSR]. Errors name the file and the array.
func ReadFS(fsys fs.FS, name string) (*Matrix, error) {
	content, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	return Parse(name, content)
}

// Parse is ReadFS of the content of a file.
func Parse(name string, content []byte) (*Matrix, error) {
	file, err := npz.Read(name, content)
	if err != nil {
		return nil, err
	}
	indptr, wrongStarts := npz.Elements(file, "indptr", -1, "", (*npz.Array).Ints)
	indices, wrongColumns := npz.Elements(file, "indices", -1, "", (*npz.Array).Ints)
	data, wrongWeights := npz.Elements(file, "data", -1, "", (*npz.Array).Floats)
	if err := cmp.Or(wrongStarts, wrongColumns, wrongWeights); err != nil {
		return nil, file.Errorf("%w", err)
	}
	m, err := FromCSR(len(indptr)-1, indptr, indices, data)
	if err != nil {
		return nil, file.Errorf("%w", err)
	}
	return m, nil
}

// WriteFile writes an .npz file that ReadFile and scipy.sparse.load_npz read. The file appears whole or not at all.
func (m *Matrix) WriteFile(path string) error {
	n := int64(m.N())
	return npz.Write(path, []npz.Named{
		{Name: "indices", Array: &npz.Array{Shape: []int{len(m.indices)}, Data: m.indices}},
		{Name: "indptr", Array: &npz.Array{Shape: []int{len(m.indptr)}, Data: m.indptr}},
		{Name: "format", Array: &npz.Array{Data: []string{"csr"}}},
		{Name: "shape", Array: &npz.Array{Shape: []int{2}, Data: []int64{n, n}}},
		{Name: "data", Array: &npz.Array{Shape: []int{len(m.data)}, Data: m.data}},
	})
}
