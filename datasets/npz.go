package datasets

import (
	"crypto/sha256"
	"fmt"
	"io"
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
		"optional split [samples] (0 train, 1 validation, 2 test) and class_names",
	Licence: "yours",
}

// npzArrays are the arrays that a file may hold.
var npzArrays = []string{"features", "labels", "split", "class_names", "edges", "weights", "adjacency", "indptr",
	"indices", "data", "coordinates"}

// npzReader builds a data set from the arrays of a file, each step checking what it reads. The errors of its methods
// name the array and the index; loadNPZ adds the file.
type npzReader struct {
	file *npz.File
	opts Options
	d    *Dataset
}

// loadNPZ reads the user's own data: see npzInfo.Needs for the arrays. Without `split` it draws stratified splits.
func loadNPZ(path string, opts Options) (*Dataset, error) {
	file, err := npz.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hash, err := hashFile(path)
	if err != nil {
		return nil, err
	}
	r := &npzReader{file: file, opts: opts, d: &Dataset{
		Name:       filepath.Base(path),
		Provenance: fmt.Sprintf("%s, sha256 %x", path, hash),
	}}
	r.warnUnknown()
	for _, step := range []func() error{r.readFeatures, r.readLabels, r.readSplit, r.readGraph} {
		if err := step(); err != nil {
			if strings.HasPrefix(err.Error(), path) {
				return nil, err // the archive's own errors name the file already
			}
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return r.d, nil
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
	a, err := r.file.Array("features")
	if err != nil {
		return err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("features has shape %v; want [samples, nodes, channels] or [samples, nodes], none of them 0", a.Shape)
	}
	r.d.Nodes, r.d.Channels = a.Shape[1], 1
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
	for i, value := range values {
		if !finite(float64(value)) {
			return fmt.Errorf("%s is %v, which is not a finite float32; replace it (numpy.nan_to_num) or drop the sample",
				at("features", a.Shape, i), element(a, i))
		}
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
