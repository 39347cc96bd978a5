package datasets

import "math"

// ChannelStats returns the mean and the standard deviation (divisor n) of each channel of the raw values of the given
// samples, over all their nodes. A constant channel has a deviation of exactly 0. Without samples both are 0.
func (d *Dataset) ChannelStats(indices []int) (mean, std []float32) {
	mean, std = make([]float32, d.Channels), make([]float32, d.Channels)
	if len(indices) == 0 || d.Nodes == 0 {
		return mean, std
	}
	sample := make([]float32, d.Nodes*d.Channels)
	each := func(visit func(channel int, value float64)) {
		for _, i := range indices {
			d.Signals.Read(i, sample)
			for j, value := range sample {
				visit(j%d.Channels, float64(value))
			}
		}
	}
	// Two passes keep the deviation exact if the mean is much larger. A constant channel has a deviation of exactly 0:
	// the float64 sum of up to 2^29 equal float32 values is exact.
	count := float64(len(indices) * d.Nodes)
	centre, squares := make([]float64, d.Channels), make([]float64, d.Channels)
	each(func(channel int, value float64) { centre[channel] += value })
	for channel := range centre {
		centre[channel] /= count
	}
	each(func(channel int, value float64) {
		difference := value - centre[channel]
		squares[channel] += difference * difference
	})
	for channel := range mean {
		mean[channel] = float32(centre[channel])
		std[channel] = float32(math.Sqrt(squares[channel] / count))
	}
	return mean, std
}

// standardise sets Mean and Std from the training samples. It warns of a constant channel and sets its deviation to 1;
// its input is then 0. A body keeps its shape: the positions of its joints have one deviation for all axes.
func (d *Dataset) standardise() {
	d.Mean, d.Std = d.ChannelStats(d.Train)
	for channel, std := range d.Std {
		if std == 0 {
			d.Std[channel] = 1
			d.warn("channel %d is constant (%g) over the training samples and tells nothing", channel, d.Mean[channel])
		}
	}
	if places := 3 * d.Bodies; places > 0 && places <= d.Channels {
		square := 0.0
		for _, std := range d.Std[:places] {
			square += float64(std) * float64(std) / float64(places)
		}
		for channel := range places {
			d.Std[channel] = float32(math.Sqrt(square))
		}
	}
}
