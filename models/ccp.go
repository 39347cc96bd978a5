package models

import (
	"cmp"
	"math"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/variables"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// clusterPooling is the name of the paper's model.
const clusterPooling = "ccp"

// transformsAlone is the name of the model that is the ridge classifier on the transforms, without a network.
const transformsAlone = "transforms"

// Clusters reports whether the network is the paper's and has levels. Options.Hierarchy says where its clusters come
// from.
func (s Spec) Clusters() bool { return s.Model == clusterPooling && len(s.Levels) > 0 }

// Learns reports whether memberships are learned: training changes the hierarchy, which is frozen for predictions.
func (s Spec) Learns() bool {
	plan := s.Options.Hierarchy
	return s.Network().Clusters && plan != ccp.Prepared && plan != ccp.Random
}

// ccpNetwork builds the paper's network: a stem, stacked levels of convolutional cluster pooling with residual
// blocks, and the readout. With several hierarchies the logits are a mean over them. In training they come from one
// hierarchy.
func ccpNetwork(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	var a ccp.Affinity
	if spec.candidates(0) > 0 && graph.Hierarchy == nil { // candidates need the edges
		a = ccp.NewSparse(scope.At(variables.Graph), signal.Graph(), graph.Normalized(), signal.DType())
	} else {
		a = graph.Affinity(scope, signal)
	}
	x := signal
	var resolutions []*Node // `[rows, nodes, channels]`
	if filters := spec.Options.Stem; filters > 0 {
		x = spec.preparation(graph.Matrix).Stem(scope, x, filters, spec.blocks(0))
		resolutions = append(resolutions, x)
	}
	for i, l := range spec.Levels {
		level := ccp.New(scope.In("%s", levelName(i)), x, a, l.Clusters, l.Filters).Neighbours(l.Neighbours)
		x, a = level.Blocks(spec.blocks(i + 1)).Done()
		if spec.Options.Readout == readLevels {
			resolutions = append(resolutions, Reshape(x, -1, spec.nodesAt(i+1), x.Shape().Dim(2)))
		}
	}
	x = Reshape(x, -1, spec.nodesAt(len(spec.Levels)), x.Shape().Dim(2))
	if spec.Options.Readout == readLevels && len(resolutions) > 0 {
		x = pooled(resolutions, x.Shape().Dim(0))
	}
	return a.Mean(spec.Readout(scope, x))
}

// pooled returns the mean and the maximum over the nodes of each resolution, side by side, `[rows, features]`
// (jumping knowledge, Xu et al. 2018). Where there are more rows than of a resolution, these are of its several
// hierarchies.
func pooled(resolutions []*Node, rows int) *Node {
	var features []*Node
	for _, x := range resolutions {
		both := []*Node{ReduceMean(x, 1)}
		if x.Shape().Dim(1) > 1 {
			both = append(both, ReduceMax(x, 1))
		}
		for _, y := range both {
			if of := y.Shape().Dim(0); of < rows {
				y = Reshape(BroadcastToDims(ExpandAxes(y, 1), of, rows/of, y.Shape().Dim(1)), rows, -1)
			}
			features = append(features, y)
		}
	}
	return Concatenate(features, 1)
}

// Hierarchies counts the network's hierarchies: one, if there is nothing to cluster.
func (s Spec) Hierarchies() int {
	if s.Model == clusterPooling && len(s.Levels) == 0 {
		return 1
	}
	return max(1, s.Options.Hierarchies)
}

// checkClusters returns an error if the settings of the paper's model contradict each other.
func checkClusters(s Spec, _ *affinity.Matrix) error {
	if _, err := s.Options.blocks(len(s.Levels)); err != nil {
		return err
	}
	return cmp.Or(checkHierarchies(s), checkCandidates(s), checkSearch(s))
}

// checkHierarchies returns an error if the network cannot have several hierarchies but asks for them.
func checkHierarchies(s Spec) error {
	n, oneHierarchy := s.Hierarchies(), params.With("ccp_hierarchies", 1)
	if n == 1 {
		return nil
	}
	if s.Options.Hierarchy != ccp.Prepared && s.candidates(0) > 0 {
		return params.Errorf("ccp_hierarchies", n, "the candidates of level 1 are of one hierarchy; use %v, or %v",
			params.With("ccp_candidates", 0), oneHierarchy)
	}
	if s.Options.Search == cutSearch {
		return params.Errorf("ccp_hierarchies", n, "%v finds one hierarchy only; use %v, or %v",
			params.With("ccp_search", cutSearch), params.With("ccp_search", "anneal"), oneHierarchy)
	}
	if last := s.nodesAt(len(s.Levels)); len(s.Levels) > 0 && last > 1 && s.Options.Readout != readLevels {
		return params.Errorf("ccp_hierarchies", n, "the last level has %d clusters, whose weights belong to one "+
			"hierarchy; end with a level of 1 cluster, or use %v", last, oneHierarchy)
	}
	return nil
}

// checkCandidates returns an error if a level has candidates and the level before it has none.
func checkCandidates(s Spec) error {
	for i := 1; i < len(s.Levels); i++ {
		if s.candidates(i) > 0 && s.candidates(i-1) == 0 && s.Options.Hierarchy != ccp.Prepared {
			return params.Sentencef("ccp_candidates", "level %d has %d candidates of %d clusters, but level %d has all: "+
				"its pooled affinity is dense; set %v for level %d too", i+1, s.candidates(i), s.Levels[i].Clusters, i,
				params.Named("ccp_candidates"), i)
		}
	}
	return nil
}

// checkSearch returns an error if a searched start or cuts are asked for and nothing is searched.
func checkSearch(s Spec) error {
	if s.Options.Start == searchedStart && !s.Learns() {
		return params.Errorf("ccp_start", searchedStart, "it is of memberships that are learned, but this hierarchy is "+
			"%v; leave it out", s.Options.Hierarchy)
	}
	if o := s.Options; (o.Search == cutSearch || o.HierarchySeed != 0) && !searches(s) {
		option, value := "ccp_search", any(o.Search)
		if o.Search != cutSearch {
			option, value = "ccp_hierarchy_seed", o.HierarchySeed
		}
		return params.Errorf(option, value, "it is of a hierarchy that is searched, but this one is %v; use %v, or leave "+
			"it out", o.Hierarchy, params.With("ccp_hierarchy", ccp.Prepared))
	}
	return nil
}

// directedSlots is the value of Options.Slots with one direction for each slot. cutSearch is the value of
// Options.Search that tries cuts, searchedStart that of Options.Start, readLevels that of Options.Readout that reads
// all levels.
const (
	readLevels    = "levels"
	directedSlots = "directed"
	cutSearch     = "cut"
	searchedStart = "searched"
)

// Affinity gives the affinity for the first level of package ccp in a network. It is the data's, normalised, unless
// the hierarchy is prepared or frozen. Its values are variables that a checkpoint leaves out.
func (t Topology) Affinity(scope *model.Scope, signal *Node) ccp.Affinity {
	if t.without != "" {
		exceptions.Panicf("model %s is registered without Clusters, so that nothing prepares its levels: set "+
			"Clusters, or read the edges by ccp.FromMatrix", t.without)
	}
	if t.Hierarchy != nil {
		return t.Hierarchy.Affinity(scope, signal)
	}
	return ccp.FromMatrix(scope.At(variables.Graph), signal.Graph(), t.Normalized(), signal.DType())
}

// Readout returns the logits `[batch, classes]` of a network's features `[batch, ...]`. For each width of Hidden it
// has dropout, dense, batch norm and ELU, in the scopes fc_1 and so on. Dropout and the dense layer of scope classes
// follow.
func (s Spec) Readout(scope *model.Scope, x *Node) *Node {
	dropout := func(scope *model.Scope, x *Node) *Node {
		return nn.Dropout(scope, x, params.Read[Options](scope).ReadoutDropout)
	}
	batch := x.Shape().Dim(0)
	x = Reshape(x, batch, x.Shape().Size()/batch)
	for i, width := range s.Hidden {
		scope := scope.In("fc_%d", i+1)
		x = nn.ELU(nn.DenseNorm(scope, dropout(scope, x), width, math.Sqrt2))
	}
	scope = scope.In("classes")
	return nn.Dense(scope, dropout(scope, x), s.Classes(), 1)
}
