package transforms

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/clusterpool/ccp/models/onnx"
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
	all, at := make([]float32, m.width), 0 // not in a buffer, because the transforms read them later
	for i, each := range m.maps {
		part := all[at : at+each.Width()]
		each.Features(&w.Recording, part)
		w.known[m.names[i]] = part
		at += len(part)
	}
	return all
}

// node is a node of a tree as forest.nodes has it.
type node struct{ feature, threshold, right float32 }

// node returns a node by its number in the forest.
func (m *forest) node(at int) node { return node{m.nodes[3*at], m.nodes[3*at+1], m.nodes[3*at+2]} }

// isLeaf reports whether the node is a leaf, which has a class in place of a feature.
func (n node) isLeaf() bool { return !(n.feature >= 0) } // as NaN is in a damaged checkpoint, which has no class either

// class returns the class of a leaf.
func (n node) class() float32 { return -1 - n.feature }

// end returns where the nodes of a tree end.
func (m *forest) end(tree int) int {
	if tree+1 < len(m.roots) {
		return int(m.roots[tree+1])
	}
	return len(m.nodes) / 3
}

// votes returns the share of the trees for each class.
func (m *forest) votes(features []float32) []float64 {
	p := make([]float64, m.classes)
	for _, root := range m.roots {
		at := int(root)
		n := m.node(at)
		for !n.isLeaf() {
			if features[int(n.feature)] < n.threshold {
				at++
			} else {
				at = int(root + n.right)
			}
			n = m.node(at)
		}
		p[int(n.class())] += 1 / float64(len(m.roots))
	}
	return p
}

// check returns an error if a tree leads out of the forest, as in a damaged checkpoint.
func (m *forest) check() error {
	count := len(m.nodes) / 3
	for tree, root := range m.roots {
		end := m.end(tree)
		if !(root >= 0) || int(root) >= end || end > count {
			return fmt.Errorf("tree %d begins at node %v of %d", tree, root, count)
		}
		for at := int(root); at < end; at++ {
			n := m.node(at)
			right := int(root + n.right)
			if n.isLeaf() {
				if !(n.class() >= 0 && int(n.class()) < m.classes) {
					return fmt.Errorf("node %d is of class %v of %d", at, n.class(), m.classes)
				}
			} else if !(int(n.feature) < m.width && right > at+1 && right < end) {
				return fmt.Errorf("node %d splits feature %v of %d, and leads to node %v of its tree",
					at, n.feature, m.width, n.right)
			}
		}
	}
	return nil
}

// exportedNodes are the nodes of all trees as an ONNX model has them. A leaf is its own child, so that trees of all
// depths are followed for as many steps as the deepest one takes.
type exportedNodes struct {
	feature   []int
	threshold []float32
	class     []int // of leaves
	next      []int // the left and the right child of each node
	depth     int   // of the deepest tree
}

// exportedNodes returns the nodes, counted from the first one of the forest.
func (m *forest) exportedNodes() exportedNodes {
	n := len(m.nodes) / 3
	e := exportedNodes{make([]int, n), make([]float32, n), make([]int, n), make([]int, 2*n), 0}
	depth := make([]int, n)
	for tree, root := range m.roots {
		for at := int(root); at < m.end(tree); at++ {
			node := m.node(at)
			if node.isLeaf() {
				e.class[at], e.next[2*at], e.next[2*at+1] = int(node.class()), at, at
				continue
			}
			left, right := at+1, int(root+node.right)
			e.feature[at], e.threshold[at] = int(node.feature), node.threshold
			e.next[2*at], e.next[2*at+1] = left, right
			depth[left], depth[right] = depth[at]+1, depth[at]+1 // children come after their parents
		}
	}
	e.depth = slices.Max(depth)
	return e
}

// export adds nodes that follow all trees at once, a node deeper each time.
func (m *forest) export(g *onnx.Graph, features string) string {
	nodes := m.exportedNodes()
	samples := g.Op("Gather", g.Op("Shape", features), 0)
	first := g.Op("Unsqueeze", g.Op("Mul", g.Below(samples), m.width), []int{1}) // of each sample's features in all
	features = g.Op("Reshape", features, []int{-1})
	at := g.Op("Add", g.Op("Mul", first, 0), loop.Convert[int64](m.roots)) // `[batch, trees]`
	for range nodes.depth {
		x := g.Op("Gather", features, g.Op("Add", first, g.Op("Gather", nodes.feature, at)))
		right := g.Op("Not", g.Op("Less", x, g.Op("Gather", nodes.threshold, at)))
		at = g.Op("Gather", nodes.next, g.Op("Add", g.Op("Mul", at, 2), g.To(onnx.Int64, right)))
	}
	class := g.Op("Unsqueeze", g.Op("Gather", nodes.class, at), []int{2})
	votes := g.Op("Equal", class, loop.Indices(m.classes))
	return g.Op("Div", g.Sum(g.To(onnx.Float, votes), 1), float32(len(m.roots)))
}
