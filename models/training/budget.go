package training

// The budget of a training that the configuration leaves open.
const (
	leastSteps  = 1200 // fewer leave the networks under-trained, however few samples there are
	leastPasses = 10
	usualEpochs = 20 // how often such a training is looked at and saved
)

// EpochCount is the number of epochs, also where the configuration leaves the budget open.
func (c Config) EpochCount() int {
	switch {
	case c.Epochs > 0:
		return c.Epochs
	case c.Steps > 0:
		return min(usualEpochs, c.Steps)
	}
	return usualEpochs
}

// Budget is the configuration with the batch, the steps and the epochs that it leaves open, for n training samples: an eighth of them
// in a batch, as a power of two from 16 to 64, and as many steps as make leastSteps and leastPasses.
func (c Config) Budget(n int) Config {
	if c.Batch == 0 {
		for c.Batch = 16; c.Batch < 64 && 16*c.Batch <= n; {
			c.Batch *= 2
		}
	}
	c.Batch = min(c.Batch, n)
	if c.Epochs == 0 && c.Steps == 0 {
		c.Steps = max(leastSteps, leastPasses*n/max(1, c.Batch))
	}
	c.Epochs = c.EpochCount()
	return c
}
