// Package signal describes the signals of a data set: their shape, classes and statistics. Data sets and networks embed
// one [Info], so that neither has to know the other.
package signal

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
)

// Info is the shape of the signals of a data set, their classes and their statistics. A checkpoint keeps it.
type Info struct {
	// Nodes and Channels are the shape `[nodes, channels]` of a signal.
	Nodes    int `json:"nodes"`
	Channels int `json:"channels"`
	// ClassNames names each class; its length is the number of classes.
	ClassNames []string `json:"class_names"`
	// NodeNames names each node, such as its word; nil if nodes have no names. Checkpoints of recordings leave them to
	// Form.
	NodeNames []string `json:"node_names,omitempty"`
	// Grid is {rows, columns} if the nodes are a grid, row by row: an image, or a skeleton's frames and joints; else
	// nil.
	Grid []int `json:"grid,omitempty"`
	// Parts are the columns of the grid in each part of a body; nil if the nodes are not a skeleton's.
	Parts [][]int `json:"parts,omitempty"`
	// Bodies is the number of bodies in a recording. Each takes three channels, x, y and z, in this order, and they are
	// the first channels. 0 means that the channels are not positions.
	Bodies int `json:"bodies,omitempty"`
	// Form says how recordings become series and signals; nil if samples are no recordings. A classifier makes signals of
	// new recordings with it.
	Form *recording.Form `json:"recording,omitempty"`
	// Layout says how nodes are sensors at frames, and SensorNames names these sensors, or the joints of a skeleton; nil
	// if they have no names. Arrange sets both where a data set or a checkpoint is loaded.
	Layout      affinity.Layout `json:"-"`
	SensorNames []string        `json:"-"`
	// Mean and Std turn a raw value into an input: (raw - Mean) / Std. They have one value for each channel or, if
	// Form says so, for each channel of each sensor, `[sensors, channels]`. They are taken over the training samples,
	// unless the protocol of the data set fixes them. A constant channel has Std 1.
	Mean []float32 `json:"mean"`
	Std  []float32 `json:"std"`
	// Range and Baseline are of the raw training samples, see Measure. Until then they are nil.
	Range *Range `json:"range,omitempty"`
	// Baseline is the raw signal that attributions compare with: the mean of each channel of each node or, of recordings,
	// of each sensor, `[sensors, channels]`. nil is the signal of Mean.
	Baseline []float32 `json:"baseline,omitempty"`
}

// Range holds the limits of the raw training samples, but of those that fewer than one in twenty exceed by far: one
// dead recording would switch off a warning for good. Each list has a value for each channel. If the samples are
// recordings, it has a value for each channel of each sensor, `[sensors, channels]`.
type Range struct {
	Least  []float32 `json:"least"`
	Most   []float32 `json:"most"`
	Spread []float32 `json:"spread"`          // the least difference between the greatest and the least value of a sample
	Stuck  []float32 `json:"stuck,omitempty"` // the largest share of a recording with one value; nil: unknown
}

// Arrange sets Layout and SensorNames, for nodes that a graph joins. The form of recordings states a layout, and else
// LayoutOf finds it. All other fields that say what nodes are must be set.
func (i *Info) Arrange(graph *affinity.Matrix) {
	if i.Form != nil { // a chain of sensors over frames would look like an image
		i.Layout = affinity.Layout{Frames: i.Form.Frames, Sensors: len(i.Form.Sensors)}
		i.SensorNames = i.Form.Sensors
		return
	}
	i.Layout, i.SensorNames = affinity.LayoutOf(graph, i.Grid), nil
	switch {
	case i.Layout.InTime():
		i.SensorNames = sensorNames(i.NodeNames, i.Layout)
	case i.Grid != nil:
		i.SensorNames = sensorNames(i.NodeNames, affinity.Layout{Frames: i.Grid[0], Sensors: i.Grid[1]})
	}
}

