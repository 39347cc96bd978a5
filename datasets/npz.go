package datasets

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
)

var npzInfo = Info{
	Name:        "PATH" + npzExtension,
	Description: "your own signals on your own graph, one file written by numpy.savez",
	Needs: "features [samples, nodes(, channels)]; labels [samples]; the graph as edges [E, 2] (+ weights [E]), " +
		"adjacency [nodes, nodes], indptr + indices + data (CSR), coordinates [nodes, d], or --knn K; " +
		"optional split [samples] (0 train, 1 validation, 2 test), class_names and node_names [nodes]",
	Licence: "yours",
}

// npzArrays are the arrays that a file may hold.
var npzArrays = []string{"features", "labels", "split", "class_names", "edges", "weights", "adjacency", "indptr",
	"indices", "data", "coordinates", "node_names"}

// npzReader builds a data set from the arrays of a file, each step checking what it reads and all that it can of it, also
// where an earlier step found errors. The errors of its methods name the array and the index, and may be joined; loadNPZ
// adds the file and takes the first, CheckNPZ takes all.
type npzReader struct {
	file *npz.File
	opts Options
	d    *Dataset
	// samples is what features says, -1 where that is not known; d.Nodes is 0 then.
	samples int
	// taken are the arrays read so far.
	taken []ArrayInfo
}

// ArrayInfo is an array of an .npz file: its name, shape and type of elements, as Go names it.
type ArrayInfo struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Kind  string `json:"kind"`
}

// loadNPZ reads the user's own data: see npzInfo.Needs for the arrays. Without `split` it draws stratified splits.
func loadNPZ(path string, opts Options) (*Dataset, error) {
	r, err := openNPZ(path, opts)
	if err != nil {
		return nil, err
	}
	defer r.file.Close()
	for _, step := range r.steps() {
		if found := separate(step()); len(found) > 0 {
			if strings.HasPrefix(found[0].Error(), path) {
				return nil, found[0] // the archive's own errors name the file already
			}
			return nil, fmt.Errorf("%s: %w", path, found[0])
		}
	}
	return r.d, nil
}

// openNPZ opens a file and begins a data set.
func openNPZ(path string, opts Options) (*npzReader, error) {
	file, err := npz.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; check the path, or write the file with numpy.savez (ccp data list says which arrays)", err)
	}
	if err != nil {
		return nil, err
	}
	hash, err := hashFile(path)
	if err != nil {
		file.Close()
		return nil, err
	}
	r := &npzReader{file: file, opts: opts, samples: -1, d: &Dataset{
		Name:       filepath.Base(path),
		Provenance: fmt.Sprintf("%s, sha256 %x", path, hash),
	}}
	r.warnUnknown()
	return r, nil
}

// steps are what there is to read, in order.
func (r *npzReader) steps() []func() error {
	return []func() error{r.readFeatures, r.readLabels, r.readSplit, r.readGraph, r.readNodeNames}
}

func hashFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return nil, err
	}
	return digest.Sum(nil), nil
}

func (r *npzReader) warnUnknown() {
	for _, name := range r.file.Names() {
		if !slices.Contains(npzArrays, name) {
			r.d.warn("array %q is not used; understood are %s", name, strings.Join(npzArrays, ", "))
		}
	}
}

// readFeatures reads `features`, [samples, nodes, channels] or [samples, nodes].
func (r *npzReader) readFeatures() error {
	if !r.file.Has("features") {
		return fmt.Errorf("no array features; store the signals as features [samples, nodes, channels] (the file has %s)",
			strings.Join(r.file.Names(), ", "))
	}
	a, err := r.array("features")
	if err != nil {
		return err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("features has shape %v; want [samples, nodes, channels] or [samples, nodes], none of them 0", a.Shape)
	}
	r.samples, r.d.Nodes, r.d.Channels = a.Shape[0], a.Shape[1], 1
	if len(a.Shape) == 3 {
		r.d.Channels = a.Shape[2]
	}
	size := r.d.Nodes * r.d.Channels
	if bytes, ok := a.Data.([]uint8); ok {
		r.d.Signals = &Bytes{Records: bytes, Record: size, Nodes: r.d.Nodes, Channels: r.d.Channels, Scale: 1}
		return nil
	}
	values, err := a.Float32s()
	if err != nil {
		return fmt.Errorf("features: %w; store them as such (features.astype(numpy.float32))", err)
	}
	wrong := several{array: "features"}
	for i, value := range values {
		if !finite(float64(value)) {
			wrong.add(func() error {
				return fmt.Errorf("%s is %v, which is not a finite float32; replace it (numpy.nan_to_num) or drop the sample",
					at("features", a.Shape, i), element(a, i))
			})
		}
	}
	if err := wrong.err(); err != nil {
		return err
	}
	r.d.Signals = &Floats{Values: values, Size: size}
	return nil
}

// at names element i (row-major) of an array: "features[3,0,1]".
func at(name string, shape []int, i int) string {
	index := make([]string, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = fmt.Sprint(i % shape[axis])
		i /= shape[axis]
	}
	return name + "[" + strings.Join(index, ",") + "]"
}

// element is element i of an array as the file has it, before it was narrowed to float32.
func element(a *npz.Array, i int) any {
	if data, ok := a.Data.([]float64); ok {
		return data[i]
	}
	values, err := a.Float32s()
	if err != nil {
		return err
	}
	return values[i]
}
