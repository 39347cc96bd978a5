package datasets

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
)

const (
	// the most sensors that are all joined to each other, unless a number of neighbours is asked for
	allLinked   = 8
	correlated  = 4             // the usual number of sensors that each of more sensors is joined to by correlation
	correlating = 2_000_000_000 // the most products for correlations; with more, evenly spaced samples are used
	// mostCompared is the largest number of nodes or sensors of which each is compared with each other. The pairs of more
	// would take minutes, and by the few samples that correlating then leaves, correlations would be chance.
	mostCompared = 4_096
	// productsAtOnce bounds the products of sensors that are in memory at a time, 16 MB.
	productsAtOnce = 1 << 21
)

// linked returns to how many others each sensor is joined by correlation, or that all are joined to each other.
func (d *Dataset) linked() (k int, all bool) {
	sensors, k := len(d.Form.Sensors), cmp.Or(d.KNN, correlated)
	return k, d.KNN == 0 && sensors <= allLinked || k >= sensors-1
}

// link makes the graph of the sensors: few of them are all joined, more by correlations over some samples. Very many
// are joined to none, since all pairs are too many to compare.
func (d *Dataset) link(of []int) (*affinity.Matrix, error) {
	sensors := len(d.Form.Sensors)
	k, all := d.linked()
	if all {
		return d.linkAll(sensors)
	}
	if sensors > mostCompared {
		return d.linkMany(of)
	}
	appendf(&d.Notes, "each sensor is linked with the %d most correlated to it over the training samples", k)
	return d.correlate(of, k)
}

// linkAll joins every sensor to every other.
func (d *Dataset) linkAll(sensors int) (*affinity.Matrix, error) {
	if sensors > 1 {
		appendf(&d.Notes, "every sensor is linked with every other")
	}
	var links []affinity.Edge
	for a := range sensors {
		for b := a + 1; b < sensors; b++ {
			links = append(links, affinity.Edge{I: a, J: b, Weight: 1})
		}
	}
	return affinity.New(sensors, links)
}

// unlinked reports whether the sensors are too many for links by correlation, and nothing else links them.
func (d *Dataset) unlinked() bool {
	return d.Form != nil && d.Raw.Graph == nil && d.KNN == 0 && len(d.Form.Sensors) > mostCompared
}

// linkMany joins more sensors than can be compared with each other: to none, unless neighbours are asked for. Then each
// is joined to those of the most alike course over some training samples, whatever its sign.
func (d *Dataset) linkMany(training []int) (*affinity.Matrix, error) {
	sensors, width := len(d.Form.Sensors), d.Form.Width()
	if d.unlinked() {
		appendf(&d.Warnings, "no sensors are linked: correlations link at most %d, and these are %d; if you know which "+
			"belong together, store edges, or leave out sensors that tell nothing", mostCompared, sensors)
		return affinity.New(sensors, nil)
	}
	most := max(1, describingAtOnce/(width*d.Form.Longest))
	training = loop.Spread(training, min(most, len(training)))
	mean, _ := d.columnStats(training)
	dims := 0
	for _, i := range training {
		dims += len(d.Series[i]) / sensors
	}
	points, at := make([]float64, sensors*dims), 0
	for _, values := range d.centred(training, mean) {
		for sensor, x := range values {
			points[sensor*dims+at] = x
		}
		at++
	}
	rng, direction := rand.New(rand.NewPCG(0, 0)), make([]float64, dims)
	for i := range direction {
		direction[i] = rng.NormFloat64()
	}
	for course := range slices.Chunk(points, dims) {
		if length := floats.Norm(course, 2); length > 0 {
			// so that a course and its opposite are one
			floats.Scale(math.Copysign(1/length, floats.Dot(course, direction)), course)
		}
	}
	graph, err := d.neighbours(points, dims)
	if err != nil {
		return nil, err
	}
	links := graph.EdgeList()
	for i := range links {
		links[i].Weight = 1
	}
	return affinity.New(sensors, links)
}

