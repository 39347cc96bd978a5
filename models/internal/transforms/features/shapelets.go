package features

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	shapeletTaps      = 11 // values of a shapelet
	shapeletDilations = 16
	shapeletsPerGroup = 16
	mostWindows       = 2_000 // by whose distances a threshold is chosen
	// leastSigma is the standard deviation, relative to that of all time points, up to which a window counts as
	// constant, all zeros.
	leastSigma = 1e-3
	// shapeletStream is the random stream of the columns; those after it are of one shapelet each.
	shapeletStream = 0x73686170656c6574
)

var shapeletsTransform = Transform{
	Name:          "shapelets",
	Option:        "shapelets",
	Lacks:         lacksTimepoints(shapeletTaps),
	New:           newShapelets,
	Prior:         3,
	OwnRidge:      true,
	AlsoStretched: true,
}

// shapelets is the map of the random dilated shapelet transform (RDST; Guillaume, Vrain and Elloumi 2022). A shapelet
// is cut out of a training sample: eleven values, a dilation apart. A recording's windows of this form are compared
// with it. Features are the least Euclidean distance, at which share of the recording that is, and the share of
// windows that are nearer than a threshold. In four of five groups windows and shapelets are scaled to the mean 0 and
// the variance 1 before.
type shapelets struct {
	columnSums
	groups     int // of a dilation
	dilations  []int
	values     []float32 // `[dilations, groups, shapeletsPerGroup, shapeletTaps]`
	thresholds []float32 // of squared distances, `[dilations, groups, shapeletsPerGroup]`
}

// newShapelets makes about as many features as the shape asks for. Nothing is drawn yet. The logarithms of the
// dilations are evenly spaced.
func newShapelets(s Shape) Map {
	m := &shapelets{groups: max(1, s.Features/(3*shapeletsPerGroup*shapeletDilations))}
	for i := range shapeletDilations {
		share := (float64(i) + 0.5) / shapeletDilations
		m.dilations = append(m.dilations, int(math.Pow(float64(s.Length-1)/(shapeletTaps-1), share)))
	}
	groups := len(m.dilations) * m.groups
	m.columnSums = newColumnSums(s, groups)
	m.values = make([]float32, groups*shapeletsPerGroup*shapeletTaps)
	m.thresholds = make([]float32, groups*shapeletsPerGroup)
	return m
}

// Width implements Map.
func (m *shapelets) Width() int { return 3 * len(m.thresholds) }

// Arrays implements DrawnMap.
func (m *shapelets) Arrays() map[string][]float32 {
	return map[string][]float32{"values": m.values, "thresholds": m.thresholds, "columns": m.drawn}
}

// shapelet returns the values of one shapelet.
func (m *shapelets) shapelet(number int) []float32 {
	return m.values[number*shapeletTaps:][:shapeletTaps]
}

// scalesWindows reports whether the windows of a group are scaled.
func scalesWindows(group int) bool { return group%5 != 4 }

// windows are those of a recording for one group, by their first time points.
type windows struct {
	dilation    int
	series      []float32
	mean, scale []float32 // 0 and 1 if they are not scaled; the scale of a constant window is 0
	squares     []float32 // the sum of the squares of each, after scaling
	products    []float32 // a buffer of distances
}

// span returns the centre of the first window of a group, and how many windows there are. They lie inside the
// recording; if none does, the middle ones reach beyond both ends, where the recording is zero.
func (m *shapelets) span(timepoints, group int) (first, count int) {
	first = min(shapeletTaps/2*m.dilations[group/m.groups], (timepoints-1)/2)
	return first, timepoints - 2*first
}

// meanTaps are the weights of the mean of a window.
var meanTaps = slices.Repeat([]float32{1.0 / shapeletTaps}, shapeletTaps)

