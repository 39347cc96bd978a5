package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
)

// npzArrays are the arrays that a file may hold.
var npzArrays = []string{"features", "labels", "split", "class_names", "edges", "weights", "directed",
	"adjacency", "indptr",
	"indices", "data", "coordinates", "latitude", "longitude", "node_names", "grid", "parts", "bodies", "groups",
	"sample_names", "recording",
	"series", "lengths", "rate", "times", "sensor_names", "as_read", "stretches", "windows"}

// othersNames are arrays of other libraries for graphs and signals, and what they are here.
var othersNames = map[string]string{"edge_index": "edges (edge_index.T)", "edge_list": "edges", "edge_attr": "weights",
	"edge_weight": "weights",
	"weight":      "weights", "adj": "adjacency", "A": "adjacency", "W": "adjacency", "x": "features", "X": "features",
	"y": "labels", "Y": "labels",
	"pos": "coordinates", "coords": "coordinates", "lat": "latitude", "lon": "longitude", "lng": "longitude",
	"row":        "indptr, indices and data (matrix.tocsr() of scipy)",
	"col":        "indptr, indices and data (matrix.tocsr() of scipy)",
	"train_mask": "split (0 where it is true)", "val_mask": "split (1 where it is true)",
	"test_mask": "split (2 where it is true)", "train_idx": "split (0 at these places)",
	"val_idx": "split (1 at these places)", "test_idx": "split (2 at these places)"}

// npzReader builds raw samples from the arrays of a file. Each step checks as much as it can, even after errors of
// earlier steps. Errors name the array and the index, and may be joined. loadNPZ adds the file and returns the first
// error, CheckNPZ returns all.
type npzReader struct {
	*npz.File
	opts Options
	raw  *Raw
	// samples and nodes are the sizes of features, -1 if unknown; raw.Nodes is then 0.
	samples, nodes int
	series         *seriesReader               // nil if the samples are no recordings
	skip           func(sample int, err error) // is told of samples that are left out; nil: they are errors
	predicts       bool                        // samples that a classifier refuses are errors, or left out
	soFar          bool                        // recordings to predict are read as Form.SoFar does
	scan           *valueScan                  // of features or series; nil: they were not looked at yet
	// taken are the arrays read so far.
	taken []ArrayInfo
}

// samplesOf says what an array with an element for each sample has to fit.
func (r *npzReader) samplesOf() string {
	if r.Has("series") {
		return "samples of series"
	}
	return "samples of features"
}

// Array reads an array and adds it to taken.
func (r *npzReader) Array(name string) (*npz.Array, error) {
	a, err := r.File.Array(name)
	if err == nil {
		r.taken = append(r.taken, ArrayInfo{name, a.Shape, a.Kind()})
	}
	return a, err
}

// ArrayInfo is the name, the shape and the Go type of the elements of an array in an .npz file.
type ArrayInfo struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Kind  string `json:"kind"`
}

// openNPZ opens a file and begins a data set.
func openNPZ(path string, opts Options) (*npzReader, error) {
	file, err := npz.OpenDigest(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; check the path, or write the file with numpy.savez (ccp data list says which arrays)",
			err)
	}
	if err != nil {
		return nil, err
	}
	r := &npzReader{File: file, opts: opts, samples: -1, nodes: -1, raw: &Raw{Name: filepath.Base(path)}}
	for _, name := range file.Names() {
		switch meant := othersNames[name]; {
		case slices.Contains(npzArrays, name) || slices.Contains([]string{"format", "shape"}, name) && file.Has("indptr"):
		case meant != "" && !file.Has(strings.Fields(meant)[0]):
			appendf(&r.raw.Warnings, "array %q is not used; store it as %s", name, meant)
		default:
			appendf(&r.raw.Warnings, "array %q is not used; understood are %s", name, strings.Join(npzArrays, ", "))
		}
	}
	for _, name := range file.Others() {
		appendf(&r.raw.Warnings, "%q is no array of numpy; left out", name)
	}
	return r, nil
}

// IsFile reports whether the name of a data set is the path of a file.
func IsFile(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".npz") }

// float32s returns the elements of an array as finite float32. Some may be missing, NaN, if that is allowed. The error
// says what to do instead of storing others; without values nothing is a number.
func (r *npzReader) float32s(name string, a *npz.Array, allowed bool, instead string) (values []float32, missing bool,
	err error) {
	values, err = a.Float32s()
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w; store them as such (%[1]s.astype(numpy.float32))", name, err)
	}
	if r.scan == nil {
		r.scan = &valueScan{}
	}
	if r.scan.at == 0 { // else it saw the values as they were read
		r.scan.seeAll(values)
	}
	missing = r.scan.missing && allowed
	if !r.scan.infinite && r.scan.missing == missing {
		return values, missing, nil
	}
	return values, missing, r.unfit(name, a, values, allowed, instead)
}

// unfit returns an error that names the values which are no finite float32, as the file has them. NaN may be allowed.
func (r *npzReader) unfit(name string, a *npz.Array, values []float32, allowed bool, instead string) (err error) {
	if r.File != nil { // a is what was read, which may have been narrowed
		a, err = r.File.Array(name)
		if err != nil {
			return err
		}
	}
	stored, _ := a.Floats()
	var wrong npz.Wrong
	for i, v := range values {
		if v-v != 0 && !(v != v && allowed) {
			wrong.Add("%s is %s", a.Element(name, i), npz.Unfit(stored[i], instead))
		}
	}
	return wrong.Err(name)
}

// labelled reports whether each sample has a usable label. If not, another step reports the error.
func (r *npzReader) labelled() bool { return r.samples > 0 && len(r.raw.Labels) == r.samples }

// optional reads a list, or nothing if the file does not have it.
func optional[T any](r *npzReader, name string, n int, of string, read func(*npz.Array) ([]T, error)) ([]T, error) {
	if !r.Has(name) {
		return nil, nil
	}
	return npz.Elements(r, name, n, of, read)
}