// correlate joins each sensor to the k sensors whose series are most correlated with its own. It sums |r| over the
// channels, each r over all values of the training samples. Of equal sensors it takes the lower number. Two sensors are
// joined if either chooses the other. It compares a block of sensors with all at a time, so that the memory grows with
// their number, not with its square.
func (d *Dataset) correlate(training []int, k int) (*affinity.Matrix, error) {
	sensors, channels := len(d.Form.Sensors), d.Channels
	cost := sensors * sensors * channels * d.Form.Longest
	training = loop.Spread(training, max(1, correlating/cost))
	mean, _ := d.columnStats(training)
	var links []affinity.Edge
	squares := d.squares(training, mean)
	atOnce := max(1, productsAtOnce/(sensors*channels))
	products := make([]float64, min(atOnce, sensors)*channels*sensors) // `[block, channels, sensors]`
	for from := 0; from < sensors; from += atOnce {
		to := min(from+atOnce, sensors)
		clear(products)
		d.multiply(training, mean, from, to, products)
		for a := from; a < to; a++ {
			for _, b := range strongest(a, k, sensors, squares, products[(a-from)*channels*sensors:][:channels*sensors]) {
				links = append(links, affinity.Edge{I: a, J: b, Weight: 1})
			}
		}
	}
	return affinity.New(sensors, links)
}

// centred goes over the time points of samples, channel by channel, with the sensors' values less their means. They are
// valid until the next.
func (d *Dataset) centred(samples []int, mean []float32) iter.Seq2[int, []float64] {
	width := d.Form.Width()
	return func(yield func(channel int, values []float64) bool) {
		values := make([]float64, width/d.Channels)
		for _, i := range samples {
			for timepoint := range slices.Chunk(d.Series[i], width) {
				for channel := range d.Channels {
					for sensor := range values {
						column := sensor*d.Channels + channel
						values[sensor] = float64(timepoint[column]) - float64(mean[column])
					}
					if !yield(channel, values) {
						return
					}
				}
			}
		}
	}
}

// squares adds up the squares of the centred values, `[channels, sensors]`.
func (d *Dataset) squares(samples []int, mean []float32) []float64 {
	sums := make([]float64, d.Form.Width())
	for channel, values := range d.centred(samples, mean) {
		own := sums[channel*len(values):][:len(values)]
		for sensor, x := range values {
			own[sensor] += x * x
		}
	}
	return sums
}

// multiply adds up the products of the centred values of the sensors from..to with those of all, `[to - from, channels,
// sensors]`.
func (d *Dataset) multiply(samples []int, mean []float32, from, to int, products []float64) {
	for channel, values := range d.centred(samples, mean) {
		for a := from; a < to; a++ {
			floats.AddScaled(products[((a-from)*d.Channels+channel)*len(values):][:len(values)], values[a], values)
		}
	}
}

// strongest returns the k sensors whose sum of |r| with sensor a over the channels is greatest, the greatest first.
// products are those of a with all, and squares those of each with itself, both `[channels, sensors]`. Of equal ones
// the lower number is first.
func strongest(a, k, sensors int, squares, products []float64) []int {
	sums := make([]float64, sensors)
	for at, product := range products {
		// a constant sensor correlates with nothing
		if scale := math.Sqrt(squares[at/sensors*sensors+a] * squares[at]); scale > 0 {
			sums[at%sensors] += math.Abs(product) / scale
		}
	}
	chosen := make([]int, 0, k+1)
	for b, sum := range sums {
		if b == a || len(chosen) == k && sum <= sums[chosen[k-1]] {
			continue
		}
		at := sort.Search(len(chosen), func(i int) bool { return sums[chosen[i]] < sum })
		chosen = slices.Insert(chosen[:min(len(chosen), k-1)], at, b)
	}
	return chosen
}

// neighbours joins each node to its KNN nearest by some values. Where all pairs are too many to compare, it looks among
// the most likely ones, and says so.
func (d *Dataset) neighbours(points []float64, dims int) (*affinity.Matrix, error) {
	n := len(points) / dims
	if n <= mostCompared {
		return affinity.KNN(points, n, dims, d.KNN, affinity.Euclidean)
	}
	appendf(&d.Notes, "the graph of knn %d compares each of the %d nodes with some thousand others that are like it, "+
		"not with all", d.KNN, n)
	return affinity.NearKNN(points, n, dims, d.KNN, 0)
}
