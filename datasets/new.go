package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// New makes a data set of samples in memory. The features are `[samples, nodes, channels]`, row-major and in raw units.
// Their length gives the number of channels. Classes count from 0. The slices are not copied.
//
// New draws the splits as Load does for an .npz file without any: stratified, by Seed, Validation, HoldOut and Fold. It
// uses no other options. Mean and Std are taken over Train. For your own splits, names or augmentation, set the fields
// of the data set, recompute Mean and Std with [Dataset.ChannelStats], and call [Dataset.Validate].
//
// It is an error if the lengths do not fit together or if Validate fails. The error says what, where and the value.
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
		err = fmt.Errorf("%d features; want samples x nodes x channels, a multiple of %d x %d",
			len(features), len(labels), graph.N())
	case int(slices.Max(labels)) >= len(labels):
		err = fmt.Errorf("label %d is more than the %d samples allow; number the classes from 0",
			slices.Max(labels), len(labels))
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
