package training

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/clusterpool/ccp/models"
)

// checkAugmentation says what is wrong with the settings that change samples at random, or why the model cannot be trained on such.
func (c Config) checkAugmentation() error {
	spec := models.Spec{Model: c.Model}
	switch {
	case !(c.Mixup >= 0) || math.IsInf(c.Mixup, 1):
		return fmt.Errorf("mixup: %g; it must be 0, for none, or positive and finite", c.Mixup)
	case c.Mixup > 0 && spec.Margins():
		return fmt.Errorf("mixup: %g; model %s is trained by its margins, whose labels cannot be mixed: it must be 0", c.Mixup, c.Model)
	case c.Mixup > 0 && spec.Fitted():
		return fmt.Errorf("mixup: %g; the weights of model %s are computed in one pass, not trained: it must be 0", c.Mixup, c.Model)
	case c.changesSignals() && spec.Fitted():
		return fmt.Errorf("noise, scale, stretch: %g, %g, %g; the weights of model %s are computed in one pass, not trained: they must be 0",
			c.Signal.Noise, c.Signal.Scale, c.Signal.Stretch, c.Model)
	}
	return c.Signal.Check()
}

// changesSignals says whether the training samples of whatever data set are changed.
func (c Config) changesSignals() bool { return c.Signal != augment.Signal{} }

// augments says whether training samples are changed before they are in a batch.
func (c Config) augments() bool { return c.Augment || c.changesSignals() }

// augmented is the data set that augments its samples as the configuration says: in its own way, if that is wanted, and then as any signal.
func (c Config) augmented(d *datasets.Dataset) (*datasets.Dataset, error) {
	if !c.changesSignals() {
		return d, nil
	}
	signal, err := c.Signal.Func(d.Channels, d.Grid)
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", d.Name, err)
	}
	other := *d
	other.Augment, other.Moves = signal, nil
	if c.Augment && d.Augment != nil {
		other.Augment = augment.Compose(d.Augment, signal)
	}
	return &other, nil
}
