package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// New makes a data set of samples in memory: features `[samples, nodes, channels]`, row-major and in raw units; a class for each
// sample, counted from 0; and a graph over the nodes. The number of channels follows from the length of features. The slices
// are not copied.
//
// The splits are drawn as for an .npz file without any: stratified, from opts.Seed, with opts.Validation and opts.Fold; other options are
// not used. Mean and Std are those of Train. To use your own splits, names or augmentation, set the fields of the data set,
// recompute Mean and Std with [Dataset.ChannelStats], and call [Dataset.Validate].
//
// It is an error if the lengths do not fit together or if Validate fails; it says what, where and the value.
func New(name string, features []float32, labels []int32, graph *affinity.Matrix, opts Options) (*Dataset, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	d := &Dataset{Name: name, Labels: labels, Affinity: graph, Provenance: "made in memory"}
	var err error
	switch {
	case graph == nil:
		err = errors.New("no graph; build one with package affinity")
	case len(labels) == 0 || graph.N() == 0:
		err = fmt.Errorf("%d labels and %d nodes; there must be at least 1 of each", len(labels), graph.N())
	case len(features) == 0 || len(features)%(len(labels)*graph.N()) != 0:
		err = fmt.Errorf("%d features; want samples x nodes x channels, a multiple of %d x %d", len(features), len(labels), graph.N())
	case int(slices.Max(labels)) >= len(labels):
		err = fmt.Errorf("label %d is more than the %d samples allow; number the classes from 0", slices.Max(labels), len(labels))
	}
	if err != nil {
		return nil, d.first([]error{err})
	}
	size := len(features) / len(labels)
	d.Nodes, d.Channels, d.Signals = graph.N(), size/graph.N(), &Floats{Values: features, Size: size}
	for class := range slices.Max(labels) + 1 {
		d.ClassNames = append(d.ClassNames, strconv.Itoa(int(class)))
	}
	if err = d.checkLabels(); err == nil {
		err = d.drawSplits(opts)
	}
	if err != nil {
		return nil, d.first([]error{err})
	}
	return d.finished(Options{})
}
