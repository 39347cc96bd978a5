package datasets

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// newImages makes a data set of square images of side x side pixels: a node for each pixel, joined to its 8 neighbours.
// Labels are bytes, one a sample.
func newImages(name string, side, channels int, pixels *Bytes, labels []byte, classes []string) (*Dataset, error) {
	grid, err := affinity.Grid(side, side, 8)
	if err != nil {
		return nil, err
	}
	pixels.Nodes, pixels.Channels = side*side, channels
	d := &Dataset{Name: name, Nodes: side * side, Channels: channels, Signals: pixels,
		Labels: make([]int32, len(labels)), Affinity: grid, Grid: []int{side, side}, ClassNames: slices.Clone(classes)}
	for i, label := range labels {
		d.Labels[i] = int32(label)
	}
	return d, nil
}

// decimalDigits names the classes of digits.
var decimalDigits = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