// sensorNames returns the names of the sensors of nodes that are named as recording.NodeNames does, such as "head@12".
// It is nil if nodes have other names.
func sensorNames(nodes []string, l affinity.Layout) []string {
	if len(nodes) == 0 || len(nodes) != l.Frames*l.Sensors {
		return nil
	}
	names := make([]string, l.Sensors)
	for node, name := range nodes {
		at := strings.LastIndexByte(name, '@')
		frame, sensor := l.At(int32(node))
		if at < 0 || frame > 0 && name[:at] != names[sensor] {
			return nil
		}
		names[sensor] = name[:at]
	}
	return names
}

// Classes returns the number of classes.
func (i *Info) Classes() int { return len(i.ClassNames) }

// CheckNames returns an error if new signals with these names, if any, have other nodes than the classifier's, or have
// them in another order.
func (i *Info) CheckNames(names []string) error {
	if i.Form != nil || i.NodeNames == nil || names == nil || slices.Equal(names, i.NodeNames) {
		return nil
	}
	if len(names) != len(i.NodeNames) {
		return fmt.Errorf("node_names has %d names; the classifier has %d nodes", len(names), len(i.NodeNames))
	}
	at := 0
	for names[at] == i.NodeNames[at] {
		at++
	}
	return fmt.Errorf("node_names[%d] is %q, where the classifier has %q; store the nodes in its order", at, names[at],
		i.NodeNames[at])
}

// Check returns an error if Form or a statistic does not fit the shape or is unusable, or if a class has no name of
// its own.
func (i *Info) Check() error {
	width := i.Channels
	if f := i.Form; f != nil {
		width = f.Width()
		if err := f.Check(); err != nil {
			return err
		}
		if len(f.Sensors)*f.Frames != i.Nodes || f.Channels != i.Channels {
			return fmt.Errorf("its recordings have %d frames of %d sensors and %d channels, its signals %d nodes and "+
				"%d channels",
				f.Frames, len(f.Sensors), f.Channels, i.Nodes, i.Channels)
		}
	}
	for at, name := range i.ClassNames {
		if name == "" {
			return fmt.Errorf("class_names[%d] is %q; name each class, or leave out the samples without one", at, name)
		}
		if first := slices.Index(i.ClassNames, name); first < at {
			return fmt.Errorf("class_names[%d] is %q, as class_names[%d] is; give each class a name of its own", at, name, first)
		}
	}
	if r, n := i.Range, len(i.Baseline); r != nil &&
		(len(r.Least) != width || len(r.Most) != width || len(r.Spread) != width ||
			r.Stuck != nil && len(r.Stuck) != width) ||
		i.Baseline != nil && n != i.Nodes*i.Channels && (i.Form == nil || n != width) {
		return fmt.Errorf("the lists of range must have %d values each, and baseline one for each channel of a node "+
			"or sensor", width)
	}
	if n := len(i.Mean); len(i.Std) != n || n == 0 || i.Nodes < 1 || i.Channels < 1 || n%i.Channels != 0 ||
		i.Nodes*i.Channels%n != 0 {
		return fmt.Errorf("%d means and %d deviations for %d channels", n, len(i.Std), i.Channels)
	}
	for at := range i.Mean {
		mean, std := float64(i.Mean[at]), float64(i.Std[at])
		if !(math.Abs(mean)+std <= math.MaxFloat64) || std <= 0 {
			return fmt.Errorf("%s has mean %g and deviation %g: rescale its values", i.Column(at, len(i.Mean)), mean, std)
		}
	}
	return nil
}

// Normalize writes the input (raw - Mean) / Std to dst, which is at least as long as raw, and may be raw itself. raw
// holds signals, row-major.
func (i *Info) Normalize(dst, raw []float32) {
	at := 0
	for j, value := range raw {
		dst[j] = (value - i.Mean[at]) / i.Std[at]
		at++
		if at == len(i.Mean) {
			at = 0
		}
	}
}

// Column names the channel, or the sensor and its channel, of a value of one of the statistics, which has so many.
func (i *Info) Column(at, values int) string {
	if i.Form == nil || values != i.Form.Width() {
		return fmt.Sprintf("channel %d", at)
	}
	return recording.Column(i.Form.Sensors, i.Channels, at)
}
