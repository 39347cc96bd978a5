package ccp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/clusterpool/ccp/ccp/internal/place"
)

// Preparation says which hierarchies to prepare. Prepare starts it, Done makes them. All of it happens on the host,
// in time and memory linear in the edges.
type Preparation struct {
	graph       *affinity.Matrix
	levels      []partition.Size
	hierarchies int
	seed        uint64
	cuts        bool
	directed    []int // the levels of Directed
	reach       int
	around      []int // the levels of Around
	candidates  []int
	start       bool
	positions   [][]float64
	progress    partition.Progress
	wrong       error // of the coordinates
}

// Prepare starts a preparation of hierarchies of a graph. graph is the data's own: the search normalises it, since
// Algorithm 2's input is normalised. The unit of its weights changes nothing, see affinity.Matrix.Relative.
func Prepare(graph *affinity.Matrix) *Preparation { return &Preparation{graph: graph, hierarchies: 1} }

// Level adds a level of that many clusters, whose filter reads `neighbours` nodes. It is needed once for each level of
// the network, with the numbers of New and Neighbours. No cluster is larger than its neighbourhood if that is
// possible.
func (p *Preparation) Level(clusters, neighbours int) *Preparation {
	p.levels = append(p.levels, partition.Size{Clusters: clusters, MaxSize: neighbours})
	return p
}

// Hierarchies sets the number of hierarchies (default 1). A training step uses one, a prediction all. A cluster's
// number means nothing in another hierarchy: only a last level of one cluster can be read out by weights.
func (p *Preparation) Hierarchies(n int) *Preparation { p.hierarchies = n; return p }

// Seed sets the seed of the first hierarchy's search (default 0); each further hierarchy takes the next number.
func (p *Preparation) Seed(first uint64) *Preparation { p.seed = first; return p }

// Cuts also tries to cut the nodes into blocks by their positions, and takes the blocks if they have the greater C.
// On a grid they do. There is one such hierarchy only.
func (p *Preparation) Cuts() *Preparation { p.cuts = true; return p }

// Directed gives each slot of these levels one direction, common to all clusters. Levels count from 1; 0 is the
// input, for Stem. A level's option ccp_slots must not be random.
func (p *Preparation) Directed(levels ...int) *Preparation { p.directed = levels; return p }

// Around finds `reach` nodes around each node for Stem, which a Hierarchy keeps if the input is Directed. It finds
// `reach` clusters around each cluster of these levels, from 1, for residual blocks.
func (p *Preparation) Around(reach int, levels ...int) *Preparation {
	p.reach, p.around = reach, levels
	return p
}

// Candidates lets the memberships be learned, but restricts a node of the first level to c[0] clusters, and so on.
// They are the nearest ones in the first hierarchy. A count of 0 allows all clusters.
func (p *Preparation) Candidates(c ...int) *Preparation { p.candidates = c; return p }

// Start lets the memberships be learned from the first hierarchy on: each node begins with a membership of 0.9 in its
// cluster.
func (p *Preparation) Start() *Preparation { p.start = true; return p }

// Coordinates sets the positions of the nodes, `[N, d]` row-major, for Cuts and Directed. If there are none, or two
// nodes have one position, positions come from the graph alone.
func (p *Preparation) Coordinates(coordinates []float64) *Preparation {
	p.positions, p.wrong = nil, nil
	if len(coordinates) == 0 || p.graph == nil {
		return p
	}
	if len(coordinates)%p.graph.N() != 0 {
		p.wrong = fmt.Errorf("%d coordinates of %d nodes; each node must have as many", len(coordinates), p.graph.N())
		return p
	}
	positions := slices.Collect(slices.Chunk(coordinates, len(coordinates)/p.graph.N()))
	sorted := slices.SortedFunc(slices.Values(positions), slices.Compare)
	if len(slices.CompactFunc(sorted, slices.Equal)) == p.graph.N() {
		p.positions = positions
	}
	return p
}

// Progress calls f now and then with the level of the search, the share of it that is done, and C. It does not call f
// for a result from the cache.
func (p *Preparation) Progress(f func(level int, done, objective float64)) *Preparation {
	p.progress = f
	return p
}

// check returns an error if what is asked cannot be prepared.
func (p *Preparation) check() error {
	absent := func(level int) bool { return level < 0 || level > len(p.levels) }
	switch {
	case p.graph == nil:
		return errors.New("there is no graph to prepare hierarchies of")
	case p.graph == p.graph.Normalized():
		return errors.New("the graph is normalised already; give the data's own")
	case p.wrong != nil:
		return p.wrong
	case len(p.levels) == 0 && p.reach == 0:
		return errors.New("there are no levels: call Level once for each level of the network")
	case slices.ContainsFunc(p.directed, absent) || slices.ContainsFunc(p.around, absent):
		return fmt.Errorf("levels %v are Directed, %v have Around; there are %d levels", p.directed, p.around, len(p.levels))
	case p.hierarchies < 1 || p.cuts && p.hierarchies > 1:
		return fmt.Errorf("%d hierarchies: there must be at least 1, and cuts give 1 only", p.hierarchies)
	}
	return nil
}

