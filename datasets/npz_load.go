package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
)

// ownFile describes the user's own .npz file.
var ownFile = Source{
	Name:  "PATH.npz",
	About: "your own signals on your own graph, one file written by ccp data import or numpy.savez",
	Needs: "series [samples, sensors, timepoints(, axes)] of recordings (with NaN after the end, or lengths [samples]; " +
		"optional " +
		"rate, times, sensor_names; the graph, if any, is of the sensors), or features [samples, nodes(, channels)]; " +
		"labels [samples]; the graph as edges [E, 2] (+ weights [E]), " +
		"adjacency [nodes, nodes], indptr + indices + data (CSR), coordinates [nodes, d], latitude and longitude [nodes] " +
		"in degrees, or the option knn; " +
		"optional split [samples] (0 train, 1 validation, 2 test), groups [samples] (such as the subject: none is in two " +
		"splits), sample_names [samples], class_names, node_names [nodes], grid [2] (rows and columns of the nodes, " +
		"or frames and sensors) and parts " +
		"[joints] and bodies [1] (of a skeleton)",
	Licence: "yours",
	Drawn:   true,
}

// ofFile is the source of an .npz file.
func ofFile(path string) Source {
	file := ownFile
	file.Name = path
	file.Load = func(_ context.Context, _ []string, opts Options) (*Raw, error) { return loadNPZ(path, opts) }
	return file
}

// loadNPZ reads the user's own data: see ownFile.Needs for the arrays. Without `split` it draws stratified splits.
func loadNPZ(path string, opts Options) (*Raw, error) {
	r, err := openNPZ(path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if wrong := r.read(); len(wrong) > 0 {
		return nil, r.Errorf("%w", wrong[0])
	}
	return r.raw, r.setProvenance(path)
}

// setProvenance says where the data is from, with the hash of the file.
func (r *npzReader) setProvenance(path string) error {
	hash, err := r.Digest()
	r.raw.Provenance = fmt.Sprintf("%s, sha256 %s", path, hash)
	return err
}

// read reads all arrays and returns all that is wrong with them.
func (r *npzReader) read() (wrong []error) {
	for _, step := range []func() error{r.readFeatures, r.readLabels, r.readGroups, r.readGrid, r.readParts, r.readSplit,
		r.readForm, r.readAsRead, r.readStreams, r.readGraph, r.readRecordings, r.readNames, r.fits, r.splitFamilies} {
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
	for _, name := range []string{"adjacency", "coordinates", "latitude", "longitude", "node_names", "edges"} {
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

// ReadGraph reads the graph beside the features of an .npz file, so that whoever classifies them can tell whether it is
// the one that the classifier was trained on. It takes edges, an adjacency matrix or compressed rows over so many
// nodes. It is nil if none of these is there with all its arrays.
func ReadGraph(path string, nodes int) (*affinity.Matrix, error) {
	r, err := openNPZ(path, Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.nodes, r.raw.Nodes = nodes, nodes
	for _, form := range graphForms {
		if !slices.ContainsFunc(form.arrays, func(name string) bool { return !r.Has(name) }) {
			graph, err := form.read(r)
			if err != nil {
				return nil, r.Errorf("%w", err)
			}
			return graph, nil
		}
	}
	return nil, nil
}

// ReadSeries reads the recordings of an .npz file without labels or graph, or an .npy file of series, for a classifier
// whose recordings have a form. The series of a sample that cannot be classified is nil, and skip is called with its
// number and the reason. If skip is nil, that is an error. With soFar recordings are read as recording.Form.SoFar reads
// them, and Raw.Unread has the rest. Errors name the array and the index.
func ReadSeries(path string, form *recording.Form, soFar bool, skip func(sample int, err error)) (*Raw, error) {
	if !IsFile(path) {
		a, err := npz.ReadNPYFile(path)
		if err != nil {
			return nil, err
		}
		switch flat := len(a.Shape) == 2; {
		case flat && form.Longest == 1: // rows of a table
			a.Shape = append(a.Shape, 1)
		case flat && a.Shape[1] == 1 && form.Width() == 1:
			return nil, fmt.Errorf("%s: shape %v is of one recording [timepoints, 1], not of series [samples, timepoints]",
				path, a.Shape)
		}
		r := &npzReader{raw: &Raw{Name: path}, opts: Options{Form: form}, skip: skip, predicts: true, soFar: soFar}
		for _, step := range []func() error{func() error { return r.takeSeries(a) }, r.readRecordings, r.fits} {
			if err := step(); err != nil {
				return nil, err
			}
		}
		return r.raw, form.Fits(r.raw.Recorded)
	}
	r, err := openNPZ(path, Options{Form: form})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.skip, r.predicts, r.soFar = skip, true, soFar
	for _, step := range []func() error{r.readFeatures, r.readForm, r.readAsRead, r.readRecordings, r.readNames,
		r.fits} {
		if err := step(); err != nil {
			return nil, r.Errorf("%w", separate(err)[0])
		}
	}
	return r.raw, form.Fits(r.raw.Recorded)
}

// fits returns an error if the samples are not of the kind that the classifier was trained on: signals or recordings,
// and of recordings the same number of sensors and channels. Without a classifier all fits.
func (r *npzReader) fits() error {
	form, recorded := r.opts.Form, r.raw.Recorded
	forSignals := form == nil && r.opts.Graph != nil // a classifier of signals brings their graph, and no form
	switch {
	case forSignals && r.series != nil && r.Has("features"):
		return errors.New("features has gaps (NaN), and the classifier was trained without any: fill them, or train it on " +
			"data with gaps")
	case forSignals && r.series != nil:
		return errors.New("it holds series, but the classifier was trained on signals: store them as features [samples, " +
			"nodes, channels]")
	case form == nil:
		return nil
	case r.series == nil:
		return errors.New("it holds features, but the classifier was trained on recordings: store them as series [samples, " +
			"sensors, timepoints]")
	case recorded == nil: // what is wrong with the recordings has been said
		return nil
	case len(recorded.Sensors) != len(form.Sensors) || recorded.Channels != form.Channels:
		shape := []int{r.samples, len(recorded.Sensors), r.series.timepoints}
		if recorded.Channels > 1 {
			shape = append(shape, recorded.Channels)
		}
		want := fmt.Sprintf("[samples, %d, timepoints", len(form.Sensors))
		if form.Channels > 1 {
			want += fmt.Sprintf(", %d", form.Channels)
		}
		return fmt.Errorf("series has shape %v; the classifier needs %s]", shape, want)
	}
	return nil
}

// Groups lists the groups of the samples in an .npz file, sorted. With folds of "groups", each group is the test of one
// fold. It is an error if the file has no groups.
func Groups(path string) ([]string, error) {
	if !IsFile(path) {
		return nil, fmt.Errorf("%s: %w", path, errNoGroups)
	}
	file, err := npz.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := &npzReader{File: file, samples: -1, raw: &Raw{}}
	if err := r.readGroups(); err != nil {
		return nil, r.Errorf("%w", err)
	}
	if r.raw.Groups == nil {
		return nil, r.Errorf("%w", errNoGroups)
	}
	return slices.Compact(slices.Sorted(slices.Values(r.raw.Groups))), nil
}
