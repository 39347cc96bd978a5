package transforms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	leastTrees    = 200
	mostTrees     = 500
	forestSamples = 2_500      // of a tree, at least, if there are as many
	treeValues    = 10_000_000 // of a tree's samples, at most, if these are more than forestSamples
	forestShare   = 0.1        // of the features, that a node chooses from
)

// forest is a classifier of extremely randomised trees (Geurts, Ernst and Wehenkel 2006) on the features of all maps
// that draw nothing, as in QUANT (Dempster et al. 2024). A node looks at a tenth of the features, draws a threshold
// for each between the least and the greatest value of its samples, and takes the split that tells most of the
// classes. It splits until its samples are of one class. Trees compare a feature with nothing but itself, so that
// they err elsewhere than a weighted sum of features does.
type forest struct {
	classes int
	names   []string // of the maps
	maps    []features.Map
	width   int // of all maps
	// nodes has three numbers for each node: the feature, the threshold, and where the right child is, counted from the
	// root; the left child is the next node. A leaf of class k has -1-k in place of the feature. roots has the number of
	// each tree's first node.
	nodes, roots []float32
}

// newForest returns the forest of a header, with nodes of zeros.
func (h header) newForest() *forest {
	m := &forest{classes: h.Classes, names: h.Forest, nodes: make([]float32, 3*h.Nodes), roots: make([]float32, h.Trees)}
	for _, name := range h.Forest {
		m.maps = append(m.maps, features.Find(name).New(h.shape()))
		m.width += m.maps[len(m.maps)-1].Width()
	}
	return m
}

// features returns the features of the recording in w, which keeps them for the transforms of the same names.
func (m *forest) features(w *work) []float32 {
	all, at := make([]float32, m.width), 0
	for i, one := range m.maps {
		of := all[at : at+one.Width()]
		one.Features(&w.Recording, of)
		w.known[m.names[i]], at = of, at+len(of)
	}
	return all
}

// votes returns the share of the trees for each class.
func (m *forest) votes(features []float32) []float64 {
	p := make([]float64, m.classes)
	for _, root := range m.roots {
		at := int(root)
		for m.nodes[3*at] >= 0 {
			if features[int(m.nodes[3*at])] < m.nodes[3*at+1] {
				at++
			} else {
				at = int(root + m.nodes[3*at+2])
			}
		}
		p[int(-1-m.nodes[3*at])] += 1 / float64(len(m.roots))
	}
	return p
}

