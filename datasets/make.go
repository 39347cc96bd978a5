package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
)

// Make returns the data set of raw samples and a split. It depends on these two only, and changes neither.
//
// Mean and Std, a graph of nearest or correlated neighbours, and frames, scale and links of recordings are those of the
// training samples; of all samples, if there are none to train on. The result has passed [Dataset.Validate].
func Make(raw *Raw, s Split) (*Dataset, error) {
	d, errs := assemble(raw, s)
	return d, named(raw.Name, errs)
}

// assemble does what Make does, and returns all errors.
func assemble(raw *Raw, s Split) (*Dataset, []error) {
	d := &Dataset{Raw: *raw, Split: s, Affinity: raw.Graph, Coordinates: raw.Coordinates, Notes: slices.Clip(raw.Notes),
		hashed: &hashes{}}
	if s.Warning != "" {
		d.Warnings = []string{s.Warning}
	}
	d.Warnings = append(d.Warnings, raw.Warnings...)
	if own := raw.Split; d.Recorded != nil && d.Recorded.Fill != nil && s.Validation != nil && own != nil &&
		!slices.Equal(own.Train, s.Train) {
		appendf(&d.Warnings, "missing values stay filled as all training samples let expect, "+
			"also those held out for validation; load the data with validation samples (HoldOut, "+
			"Validation) to learn from the others alone")
	}
	if d.Series != nil {
		d.Signals = &framed{series: d.Series}
	}
	if d.Signals == nil || d.checkLabels(1) != nil || d.checkSplits() != nil {
		if d.Series != nil { // whose graph is not made yet
			return nil, separate(errors.Join(d.checkLabels(1), d.checkSplits()))
		}
		return nil, d.errors()
	}
	if d.Series != nil {
		if err := d.overFrames(); err != nil {
			return nil, []error{err}
		}
	}
	if d.Scale != nil {
		d.Mean, d.Std = d.Scale(&d.Raw, d.Train)
	} else {
		d.standardise()
	}
	d.known = nil
	if d.Affinity == nil && d.KNN > 0 && len(d.Train) > 0 {
		if err := d.join(); err != nil {
			return nil, []error{err}
		}
		d.learned = d.Affinity
	}
	if errs := d.errors(); len(errs) > 0 {
		return nil, errs
	}
	d.Arrange(d.Affinity)
	d.warnSessions()
	d.warnOddities()
	return d, nil
}

// standardise sets Mean and Std from the training samples: by channel or, if the import says so, by sensor. It warns of
// a constant channel and sets its deviation to 1; its input is then 0. A body keeps its shape: the positions of its
// joints have one deviation for all axes, that of the axes that vary.
func (d *Dataset) standardise() {
	width := d.Channels
	if d.Form != nil && d.Form.Alone() {
		width *= len(d.Form.Sensors)
	}
	d.Mean, d.Std = d.trainStats(width)
	deviations := d.Std[:0]
	if n := 3 * d.Bodies; n <= d.Channels && width == d.Channels {
		deviations = d.Std[:n]
	}
	vary := slices.DeleteFunc(slices.Clone(deviations), func(std float32) bool { return std == 0 })
	for at, std := range d.Std {
		if std == 0 {
			d.Std[at] = 1
			if len(d.Train) > 0 {
				appendf(&d.Warnings, "%s is constant (%g) over the training samples and tells nothing", d.Column(at, len(d.Mean)),
					d.Mean[at])
			}
		}
	}
	square := 0.0
	for _, std := range vary {
		square += float64(std) * float64(std) / float64(len(vary))
	}
	for channel := range deviations {
		deviations[channel] = cmp.Or(float32(math.Sqrt(square)), 1)
	}
}

// describingValues bounds the values that describe a node in a graph over features. More values would hardly change
// distances, but cost time.
const describingValues = 2048

// describingAtOnce bounds the values that describe all nodes together, 128 MB, where they are very many.
const describingAtOnce = 1 << 24