// Done searches the hierarchies, or finds them in the user's cache. Errors: a level that does not fit the one before
// it, and ctx's.
func (p *Preparation) Done(ctx context.Context) (*Hierarchy, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	h := &Hierarchy{Levels: make([]HierarchyLevel, len(p.levels))}
	return p.made(h, func(i int, graph *affinity.Matrix) ([][]int32, error) {
		var cutAt [][]float64
		if p.cuts {
			cutAt = p.positions // which are there by now
		}
		clusters, err := partition.Cached(ctx, graph, cutAt, p.levels, p.seed+uint64(i), p.progress)
		if err != nil {
			err = fmt.Errorf("preparing the hierarchy: %w", err)
		}
		return clusters, err
	})
}

// clusteringFunc returns the clusters of hierarchy i of a graph: the cluster of each node, by level.
type clusteringFunc func(i int, graph *affinity.Matrix) ([][]int32, error)

// made makes h of the clusterings for each hierarchy. Levels of h may have slots already.
func (p *Preparation) made(h *Hierarchy, clustering clusteringFunc) (*Hierarchy, error) {
	weights := p.graph.Relative() // in no unit, so that none decides ties
	graph := weights.Normalized()
	if p.positions == nil && (p.cuts || len(p.directed) > 0) {
		p.positions = graph.Embed()
	}
	h.Learned, h.Start = len(p.candidates) > 0 || p.start, p.start
	levels := make([]levelPositions, len(p.levels))
	for i := range p.hierarchies {
		clusters, err := clustering(i, graph)
		if err != nil {
			return nil, err
		}
		m, at := graph, p.positions
		for l, size := range p.levels {
			if err := p.fits(l, m); err != nil {
				return nil, err
			}
			nodes, ranks := partition.Neighbourhoods(m, clusters[l], size.Clusters, size.MaxSize, centralityOnHost)
			h.Levels[l].Pooled.add(nodes, ranks)
			if i == 0 {
				h.Coverage = append(h.Coverage, hierarchy.Coverage(nodes, ranks, m.N()))
				p.measure(h, l, m, clusters[l])
			}
			levels[l].nodes = append(levels[l].nodes, at...)
			m, at, err = p.addLevel(h, l, m, at, clusters[l])
			if err != nil {
				return nil, err
			}
			levels[l].clusters = append(levels[l].clusters, at...)
		}
	}
	for l := range p.levels {
		p.finish(h, l, levels[l])
	}
	// Another machine might round the positions otherwise.
	if slices.Contains(p.directed, 0) && p.reach > 0 {
		h.Input = p.input(weights)
	}
	return h, nil
}

// levelPositions has the positions of a level's nodes and clusters, first those in the first hierarchy. They are empty
// if nodes have no positions.
type levelPositions struct{ nodes, clusters [][]float64 }

// fits returns an error if the neighbourhoods of level l, counted from 0, do not fit its graph m.
func (p *Preparation) fits(l int, m *affinity.Matrix) error {
	size := p.levels[l].MaxSize
	if size < 1 || size > m.N() {
		return fmt.Errorf("level %d: L=%d does not fit its %d nodes; lower L or raise the previous level's clusters",
			l+1, size, m.N())
	}
	return nil
}

// measure adds what level l has of the first hierarchy alone. m is the level's graph.
func (p *Preparation) measure(h *Hierarchy, l int, m *affinity.Matrix, clusters []int32) {
	size := p.levels[l]
	h.Objective = append(h.Objective, m.Objective(clusters, size.Clusters))
	if l < len(p.candidates) && 0 < p.candidates[l] && p.candidates[l] < size.Clusters {
		h.Levels[l].Candidates = partition.Candidates(m, clusters, size.Clusters, p.candidates[l])
	}
}

// addLevel adds a hierarchy's clusters to level l. m is the level's graph, and at are the positions of its nodes, nil
// if there are none. It returns the graph and the positions of the clusters.
func (p *Preparation) addLevel(h *Hierarchy, l int, m *affinity.Matrix, at [][]float64, clusters []int32) (
	*affinity.Matrix, [][]float64, error) {
	size, level := p.levels[l], &h.Levels[l]
	coarse, err := m.Coarsen(clusters, size.Clusters)
	if err != nil {
		return nil, nil, fmt.Errorf("level %d: %w", l+1, err)
	}
	if at != nil {
		at = place.Centres(at, clusters, size.Clusters)
	}
	level.Clusters = append(level.Clusters, clusters...)
	if slices.Contains(p.around, l+1) {
		level.Around.add(p.nearest(coarse, l+1))
	}
	return coarse, at, nil
}