// windows returns those of a recording. They hold until the next call with the same recording.
func (m *shapelets) windows(r *Recording, group int) (v windows) {
	v.dilation = m.dilations[group/m.groups]
	reach := shapeletTaps / 2 * v.dilation
	first, n := m.span(r.Timepoints, group)
	r.sum = sized(r.sum, n+2*reach)
	v.series = r.sum
	m.add(v.series[reach-first:][:r.Timepoints], r.Columns, group)
	for i := range 4 {
		r.responses[i] = sized(r.responses[i], n)
	}
	v.mean, v.scale, v.products, v.squares = r.responses[0], r.responses[1], r.responses[2], r.responses[3]
	if scalesWindows(group) {
		filter(v.mean, v.series, meanTaps, v.dilation)
	}
	for tap := range shapeletTaps {
		for p, x := range v.series[tap*v.dilation:][:n] {
			v.squares[p] += (x - v.mean[p]) * (x - v.mean[p])
		}
	}
	for p := range v.scale {
		sigma := float32(math.Sqrt(float64(v.squares[p]) / shapeletTaps))
		switch {
		case !scalesWindows(group):
			v.scale[p] = 1
		case sigma > leastSigma:
			v.scale[p], v.squares[p] = 1/sigma, shapeletTaps
		default:
			v.squares[p] = 0
		}
	}
	return v
}

// multiply sets products to those of the windows, as they are, with a shapelet. It returns the square of the shapelet.
// The squared distance of a window p from the shapelet s follows from these, see distance:
//
//	d(p)² = Σ_k s_k² + Σ_k x_pk² - 2·Σ_k s_k·x_pk
//
// The shapelet has the mean 0 if windows are scaled, so that their means need not be taken off for the products.
func (v windows) multiply(shapelet []float32) (square float32) {
	filter(v.products, v.series, shapelet, v.dilation)
	for _, x := range shapelet {
		square += x * x
	}
	return square
}

// distance returns the squared distance of a window from the shapelet of this square whose products are there.
func (v windows) distance(p int, square float32) float32 {
	return square + v.squares[p] - 2*v.products[p]*v.scale[p]
}

// distances returns the squared distances of the windows from a shapelet. They hold until the next call.
func (v windows) distances(shapelet []float32) []float32 {
	square := v.multiply(shapelet)
	for p := range v.products {
		v.products[p] = v.distance(p, square)
	}
	return v.products
}

// nearestWindow is the least squared distance from a shapelet, the first window that has it, and how many windows are
// nearer than a threshold.
type nearestWindow struct {
	least    float32
	at, near int
}

// nearest compares the windows with a shapelet.
func (v windows) nearest(shapelet []float32, threshold float32) nearestWindow {
	square := v.multiply(shapelet)
	found, done := nearestEights(v.products, v.squares, v.scale, square, threshold)
	for p := done; p < len(v.products); p++ {
		d := v.distance(p, square)
		found.near += asInt(d < threshold)
		if d < found.least {
			found.least, found.at = d, p
		}
	}
	return found
}

// cuts says where shapelets come from.
type cuts struct {
	bySample   [][]int   // the shapelets that are cut out of each training sample
	window     []int     // which window of that sample each shapelet is
	comparedTo [][]int   // the shapelets whose thresholds come from distances to each training sample
	quantile   []float64 // of these distances that is each shapelet's threshold
}

// drawCuts draws a sample and a window for each shapelet, and another sample of the same class for its threshold, or
// the same sample if there is no other.
func (m *shapelets) drawCuts(t Training, seed uint64) cuts {
	ofClass := map[int32][]int{}
	for i, label := range t.Labels {
		ofClass[label] = append(ofClass[label], i)
	}
	n, samples := len(m.thresholds), len(t.Values)
	c := cuts{make([][]int, samples), make([]int, n), make([][]int, samples), make([]float64, n)}
	for shapelet := range n {
		rng := rand.New(rand.NewPCG(seed, shapeletStream+1+uint64(shapelet)))
		i := rng.IntN(samples)
		c.bySample[i] = append(c.bySample[i], shapelet)
		timepoints := cmp.Or(t.Scaling.stretch, t.Scaling.timepoints(len(t.Values[i])))
		_, windows := m.span(timepoints, shapelet/shapeletsPerGroup)
		c.window[shapelet] = rng.IntN(windows)
		same := ofClass[t.Labels[i]]
		other := same[rng.IntN(len(same))]
		c.quantile[shapelet] = 0.05 + 0.05*rng.Float64()
		if other == i {
			next := slices.Index(same, i) + 1
			other = same[next%len(same)]
		}
		c.comparedTo[other] = append(c.comparedTo[other], shapelet)
	}
	return c
}

