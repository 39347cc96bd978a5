package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
)

// ReadSignals reads signals on a graph in a numpy file, and their names. It checks that they fit the model.
func ReadSignals(path string, m models.Metadata) (s Samples, err error) {
	var array *npz.Array
	if datasets.IsFile(path) {
		array, s.Names, err = readFeatures(path, m)
	} else {
		array, err = npz.ReadNPYFile(path)
	}
	if err != nil {
		return s, err
	}
	shape, nodes, channels := array.Shape, m.Spec.Nodes, m.Spec.Channels
	fits := slices.Equal(shape[min(1, len(shape)):], []int{nodes, channels}) ||
		len(shape) == 2 && shape[1] == nodes && channels == 1
	if !fits {
		return s, fmt.Errorf("array features has shape %v; the model needs [samples, %d, %d]", shape, nodes, channels)
	}
	values, err := array.Float32s()
	if err != nil {
		return s, fmt.Errorf("features: %w; store them as such (features.astype(numpy.float32))", err)
	}
	s.Signals = slices.Collect(slices.Chunk(values, nodes*channels))
	for i := len(s.Names); i < len(s.Signals); i++ {
		s.Names = append(s.Names, strconv.Itoa(i))
	}
	return s, nil
}

// readFeatures reads features of an .npz file, and the names of the samples if they are there. Its nodes must be the
// model's.
func readFeatures(path string, m models.Metadata) (array *npz.Array, names []string, err error) {
	file, err := npz.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if !file.Has("features") {
		return nil, nil, fmt.Errorf("there is no array features; store the signals as features [samples, nodes, "+
			"channels] (the file has %s)", strings.Join(file.Names(), ", "))
	}
	if file.Has("node_names") {
		nodes, err := npz.Elements(file, "node_names", m.Spec.Nodes, "nodes of the model", (*npz.Array).Strings)
		err = cmp.Or(err, m.CheckNames(nodes))
		if err != nil {
			return nil, nil, err
		}
	}
	array, err = file.Array("features")
	if err == nil && file.Has("sample_names") && len(array.Shape) > 0 {
		names, err = npz.Elements(file, "sample_names", array.Shape[0], "samples of features", (*npz.Array).Texts)
	}
	return array, names, err
}