// check returns an error if a tree leads out of the forest, as in a damaged checkpoint.
func (m *forest) check() error {
	count, width := len(m.nodes)/3, m.width
	for t, root := range m.roots {
		end := count
		if t+1 < len(m.roots) {
			end = int(m.roots[t+1])
		}
		if !(root >= 0) || int(root) >= end || end > count {
			return fmt.Errorf("tree %d begins at node %v of %d", t, root, count)
		}
		for at := int(root); at < end; at++ {
			feature, right := m.nodes[3*at], m.nodes[3*at+2]
			switch inner := feature >= 0; {
			case inner && !(int(feature) < width && int(root+right) > at+1 && int(root+right) < end):
				return fmt.Errorf("node %d splits feature %v of %d, and leads to node %v of its tree", at, feature, width, right)
			case !inner && !(-1-feature >= 0 && int(-1-feature) < m.classes):
				return fmt.Errorf("node %d is of class %v of %d", at, -1-feature, m.classes)
			}
		}
	}
	return nil
}

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
	trees, logs := make([][]float32, treesOf(len(labels))), make([]float64, len(labels)+1)
	for n := range labels {
		logs[n+1] = float64(n+1) * math.Log(float64(n+1))
	}
	err := inParallel(ctx, len(trees), func(_ *work, i int) {
		rng := rand.New(rand.NewPCG(seed, 0x666f72657374<<8+uint64(i)))
		g := &growth{columns: columns, n: len(labels), width: m.width, classes: m.classes, labels: labels, logs: logs, rng: rng}
		some := rng.Perm(g.n)[:samplesOf(g.n, g.width)]
		slices.Sort(some)
		g.split(some)
		trees[i] = g.nodes
	})
	m.nodes, m.roots = nil, nil
	for _, tree := range trees {
		m.roots, m.nodes = append(m.roots, float32(len(m.nodes)/3)), append(m.nodes, tree...)
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

// split appends the nodes of a tree of some samples, which it reorders.
func (g *growth) split(some []int) {
	feature, threshold := g.best(some)
	at := len(g.nodes)
	g.nodes = append(g.nodes, float32(feature), threshold, 0)
	if feature < 0 { // of one class, or all alike: one sample speaks for them
		g.nodes[at] = float32(-1 - g.labels[some[g.rng.IntN(len(some))]])
		return
	}
	x, left := g.columns[feature*g.n:], 0
	for at, i := range some {
		if x[i] < threshold {
			some[left], some[at] = i, some[left]
			left++
		}
	}
	g.split(some[:left])
	g.nodes[at+2] = float32(len(g.nodes) / 3)
	g.split(some[left:])
}

// best returns the split of some samples that tells most of their classes; the feature is -1 if they are of one
// class, or all candidates are constant. Branches that depend on values are mostly mispredicted, so that it has none
// for each sample.
func (g *growth) best(some []int) (feature int, threshold float32) {
	ordered, ends := g.byClass(some)
	values := make([]float32, len(some))
	var runs [][]float32 // parts of the values, of a class each
	from := 0
	for _, to := range ends {
		runs, from = append(runs, values[from:to]), to
	}
	feature = -1
	if len(runs) == 1 {
		return feature, 0
	}
	least, left := math.Inf(1), make([]int, len(runs))
	tries := max(1, int(forestShare*float64(g.width)))
	for tried := 0; tried < tries || feature < 0 && tried < 4*g.width; tried++ {
		j := g.rng.IntN(g.width)
		x := g.columns[j*g.n : (j+1)*g.n]
		for at, i := range ordered {
			values[at] = x[i]
		}
		low, high := values[len(values)-1], values[len(values)-1]
		for at := 1; at < len(values); at += 2 { // a comparison waits for the one of the last pair
			low, high = min(low, min(values[at-1], values[at])), max(high, max(values[at-1], values[at]))
		}
		if !(low < high) {
			continue
		}
		t := low + float32(g.rng.Float64())*(high-low)
		if !(t > low) {
			t = high
		}
		n := 0
		for k, run := range runs {
			left[k] = 0
			for _, v := range run {
				left[k] += asInt(v < t)
			}
			n += left[k]
		}
		// The samples' sum of the entropies of both sides, times -1 and less a constant.
		entropy := g.logs[n] + g.logs[len(some)-n]
		for k, run := range runs {
			entropy -= g.logs[left[k]] + g.logs[len(run)-left[k]]
		}
		if entropy < least {
			least, feature, threshold = entropy, j, t
		}
	}
	return feature, threshold
}

// byClass returns samples class by class, in their order, and where each class that has any ends.
func (g *growth) byClass(some []int) (ordered, ends []int) {
	if g.classes > len(some) { // a look at every class would cost more than the samples, at each of many small nodes
		ordered = slices.Clone(some)
		slices.SortStableFunc(ordered, func(a, b int) int { return cmp.Compare(g.labels[a], g.labels[b]) })
		for at := 1; at < len(ordered); at++ {
			if g.labels[ordered[at]] != g.labels[ordered[at-1]] {
				ends = append(ends, at)
			}
		}
		return ordered, append(ends, len(ordered))
	}
	ordered, starts := make([]int, len(some)), make([]int, g.classes+1)
	for _, i := range some {
		starts[g.labels[i]+1]++
	}
	for class := range g.classes {
		starts[class+1] += starts[class]
		if starts[class+1] > starts[class] {
			ends = append(ends, starts[class+1])
		}
	}
	for _, i := range some {
		at := &starts[g.labels[i]]
		ordered[*at] = i
		*at++
	}
	return ordered, ends
}

// export follows all trees at once, a node deeper each time. A leaf is its own child.
func (m *forest) export(g *onnx.Graph, features string) string {
	n := len(m.nodes) / 3
	feature, threshold, class, next, depth := make([]int, n), make([]float32, n), make([]int, n), make([]int, 2*n), make([]int, n)
	for t, root := range m.roots {
		end := n
		if t+1 < len(m.roots) {
			end = int(m.roots[t+1])
		}
		for at := int(root); at < end; at++ {
			next[2*at], next[2*at+1] = at, at
			if of := m.nodes[3*at]; of < 0 {
				class[at] = int(-1 - of)
				continue
			}
			right := int(root + m.nodes[3*at+2])
			feature[at], threshold[at], next[2*at], next[2*at+1] = int(m.nodes[3*at]), m.nodes[3*at+1], at+1, right
			depth[at+1], depth[right] = depth[at]+1, depth[at]+1
		}
	}
	samples := g.Op("Gather", g.Op("Shape", features), 0)
	first := g.Op("Unsqueeze", g.Op("Mul", g.Below(samples), m.width), []int{1}) // of each sample's features in all
	features = g.Op("Reshape", features, []int{-1})
	at := g.Op("Add", g.Op("Mul", first, 0), loop.Convert[int64](m.roots)) // `[batch, trees]`
	for range slices.Max(depth) {
		x := g.Op("Gather", features, g.Op("Add", first, g.Op("Gather", feature, at)))
		right := g.Op("Not", g.Op("Less", x, g.Op("Gather", threshold, at)))
		at = g.Op("Gather", next, g.Op("Add", g.Op("Mul", at, 2), g.To(onnx.Int64, right)))
	}
	votes := g.Op("Equal", g.Op("Unsqueeze", g.Op("Gather", class, at), []int{2}), loop.Indices(m.classes))
	return g.Op("Div", g.Sum(g.To(onnx.Float, votes), 1), float32(len(m.roots)))
}
