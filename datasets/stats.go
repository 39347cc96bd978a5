package datasets

import (
	"math"
	"slices"
)

// stats are the mean and the standard deviation of every width-th value of some samples: of a channel, or of a
// sensor's channel.
type stats struct {
	width     int
	mean, std []float32
}

// ChannelStats returns the mean and the standard deviation (divisor n) of each channel of the raw values of the given
// samples, over all their nodes. A constant channel has a deviation of exactly 0. Without samples both are 0.
func (r *Raw) ChannelStats(indices []int) (mean, std []float32) {
	stats := r.stats(indices, r.Channels)[0]
	return stats.mean, stats.std
}

// stats returns what ChannelStats does for every width-th value, for several widths at once. Each divides the first.
func (r *Raw) stats(indices []int, widths ...int) []stats {
	all, count := make([]stats, len(widths)), 0
	centres, squares := make([][]float64, len(widths)), make([][]float64, len(widths))
	for at, width := range widths {
		all[at] = stats{width, make([]float32, width), make([]float32, width)}
		centres[at], squares[at] = make([]float64, width), make([]float64, width)
	}
	if len(indices) == 0 || r.Nodes == 0 {
		return all
	}
	const atOnce = 1 << 14 // values that stay in the processor's cache until all widths have had them
	block := widths[0] * max(1, atOnce/widths[0])
	each := func(visit func(at int, values []float32)) {
		count = 0
		for sample := range r.Inputs(indices) {
			for values := range slices.Chunk(sample, block) {
				for at := range widths {
					visit(at, values)
				}
			}
			count += len(sample)
		}
	}
	// Two passes keep the deviation exact if the mean is much larger. A constant channel has a deviation of exactly 0:
	// the float64 sum of up to 2^29 equal float32 values is exact.
	each(func(at int, values []float32) { addTo(centres[at], values) })
	for at, centre := range centres {
		for k := range centre {
			centre[k] /= float64(count / widths[at])
		}
	}
	each(func(at int, values []float32) { addSquares(squares[at], centres[at], values) })
	for at, s := range all {
		for k := range s.mean {
			s.mean[k] = float32(centres[at][k])
			s.std[k] = float32(math.Sqrt(squares[at][k] / float64(count/s.width)))
		}
	}
	return all
}

// addTo adds values to sums, each to the next of them, and from the last on to the first again.
func addTo(sums []float64, values []float32) {
	if len(sums) == 1 { // in a register
		sum := sums[0]
		for _, v := range values {
			sum += float64(v)
		}
		sums[0] = sum
		return
	}
	for len(values) >= len(sums) {
		row := values[:len(sums)]
		for k, v := range row {
			sums[k] += float64(v)
		}
		values = values[len(sums):]
	}
}

// addSquares adds the squared differences of values from centres, as addTo adds values.
func addSquares(squares, centres []float64, values []float32) {
	if len(squares) == 1 {
		sum, centre := squares[0], centres[0]
		for _, v := range values {
			difference := float64(v) - centre
			sum += difference * difference
		}
		squares[0] = sum
		return
	}
	centres = centres[:len(squares)]
	for len(values) >= len(squares) {
		row := values[:len(squares)]
		for k, v := range row {
			difference := float64(v) - centres[k]
			squares[k] += difference * difference
		}
		values = values[len(squares):]
	}
}

// columnStats returns the mean and the deviation of each sensor's channels over some recordings, `[sensors, channels]`.
// Those of the training samples are found once.
func (d *Dataset) columnStats(samples []int) (mean, std []float32) {
	if len(samples) > 0 && slices.Equal(samples, d.Train) {
		return d.trainStats(d.Form.Width())
	}
	of := d.stats(samples, d.Form.Width())[0]
	return of.mean, of.std
}

// trainStats returns the mean and the deviation of every width-th value of the training samples: those of each channel,
// or of each sensor's channel. It finds both in the same passes.
func (d *Dataset) trainStats(width int) (mean, std []float32) {
	if d.known == nil {
		widths := []int{d.Channels}
		if d.Form != nil && d.Form.Width() > d.Channels {
			widths = []int{d.Form.Width(), d.Channels}
		}
		d.known = d.stats(d.Train, widths...)
	}
	at := slices.IndexFunc(d.known, func(s stats) bool { return s.width == width })
	return slices.Clone(d.known[at].mean), slices.Clone(d.known[at].std)
}