// Draw cuts shapelets out of samples. The threshold of each is a quantile, from 5 to 10%, of its distances from
// another sample of its class. Samples are read once for all their shapelets, and once for all thresholds. Of a long
// sample's distances evenly spaced ones are taken, since sorting all would take longer than computing them.
func (m *shapelets) Draw(ctx context.Context, t Training, seed uint64) error {
	m.draw(rand.New(rand.NewPCG(seed, shapeletStream)))
	c := m.drawCuts(t, seed)
	err := inParallel(ctx, len(t.Values), func(r *Recording, i int) {
		if len(c.bySample[i]) > 0 {
			t.Scaling.Read(r, t.Values[i])
		}
		for _, number := range c.bySample[i] {
			v, p := m.windows(r, number/shapeletsPerGroup), c.window[number]
			shapelet := m.shapelet(number)
			for tap := range shapelet {
				shapelet[tap] = (v.series[p+tap*v.dilation] - v.mean[p]) * v.scale[p]
			}
		}
	})
	if err != nil {
		return err
	}
	return inParallel(ctx, len(t.Values), func(r *Recording, i int) {
		if len(c.comparedTo[i]) > 0 {
			t.Scaling.Read(r, t.Values[i])
		}
		for _, number := range c.comparedTo[i] {
			distances := m.windows(r, number/shapeletsPerGroup).distances(m.shapelet(number))
			sorted := loop.Convert[float64](loop.Spread(distances, mostWindows))
			slices.Sort(sorted)
			m.thresholds[number] = float32(threshold(sorted, c.quantile[number]))
		}
	})
}

// Features writes `[dilations, groups, shapeletsPerGroup, {least distance, where it is, share of near windows}]`. Groups
// of the same windows come one after another, so that these are made once.
func (m *shapelets) Features(r *Recording, out []float32) {
	var v windows
	last := -1
	for _, group := range m.byWindows() {
		if last < 0 || m.compareWindows(last, group) != 0 {
			v = m.windows(r, group)
		}
		last = group
		n := float32(len(v.mean))
		for number := group * shapeletsPerGroup; number < (group+1)*shapeletsPerGroup; number++ {
			found := v.nearest(m.shapelet(number), m.thresholds[number])
			features := out[3*number:][:3]
			features[0] = float32(math.Sqrt(max(0, float64(found.least))))
			features[1] = float32(found.at) / n
			features[2] = float32(found.near) / n
		}
	}
}

// byWindows lists the groups in the order of compareWindows.
func (m *shapelets) byWindows() []int {
	groups := loop.Indices(len(m.dilations) * m.groups)
	slices.SortFunc(groups, m.compareWindows)
	return groups
}

// compareWindows orders groups by their dilations, by whether they scale windows, and by the columns that they add. It
// returns 0 for groups of the same windows.
func (m *shapelets) compareWindows(a, b int) int {
	return cmp.Or(cmp.Compare(a/m.groups, b/m.groups), cmp.Compare(asInt(scalesWindows(a)), asInt(scalesWindows(b))),
		slices.Compare(m.columnsOf(a), m.columnsOf(b)))
}

