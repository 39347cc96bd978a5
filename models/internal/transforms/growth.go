package transforms

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	leastTrees    = 200
	mostTrees     = 500
	forestSamples = 2_500      // of a tree, at least, if there are as many
	treeValues    = 10_000_000 // of a tree's samples, at most, if these are more than forestSamples
	forestShare   = 0.1        // of the features, that a node chooses from
)

// treesOf returns how many trees a forest of so many samples has. More trees err less, and the fewer samples they
// have, the smaller they are: all together have half a million samples, within bounds.
func treesOf(samples int) int {
	return min(mostTrees, max(leastTrees, leastTrees*forestSamples/max(1, samples)))
}

// samplesOf returns how many samples a tree has: all, unless their values are so many that trees would take minutes
// to grow.
func samplesOf(samples, width int) int {
	return min(samples, max(forestSamples, treeValues/max(1, width)))
}

// grow grows the trees on the samples' features, `[features][samples]`.
func (m *forest) grow(ctx context.Context, columns []float32, labels []int32, seed uint64) error {
	n := len(labels)
	logs := make([]float64, n+1)
	for i := 1; i <= n; i++ {
		logs[i] = float64(i) * math.Log(float64(i))
	}
	trees := make([][]float32, treesOf(n))
	err := inParallel(ctx, len(trees), func(_ *work, i int) {
		g := &growth{columns: columns, n: n, width: m.width, classes: m.classes, labels: labels, logs: logs,
			rng: rand.New(rand.NewPCG(seed, 0x666f72657374<<8+uint64(i)))}
		samples := g.rng.Perm(n)[:samplesOf(n, m.width)]
		slices.Sort(samples)
		g.split(samples)
		trees[i] = g.nodes
	})
	m.nodes, m.roots = slices.Concat(trees...), nil
	first := 0
	for _, tree := range trees {
		m.roots = append(m.roots, float32(first/3))
		first += len(tree)
	}
	return err
}

// growth is a tree that grows.
type growth struct {
	columns           []float32 // `[features][samples]`
	n, width, classes int
	labels            []int32
	logs              []float64 // n·log(n) by n
	rng               *rand.Rand
	nodes             []float32
}

// split appends the nodes of a tree of these samples, which it reorders.
func (g *growth) split(samples []int) {
	feature, threshold := g.best(samples)
	node := len(g.nodes)
	g.nodes = append(g.nodes, float32(feature), threshold, 0)
	if feature < 0 { // samples of one class, or that are all alike: the class of one of them is the leaf's
		g.nodes[node] = float32(-1 - g.labels[samples[g.rng.IntN(len(samples))]])
		return
	}
	values, left := g.columns[feature*g.n:], 0
	for at, i := range samples {
		if values[i] < threshold {
			samples[left], samples[at] = i, samples[left]
			left++
		}
	}
	g.split(samples[:left])
	g.nodes[node+2] = float32(len(g.nodes) / 3)
	g.split(samples[left:])
}

// best returns the split of samples that tells most of their classes; the feature is -1 if they are of one class, or
// all features that it looks at are constant. It looks at the features of a node and then, while all were constant,
// at more.
func (g *growth) best(samples []int) (feature int, threshold float32) {
	ordered, ends := g.byClass(samples)
	if len(ends) == 1 {
		return -1, 0
	}
	values := make([]float32, len(samples))
	var classes [][]float32 // the values of each class
	from := 0
	for _, to := range ends {
		classes, from = append(classes, values[from:to]), to
	}
	least, left := math.Inf(1), make([]int, len(classes))
	feature = -1
	tries := max(1, int(forestShare*float64(g.width)))
	for tried := 0; tried < tries || feature < 0 && tried < 4*g.width; tried++ {
		j := g.rng.IntN(g.width)
		column := g.columns[j*g.n : (j+1)*g.n]
		for at, i := range ordered {
			values[at] = column[i]
		}
		low, high := extremes(values)
		if !(low < high) {
			continue
		}
		t := low + float32(g.rng.Float64())*(high-low)
		if !(t > low) {
			t = high
		}
		entropy := g.entropy(classes, t, left)
		if entropy < least {
			least, feature, threshold = entropy, j, t
		}
	}
	return feature, threshold
}

// extremes returns the least and the greatest value. It has no branch that depends on values, and takes two at a time,
// because each comparison waits for the last one.
func extremes(values []float32) (low, high float32) {
	low, high = values[len(values)-1], values[len(values)-1]
	for at := 1; at < len(values); at += 2 {
		low, high = min(low, min(values[at-1], values[at])), max(high, max(values[at-1], values[at]))
	}
	return low, high
}

// entropy returns the sum over the samples of both sides of a split of the entropies of their classes, less a constant.
// left is a buffer for how many of each class are on the left side.
func (g *growth) entropy(classes [][]float32, threshold float32, left []int) float64 {
	n, all := 0, 0
	for k, values := range classes {
		left[k] = 0
		for _, v := range values {
			left[k] += asInt(v < threshold) // no branch, which would be mispredicted
		}
		n += left[k]
		all += len(values)
	}
	entropy := g.logs[n] + g.logs[all-n]
	for k, values := range classes {
		entropy -= g.logs[left[k]] + g.logs[len(values)-left[k]]
	}
	return entropy
}

// byClass returns samples class by class, in their order, and where each class that has any ends.
func (g *growth) byClass(samples []int) (ordered, ends []int) {
	if g.classes > len(samples) { // a look at every class at each of many small nodes would cost more than sorting
		ordered = slices.Clone(samples)
		slices.SortStableFunc(ordered, func(a, b int) int { return cmp.Compare(g.labels[a], g.labels[b]) })
		for at := 1; at < len(ordered); at++ {
			if g.labels[ordered[at]] != g.labels[ordered[at-1]] {
				ends = append(ends, at)
			}
		}
		return ordered, append(ends, len(ordered))
	}
	ordered, starts := make([]int, len(samples)), make([]int, g.classes+1)
	for _, i := range samples {
		starts[g.labels[i]+1]++
	}
	for class := range g.classes {
		starts[class+1] += starts[class]
		if starts[class+1] > starts[class] {
			ends = append(ends, starts[class+1])
		}
	}
	for _, i := range samples {
		at := &starts[g.labels[i]]
		ordered[*at] = i
		*at++
	}
	return ordered, ends
}
