package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/internal/images"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
)

// ownFile describes the user's own .npz file.
var ownFile = Info{
	Name:        "PATH.npz",
	Description: "your own signals on your own graph, one file written by ccp data import or numpy.savez",
	Needs: "series [samples, sensors, timepoints(, axes)] of recordings (with NaN after the end, or lengths [samples]; optional " +
		"rate, times, sensor_names; the graph, if any, is of the sensors), or features [samples, nodes(, channels)]; " +
		"labels [samples]; the graph as edges [E, 2] (+ weights [E]), " +
		"adjacency [nodes, nodes], indptr + indices + data (CSR), coordinates [nodes, d], or the option knn; " +
		"optional split [samples] (0 train, 1 validation, 2 test), groups [samples] (such as the subject: none is in two " +
		"splits), sample_names [samples], class_names, node_names [nodes], grid [2] (rows and columns of the nodes, " +
		"or frames and sensors) and parts " +
		"[joints] and bodies [1] (of a skeleton)",
	Licence: "yours",
	load:    loadNPZ,
	drawn:   true,
}

// npzArrays are the arrays that a file may hold.
var npzArrays = []string{"features", "labels", "split", "class_names", "edges", "weights", "adjacency", "indptr",
	"indices", "data", "coordinates", "node_names", "grid", "parts", "bodies", "groups", "sample_names", "recording",
	"series", "lengths", "rate", "times", "sensor_names"}

// npzReader builds a data set from the arrays of a file. Each step checks as much as it can, even after errors of
// earlier steps. Errors name the array and the index, and may be joined. loadNPZ adds the file and returns the first
// error, CheckNPZ returns all.
type npzReader struct {
	*npz.File
	opts Options
	d    *Dataset
	// samples and nodes are the sizes of features, -1 if unknown; d.Nodes is then 0.
	samples, nodes int
	series         *seriesReader // nil if the samples are no recordings
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

// loadNPZ reads the user's own data: see ownFile.Needs for the arrays. Without `split` it draws stratified splits.
func loadNPZ(_ context.Context, file Info, opts Options) (*Dataset, error) {
	r, err := openNPZ(file.Name, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if wrong := r.read(); len(wrong) > 0 {
		return nil, r.Errorf("%w", wrong[0])
	}
	return r.d, nil
}

// openNPZ opens a file and begins a data set.
func openNPZ(path string, opts Options) (*npzReader, error) {
	file, err := npz.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; check the path, or write the file with numpy.savez (ccp data list says which arrays)",
			err)
	}
	if err != nil {
		return nil, err
	}
	hash, _, err := files.Digest(path, sha256.New())
	if err != nil {
		file.Close()
		return nil, err
	}
	r := &npzReader{File: file, opts: opts, samples: -1, nodes: -1, d: &Dataset{
		Name:       filepath.Base(path),
		Provenance: fmt.Sprintf("%s, sha256 %s", path, hash),
	}}
	for _, name := range file.Names() {
		if !slices.Contains(npzArrays, name) {
			r.d.warn("array %q is not used; understood are %s", name, strings.Join(npzArrays, ", "))
		}
	}
	return r, nil
}

// read reads all arrays and returns all that is wrong with them.
func (r *npzReader) read() (wrong []error) {
	for _, step := range []func() error{r.readFeatures, r.readLabels, r.readGroups, r.readGrid, r.readParts, r.readSplit,
		r.readForm, r.readGraph, r.readRecordings, r.readNames} {
		wrong = append(wrong, separate(step())...)
	}
	if wrong != nil {
		if meant := r.otherAxes(); meant != nil {
			return []error{meant}
		}
	}
	return wrong
}

// otherAxes returns an error if labels and the graph fit features with its axes in another order. The errors that come
// of that are then not worth a look.
func (r *npzReader) otherAxes() error {
	shapes := map[string][]int{}
	for _, a := range r.taken {
		shapes[a.Name] = a.Shape
	}
	if len(shapes["labels"]) == 0 {
		return nil
	}
	least, most, by := 0, math.MaxInt, "" // the number of nodes, and an array that tells it
	for _, name := range []string{"adjacency", "coordinates", "node_names", "edges"} {
		if shape := shapes[name]; len(shape) > 0 && name != "edges" {
			least, most, by = max(least, shape[0]), min(most, shape[0]), name
		} else if array, err := r.File.Array(name); len(shape) > 0 && err == nil {
			ends, _ := array.Ints()
			least, by = max(least, 1+int(slices.Max(append(ends, -1)))), cmp.Or(by, name)
		}
	}
	features, samples := shapes["features"], shapes["labels"][0]
	for at, order := range map[int][][]int{2: {{0, 1}, {1, 0}},
		3: {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}}[len(features)] {
		if nodes := features[order[1]]; by == "" || features[order[0]] != samples || nodes < least || nodes > most {
			continue
		}
		if at == 0 { // as they should be
			return nil
		}
		return fmt.Errorf("features has shape %v, but labels and %s tell of %d samples and at least %d nodes; transpose it "+
			"(features.transpose(%s))", features, by, samples, least,
			strings.Trim(strings.ReplaceAll(fmt.Sprint(order), " ", ", "), "[]"))
	}
	return nil
}

