package training

import (
	"fmt"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/augment"
)

// augments reports whether training samples are changed before they are in a batch.
func (c Config) augments() bool { return c.Augment || c.Stretch > 0 }

// augmented returns the data set with the augmentation that the configuration asks for: the data set's own, then
// Stretch.
func (c Config) augmented(d *datasets.Dataset) (*datasets.Dataset, error) {
	switch {
	case c.Stretch == 0:
		return d, nil
	case d.Grid == nil:
		return nil, fmt.Errorf("data set %s: stretch: %g of nodes without time: it is not known which node is which "+
			"moment; "+
			"give the .npz a `grid` of frames and sensors, or leave stretch out", d.Name, c.Stretch)
	case d.Grid[0] < 2:
		return nil, fmt.Errorf("data set %s: stretch: %g of a grid of %d x %d, which has one frame only; "+
			"leave stretch out",
			d.Name, c.Stretch, d.Grid[0], d.Grid[1])
	}
	other := *d
	other.Augment = augment.Stretch(d.Grid[0], c.Stretch)
	if c.Augment && d.Augment != nil {
		other.Augment = augment.Compose(d.Augment, other.Augment)
	}
	return &other, nil
}
