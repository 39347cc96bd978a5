// Package trees grows extremely randomised trees (Geurts, Ernst and Wehenkel 2006), and follows them.
package trees

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Samples are what trees learn from.
type Samples struct {
	columns           []float32 // `[features][samples]`
	n, width, classes int
	labels            []int32
	logs              []float64 // n·log(n) by n
}

// NewSamples returns samples of classes from 0 on by their features, `[features][samples]`.
func NewSamples(columns []float32, labels []int32, classes int) *Samples {
	n := len(labels)
	s := &Samples{columns: columns, n: n, width: len(columns) / max(1, n), classes: classes, labels: labels,
		logs: make([]float64, n+1)}
	for i := 1; i <= n; i++ {
		s.logs[i] = float64(i) * math.Log(float64(i))
	}
	return s
}

// Grow returns a tree of some of the samples, which it reorders. A node looks at so many features, draws a threshold
// for each between the least and the greatest value of its samples, and takes the split that tells most of the classes.
// It splits until its samples are of one class.
func (s *Samples) Grow(some []int, tries int, rng *rand.Rand) Tree {
	g := &growth{Samples: s, tries: tries, rng: rng}
	g.split(some)
	return g.nodes
}

// Tree has three numbers for each node: the feature, the threshold, and where the right child is, counted from the
// first node; the left child is the next node. A leaf of class k has -1-k in place of the feature. What comes after a
// tree's nodes is not looked at.
type Tree []float32

// Node is a node of a tree.
type Node struct{ Feature, Threshold, Right float32 }

// Node returns a node by its number.
func (t Tree) Node(at int) Node { return Node{t[3*at], t[3*at+1], t[3*at+2]} }

// IsLeaf reports whether the node is a leaf, which has a class in place of a feature.
func (n Node) IsLeaf() bool { return !(n.Feature >= 0) } // as NaN is in a damaged checkpoint, which has no class either

// Class returns the class of a leaf.
func (n Node) Class() float32 { return -1 - n.Feature }

// Class returns the class of a sample by its features.
func (t Tree) Class(features []float32) int {
	at := 0
	n := t.Node(at)
	for !n.IsLeaf() {
		if features[int(n.Feature)] < n.Threshold {
			at++
		} else {
			at = int(n.Right)
		}
		n = t.Node(at)
	}
	return int(n.Class())
}

// growth is a tree that grows.
type growth struct {
	*Samples
	tries int // features that a node looks at
	rng   *rand.Rand
	nodes Tree
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
// at more. It looks at no more once a split tells two classes apart: none tells more, and the first one is taken.
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
	for tried := 0; (tried < g.tries || feature < 0 && tried < 4*g.width) && least > pure; tried++ {
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

// pure is the entropy up to which both sides of a split are of one class, but for rounding.
const pure = 1e-9

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

// asInt returns 1 for true and 0 for false. The compiler makes no branch of it.
func asInt(yes bool) (n int) {
	if yes {
		n = 1
	}
	return n
}