// Export implements Map.
func (m *shapelets) Export(g *onnx.Graph, x string) string {
	all, t := []any{onnx.Axis(1)}, g.Count(x)
	for i := range m.dilations {
		all = append(all, m.exportDilation(g, x, t, i))
	}
	return g.Op("Concat", all...)
}

// exportedWindows are the windows of the groups of a dilation as the nodes of an ONNX model have them.
type exportedWindows struct {
	taps    []string // the series at each tap, `[batch, groups, 1, windows]`
	scale   string   // of each window
	squares string   // the sum of the squares of each window, after scaling
}

// exportWindows adds nodes that do what windows does. scaled says of which groups the windows are scaled, `[groups,
// 1, 1]`.
func exportWindows(g *onnx.Graph, taps []string, scaled string) exportedWindows {
	mean, squares := "", ""
	for _, x := range taps {
		mean = g.Plus(mean, g.Op("Mul", x, float32(1.0/shapeletTaps)))
	}
	mean = g.Op("Where", scaled, mean, float32(0))
	for _, x := range taps {
		apart := g.Op("Sub", x, mean)
		squares = g.Plus(squares, g.Op("Mul", apart, apart))
	}
	sigma := g.To(onnx.Float, g.Op("Sqrt", g.Op("Div", g.To(onnx.Double, squares), float64(shapeletTaps))))
	varied := g.Op("Greater", sigma, float32(leastSigma))
	scale := g.Op("Where", scaled, g.Op("Where", varied, g.Op("Div", float32(1), sigma), float32(0)), float32(1))
	squares = g.Op("Where", scaled, g.Op("Where", varied, float32(shapeletTaps), float32(0)), squares)
	return exportedWindows{taps, scale, squares}
}

// exportDilation adds nodes that compute the features of a dilation's shapelets in series of t time points.
func (m *shapelets) exportDilation(g *onnx.Graph, x, t string, dilation int) string {
	from, to := dilation*m.groups, (dilation+1)*m.groups
	values := m.values[from*shapeletsPerGroup*shapeletTaps : to*shapeletsPerGroup*shapeletTaps]
	var squares []float32 // of the shapelets
	for shapelet := range slices.Chunk(values, shapeletTaps) {
		square := float32(0)
		for _, x := range shapelet {
			square += x * x
		}
		squares = append(squares, square)
	}
	var scales []bool
	for group := from; group < to; group++ {
		scales = append(scales, scalesWindows(group))
	}
	scaled := g.Constant(scales, m.groups, 1, 1)
	step := m.dilations[dilation]
	first := g.Op("Min", shapeletTaps/2*step, g.Op("Div", g.Op("Sub", t, 1), 2))
	taps := g.Taps(m.export(g, x, from, to), shapeletTaps, step, first, g.Op("Sub", t, first))
	w := exportWindows(g, taps, scaled)
	weights := g.Constant(values, m.groups, shapeletsPerGroup, shapeletTaps)
	products := g.Op("Mul", g.Weigh(w.taps, weights), float32(2))
	own := g.Constant(squares, m.groups, shapeletsPerGroup, 1)
	distances := g.Op("Sub", g.Op("Add", own, w.squares), g.Op("Mul", products, w.scale))
	thresholds := m.thresholds[from*shapeletsPerGroup : to*shapeletsPerGroup]
	limits := g.Constant(thresholds, m.groups, shapeletsPerGroup, 1)
	n := g.To(onnx.Float, g.Op("Sub", t, g.Op("Add", first, first)))
	last := onnx.Attribute{Name: "axes", Value: []int{3}}
	least := g.Op("Sqrt", g.Op("Max", g.Op("ReduceMin", distances, last), float32(0)))
	place := g.Op("Div", g.To(onnx.Float, g.Op("ArgMin", distances, onnx.Axis(3))), n)
	near := g.Op("Div", g.Op("ReduceSum", g.To(onnx.Float, g.Op("Less", distances, limits)), []int{3}), n)
	return g.Op("Flatten", g.Op("Concat", least, place, near, onnx.Axis(3)))
}