// finish directs the slots of level l, once it has the clusters of all hierarchies.
func (p *Preparation) finish(h *Hierarchy, l int, at levelPositions) {
	size, level := p.levels[l], &h.Levels[l]
	level.Width, level.Pooled.Size, level.Around.Size = size.Clusters, size.MaxSize, min(p.reach, size.Clusters)
	if slices.Contains(p.directed, l+1) {
		level.Pooled.direct(at.nodes, at.clusters, p.hierarchies)
		level.Around.direct(at.clusters, at.clusters, p.hierarchies)
	}
	level.Around.fill()
}

// nearest lists the nodes around each node of m, which is the graph above that many levels. present is 1, or 0 for an
// empty slot, whose node is -1.
func (p *Preparation) nearest(m *affinity.Matrix, level int) (nodes []int32, present []float64) {
	reach := min(p.reach, m.N())
	nodes, hops := m.Nearest(reach)
	if slices.Contains(p.directed, level) {
		within(nodes, hops, reach)
	}
	present = make([]float64, len(nodes))
	for i, node := range nodes {
		if node >= 0 {
			present[i] = 1
		}
	}
	return nodes, present
}

// input finds the nodes around each node of the input, over which Stem filters. They are in the order of directed slots
// if the input is Directed, else in that of their numbers. The weights of graph say which nodes are near.
func (p *Preparation) input(graph *affinity.Matrix) (n Neighbourhoods) {
	n.Size = min(p.reach, graph.N())
	n.add(p.nearest(graph, 0))
	if slices.Contains(p.directed, 0) {
		if p.positions == nil {
			p.positions = graph.Embed()
		}
		n.direct(p.positions, p.positions, 1)
	} else {
		for i := 0; i < len(n.Nodes); i += n.Size {
			slices.SortFunc(n.Nodes[i:i+n.Size], func(a, b int32) int {
				return cmp.Compare(uint32(a), uint32(b)) // -1 comes last
			})
		}
	}
	n.fill()
	return n
}

// Neighbourhoods lists nodes around each of some clusters, first those in the first hierarchy. Each hierarchy numbers
// its own nodes.
type Neighbourhoods struct {
	Size  int       // L
	Nodes []int32   // `[H·K, L]`
	Ranks []float64 // `[H·K, L]`: centralities, or 1 for a node that is there
	// Slots has the displacement of each directed slot, `[L, dims]`.
	Slots [][]float64
}

func (n *Neighbourhoods) add(nodes []int32, ranks []float64) {
	n.Nodes, n.Ranks = append(n.Nodes, nodes...), append(n.Ranks, ranks...)
}

// direct puts the neighbourhoods of all hierarchies into the order of slots that lie in one direction from every
// cluster, by the positions of their nodes and of the clusters.
func (n *Neighbourhoods) direct(positions, centres [][]float64, hierarchies int) {
	if len(n.Nodes) == 0 {
		return
	}
	k, nodes := len(n.Nodes)/n.Size, int32(len(positions)/hierarchies)
	for i, node := range n.Nodes {
		if node >= 0 {
			n.Nodes[i] += int32(i/(n.Size*k/hierarchies)) * nodes
		}
	}
	n.Nodes, n.Ranks, n.Slots = place.Directed(n.Slots, positions, centres, n.Nodes, n.Ranks, k, n.Size)
	for i := range n.Nodes {
		n.Nodes[i] %= nodes
	}
}

// fill puts node 0 into empty slots, as a table of nodes needs a valid one. Their rank of 0 leaves it out.
func (n *Neighbourhoods) fill() {
	for i, node := range n.Nodes {
		n.Nodes[i] = max(0, node)
	}
}

// within removes nodes that are too far: farther than the best-connected tenth of the nodes need for `reach` nodes.
// At a border, a slot whose direction leads out of the graph so stays empty.
func within(nodes, hops []int32, reach int) {
	var farthest []int32
	for last := reach - 1; last < len(hops); last += reach {
		if hops[last] >= 0 {
			farthest = append(farthest, hops[last])
		}
	}
	if len(farthest) == 0 {
		return
	}
	slices.Sort(farthest)
	for i := range nodes {
		if hops[i] > farthest[len(farthest)/10] {
			nodes[i] = -1
		}
	}
}