// readFeatures reads `features`, [samples, nodes, channels] or [samples, nodes].
func (r *npzReader) readFeatures() error {
	switch {
	case r.Has("series"):
		return r.readSeries()
	case !r.Has("features"):
		return fmt.Errorf("no array features or series; store signals as features [samples, nodes, channels], recordings in "+
			"time as series [samples, sensors, timepoints] (the file has %s)", strings.Join(r.Names(), ", "))
	}
	a, err := r.Array("features")
	if err != nil {
		return err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("features has shape %v; want [samples, nodes, channels] or [samples, nodes], none of them 0",
			a.Shape)
	}
	r.samples, r.nodes, r.d.Nodes, r.d.Channels = a.Shape[0], a.Shape[1], a.Shape[1], 1
	if len(a.Shape) == 3 {
		r.d.Channels = a.Shape[2]
	}
	size := r.d.Nodes * r.d.Channels
	table := len(a.Shape) == 2 && !r.Has("grid")
	gaps := table && r.opts.Form != nil && r.opts.Form.Longest == 1 // the classifier was trained on a table with gaps
	if bytes, ok := a.Data.([]uint8); ok && !gaps {
		r.d.Signals = &images.Bytes{Records: bytes, Record: size, Nodes: r.d.Nodes, Channels: r.d.Channels, Scale: 1}
		return nil
	}
	values, err := a.Float32s()
	if err != nil {
		return fmt.Errorf("features: %w; store them as such (features.astype(numpy.float32))", err)
	}
	var wrong npz.Wrong
	for i, value := range values {
		if math.IsNaN(float64(value)) && table { // a table with gaps
			gaps = true
		} else if !finite(float64(value)) {
			original := any(value)
			if wide, ok := a.Data.([]float64); ok {
				original = wide[i] // as the file has it, before it was narrowed to float32
			}
			wrong.Add("%s is %v, which is not a finite float32; replace it (numpy.nan_to_num) or drop the sample",
				a.Element("features", i), original)
		}
	}
	if err := wrong.Err("features"); err != nil {
		return err
	}
	if gaps {
		r.seriesOfFeatures(values)
	}
	r.d.Signals = &Floats{Values: values, Size: size}
	return nil
}

// readGrid reads `grid`, the rows and columns of the nodes.
func (r *npzReader) readGrid() error {
	if !r.Has("grid") || r.series != nil {
		return nil
	}
	sides, err := npz.Elements(r, "grid", 2, "sides of a grid: rows and columns, or frames and sensors", (*npz.Array).Ints)
	if err != nil {
		return err
	}
	rows, columns := sides[0], sides[1]
	if rows < 1 || columns < 1 || r.nodes >= 0 && (max(rows, columns) > int64(r.nodes) || rows*columns != int64(r.nodes)) {
		return fmt.Errorf("grid is %d x %d; want rows and columns, or frames and sensors, whose product is the %d nodes "+
			"of features", rows, columns, r.nodes)
	}
	r.d.Grid = []int{int(rows), int(columns)}
	return nil
}

// readParts reads `parts`, the part of a body that each column of the grid belongs to, and `bodies`.
func (r *npzReader) readParts() error {
	if !r.Has("parts") {
		if r.Has("bodies") {
			return fmt.Errorf("bodies is for the joints of bodies; name their parts in an array parts, or leave bodies out")
		}
		return nil
	}
	joints := r.nodes
	switch {
	case r.series != nil:
	case !r.Has("grid"):
		return fmt.Errorf("parts needs grid, the frames and joints of a recording")
	case r.d.Grid == nil: // what is wrong with it was said
		return nil
	default:
		joints = r.d.Grid[1]
	}
	of, err := npz.Elements(r, "parts", joints, "parts, one for each joint, the columns of grid", (*npz.Array).Ints)
	if err != nil {
		return err
	}
	count := slices.Max(of) + 1
	if count < 1 || count > int64(len(of)) {
		return fmt.Errorf("parts goes up to %d; number the parts of the body from 0, the trunk; -1 is for a joint of none",
			count-1)
	}
	parts := make([][]int, count)
	for joint, part := range of {
		if part < -1 {
			return fmt.Errorf("parts[%d] is %d; number the parts of the body from 0, the trunk; -1 is for a joint of none",
				joint, part)
		}
		if part >= 0 {
			parts[part] = append(parts[part], joint)
		}
	}
	if empty := slices.IndexFunc(parts, func(joints []int) bool { return len(joints) == 0 }); empty >= 0 {
		return fmt.Errorf("parts has no joint of part %d, but of part %d; leave no number out", empty, count-1)
	}
	bodies := []int64{min(1, int64(r.d.Channels/3))}
	if r.Has("bodies") {
		if bodies, err = npz.Elements(r, "bodies", 1, "number of bodies", (*npz.Array).Ints); err != nil {
			return err
		}
		if bodies[0] < 0 || bodies[0] > int64(r.d.Channels)/3 && r.d.Channels > 0 {
			return fmt.Errorf("bodies is %d; each body has x, y and z among the %d channels of features; 0 is for channels "+
				"that are no positions", bodies[0], r.d.Channels)
		}
	}
	r.d.Parts, r.d.Bodies = parts, int(bodies[0])
	return nil
}
