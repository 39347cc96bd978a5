package networks

import (
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models/training"
)

// ablations are options of all trainings, by which the paper's tables take away a part of one, on any data, or shrink
// it.
type ablations struct {
	// RandomGraph replaces the data's graph by a connected graph with as many edges, drawn from the training's seed.
	RandomGraph bool `param:"random_graph"`
	// Narrow divides the filters of levels and stem and the hidden widths, after all else is decided.
	Narrow int `param:"narrow" default:"1" rule:"from 1"`
}

func init() { training.Register(ablations{}, ablate) }

// ablate changes a training as its options say.
func ablate(c *training.Config, d *datasets.Dataset) (*datasets.Dataset, error) {
	o := datasets.OptionsOf[ablations](c.More)
	c.Levels, c.Hidden = slices.Clone(c.Levels), slices.Clone(c.Hidden)
	for i := range c.Levels {
		c.Levels[i].Filters = max(1, c.Levels[i].Filters/o.Narrow)
	}
	for i := range c.Hidden {
		c.Hidden[i] = max(1, c.Hidden[i]/o.Narrow)
	}
	if c.Stem > 0 {
		c.Stem = max(1, c.Stem/o.Narrow)
	}
	if o.RandomGraph {
		return d.OnRandomGraph(c.Seed)
	}
	return d, nil
}