// join joins each node to its KNN nearest by its normalised values over the training samples. If there are many
// samples, it takes evenly spaced ones. Very many nodes are not compared with all others.
func (d *Dataset) join() (err error) {
	most := describingValues
	if d.Nodes > mostCompared {
		most = min(most, max(1, describingAtOnce/d.Nodes))
	}
	count := min(len(d.Train), max(1, most/d.Channels))
	if count < len(d.Train) {
		appendf(&d.Warnings, "the graph of knn %d compares nodes by %d of the %d training samples", d.KNN, count,
			len(d.Train))
	}
	dims := count * d.Channels
	points := make([]float64, d.Nodes*dims)
	sample := make([]float32, d.Nodes*d.Channels)
	for s, i := range loop.Spread(d.Train, count) {
		d.Sample(i, sample)
		for j, value := range sample {
			node, channel := j/d.Channels, j%d.Channels
			points[node*dims+s*d.Channels+channel] = float64(value)
		}
	}
	d.Affinity, err = d.neighbours(points, dims)
	if err != nil {
		return fmt.Errorf("its graph over the %d samples that are left to train on: knn: %w", len(d.Train), err)
	}
	return nil
}

// New makes a data set of samples in memory. The features are `[samples, nodes, channels]`, row-major and in raw units.
// Their length gives the number of channels. Classes count from 0. The slices are not copied.
//
// New draws the splits as Load does for an .npz file without any: stratified, by Seed, Validation, HoldOut and Fold. It
// uses no other options. Mean and Std are taken over Train. For your own splits, names, scale or augmentation, set the
// fields of Raw, and [Make] the data set of it with your [Split].
//
// It is an error if the lengths do not fit together or if Validate fails. The error says what, where and the value.
func New(name string, features []float32, labels []int32, graph *affinity.Matrix, opts Options) (*Dataset, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	r := &Raw{Name: name, Labels: labels, Graph: graph, Provenance: "made in memory"}
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
	if err == nil {
		size := len(features) / len(labels)
		r.Nodes, r.Channels, r.Signals = graph.N(), size/graph.N(), &Floats{Values: features, Size: size}
		for class := range slices.Max(labels) + 1 {
			r.ClassNames = append(r.ClassNames, strconv.Itoa(int(class)))
		}
		err = r.checkLabels(2)
		if err == nil {
			r.lookForFamilies()
			err = r.choose(opts)
		}
	}
	if err != nil {
		return nil, named(name, []error{err})
	}
	return Make(r, *r.Split)
}

// NewSeries returns recordings in memory as raw samples. series[i] is recording i, `[timepoints, sensors]` row by row
// in raw units; recordings may differ in length. A row has a value for each of sensors: twice as many values in a slice
// are taken for twice as many time points. NaN is a missing value, which is interpolated in time. labels[i] is the
// class of recording i by its name. The slices are not changed, and those without gaps are not copied.
//
// If a sensor has several channels, give NewSeries a name for each column, and set Recorded.Sensors to the sensors'
// names and Recorded.Channels to the number of channels, whose columns are side by side.
//
// Set Groups, Graph (the links of the sensors; nil joins those that correlate) and other fields as need be, and [Make]
// the data set: with a [Split] of your own, or with [Drawn] of the raw samples' Labels and Groups.
//
// It is an error if the lengths do not fit together, or if a sensor has no value in a recording. The error names the
// recording, the sensor and the time point.
func NewSeries(name string, series [][]float32, sensors, labels []string) (*Raw, error) {
	r := &Raw{Name: name, Series: slices.Clone(series), Labels: make([]int32, len(labels)), Provenance: "made in memory",
		Recorded: &recording.Form{Sensors: sensors, Channels: 1}}
	switch {
	case len(sensors) == 0:
		return nil, fmt.Errorf("data set %s: no sensors; name each column of a recording", name)
	case len(series) == 0 || len(series) != len(labels):
		return nil, fmt.Errorf("data set %s: %d recordings and %d labels; there must be one label for each recording",
			name, len(series), len(labels))
	}
	r.ClassNames = slices.Compact(slices.Sorted(slices.Values(labels)))
	for i, label := range labels {
		at, _ := slices.BinarySearch(r.ClassNames, label)
		r.Labels[i] = int32(at)
	}
	for i, values := range series {
		if !slices.ContainsFunc(values, func(v float32) bool { return v-v != 0 }) && len(values) > 0 &&
			len(values)%len(sensors) == 0 {
			r.Recorded.Holes = r.Recorded.Holes.Most(recording.Holes{}, len(sensors))
			continue
		}
		one := recording.Recording{Sensors: sensors, Channels: 1, Values: loop.Convert[float64](values)}
		changes, err := r.Recorded.Prepare(&one)
		if err != nil {
			return nil, fmt.Errorf("data set %s: series[%d]: %w", name, i, err)
		}
		r.Recorded.Holes = r.Recorded.Holes.Most(changes.Holes, len(sensors))
		r.Series[i] = r.Recorded.Even(one, nil)
	}
	return r, nil
}
