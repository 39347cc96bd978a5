package transforms

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/trees"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/clusterpool/ccp/models/onnx"
)

// forest is a classifier of extremely randomised trees (Geurts, Ernst and Wehenkel 2006) on the features of all maps
// that draw nothing, as in QUANT (Dempster et al. 2024). A node looks at a tenth of the features. Trees compare a
// feature with nothing but itself, so that they err elsewhere than a weighted sum of features does.
type forest struct {
	classes int
	names   []string // of the maps
	maps    []features.Map
	width   int // of all maps
	// nodes are those of all trees in turn. roots has the number of each tree's first node.
	nodes trees.Tree
	roots []float32
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

// node returns a node by its number in the forest.
func (m *forest) node(at int) trees.Node { return m.nodes.Node(at) }

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
		p[m.nodes[3*int(root):].Class(features)] += 1 / float64(len(m.roots))
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
			right := int(root + n.Right)
			if n.IsLeaf() {
				if !(n.Class() >= 0 && int(n.Class()) < m.classes) {
					return fmt.Errorf("node %d is of class %v of %d", at, n.Class(), m.classes)
				}
			} else if !(int(n.Feature) < m.width && right > at+1 && right < end) {
				return fmt.Errorf("node %d splits feature %v of %d, and leads to node %v of its tree",
					at, n.Feature, m.width, n.Right)
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
			if node.IsLeaf() {
				e.class[at], e.next[2*at], e.next[2*at+1] = int(node.Class()), at, at
				continue
			}
			left, right := at+1, int(root+node.Right)
			e.feature[at], e.threshold[at] = int(node.Feature), node.Threshold
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
