package models

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models/internal/graphconv"
	"github.com/clusterpool/ccp/models/internal/grids"
	"github.com/clusterpool/ccp/models/internal/skeleton"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Spec says which network to build and for what data. It is kept in a checkpoint.
type Spec struct {
	Model string `json:"model"`
	Architecture
	Nodes    int `json:"nodes"`
	Channels int `json:"channels"`
	Classes  int `json:"classes"`
	// Grid is {rows, columns} where the nodes lie on a grid, row by row: an image's, or a skeleton's frames and joints; else nil.
	Grid []int `json:"grid,omitempty"`
	// Parts are the columns of the grid that make up each part of a body; nil where the nodes are no skeleton's.
	Parts [][]int `json:"parts,omitempty"`
	// Bodies is how many bodies' x, y and z, three channels each, are a joint's first channels; 0: no places in space are known.
	Bodies   int      `json:"bodies,omitempty"`
	Settings Settings `json:"params"`
}

// Topology is what a network is built on: the data's raw affinity and, if there is one before the training, the hierarchy of clusters
// over it. If Frozen, its neighbourhoods and ranks are in the store; else Hierarchy has them, unless it is nil.
type Topology struct {
	*affinity.Matrix
	Frozen    bool
	Hierarchy *ccp.Hierarchy
}

// Network builds a classifier's graph. signal: `[batch, nodes, channels]`, result: logits `[batch, classes]`, or `[batch, answers, classes]`
// of a network that answers several times, see Answer. It panics as graph-building functions do.
type Network func(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node

// kind is what the registry knows of a model.
type kind struct {
	about  string // in a few words, with the paper
	build  Network
	levels bool // it has levels to choose, see Architecture
	hidden bool // it has hidden fully connected layers to choose
	// sizes are the levels for a graph without a recipe; nil: derivedLevels.
	sizes func(nodes int) []Level
	// check says what else of a spec is wrong; nil: nothing.
	check func(Spec) error
	// margins: its scores are trained by the squared hinge loss, one class against the rest, and are no probabilities' logits.
	margins bool
	// bones is how many edges between joints of the first frame it needs.
	bones int
	// precompute computes variables from the training samples before the training; nil: there are none.
	precompute func(context.Context, compute.Backend, Spec, *affinity.Matrix, Samples, []float32, []float32) (variables, error)
	// fitted: precompute computes all weights, and there is no training.
	fitted bool
	// own: it was added by Register, and may have levels of package ccp that only building it tells of.
	own bool
	// lacks are the options of all models that this one has no use for.
	lacks []string
}

// registry: a model is one file and one line here.
var registry = map[string]kind{
	clusterPooling: {about: "convolutional cluster pooling (Porrello et al. 2019)", build: ccpNetwork, levels: true, hidden: true, check: Spec.checkClusters},
	"fc":           {about: "fully connected layers", build: fullyConnected, hidden: true},
	"softmax":      {about: "softmax regression", build: linear, lacks: linearLacks},
	"svm":          {about: "linear support vector machine, one class against the rest", build: linear, margins: true, lacks: linearLacks},
	"bayes":        {about: "multinomial naive Bayes, for counts", build: linear, precompute: fitBayes, fitted: true, lacks: bayesLacks},
	"graph-cnn":    {about: "Graph-CNN with graph embed pooling (Such et al. 2017)", build: onGraph(graphconv.GraphCNN), levels: true, sizes: graphCNNLevels, hidden: true},
	"cnn":          {about: "convolutional network with stochastic pooling (Zeiler and Fergus 2013)", build: onGrid(grids.StochasticCNN), check: Spec.checkGrid, lacks: noReadout},
	"resnet":       {about: "residual network (He et al. 2016)", build: onGrid(func(scope *model.Scope, x *Node) *Node { return grids.ResNet(scope, x, optionsOf(scope).ResNetDepth) }), check: Spec.checkGrid, lacks: noReadout},
	"tcn":          {about: "temporal convolution network (Kim and Reiter 2017)", build: onBody(skeleton.TemporalConvolution, classLayer), check: Spec.checkBody, lacks: noReadout},
	"p-lstm":       {about: "part-aware LSTM (Shahroudy et al. 2016)", build: partAwareLSTM(8), check: Spec.checkBody},
	"lie-group":    {about: "how bones lie to each other, as curves in a Lie group, and a linear SVM (Vemulapalli et al. 2014)", build: onBody(skeleton.LieGroup, asItIs), bones: 2, precompute: nominalCurves, margins: true, check: Spec.checkPlaces, lacks: lieLacks},
	"hbrnn-l":      {about: "hierarchical recurrent network of a body's parts (Du et al. 2015)", build: onBody(skeleton.HierarchicalRNN, readout), check: Spec.checkBody},
	"st-lstm":      {about: "LSTM over joints and time with trust gates (Liu et al. 2016)", build: onBody(skeleton.SpatioTemporalLSTM, asItIs), bones: 1, check: Spec.checkBody},
	"stgc":         {about: "recursive graph filters over a skeleton, Deep STGC_K (Li et al. 2018)", build: onBody(skeleton.RecursiveFilters, readout), bones: 1, check: Spec.checkBody},
	"tgcnn":        {about: "convolution on the product of a memory and a skeleton (T. Zhang et al. 2018)", build: onBody(skeleton.TensorGraphCNN, readout), bones: 1, check: Spec.checkBody},
	"c-cnn":        {about: "clips of a body in cylindrical coordinates, a CNN and several tasks (Ke et al. 2017)", build: onBody(skeleton.ClipCNN, asItIs), check: Spec.checkPlaces},
	"chebyshev":    {about: "Chebyshev filters and Graclus (Defferrard et al. 2016)", build: onGraph(graphconv.Pooling(graphconv.Chebyshev)), levels: true, hidden: true, check: Spec.checkShrinking},
	"gcn":          {about: "graph convolution (Kipf and Welling 2017) and Graclus", build: onGraph(graphconv.Pooling(graphconv.GCN)), levels: true, hidden: true, check: Spec.checkShrinking},
	"gat":          {about: "graph attention (Veličković et al. 2018) and Graclus", build: onGraph(graphconv.Pooling(graphconv.GAT)), levels: true, hidden: true, check: Spec.checkShrinking},
	"gat-average":  {about: "graph attention and global average pooling (Veličković et al. 2018)", build: onGraph(graphconv.GATAverage), levels: true, sizes: gatAverageLevels, hidden: true},
}

// Names lists the registered models.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// About says in a few words what a model is, and where it comes from.
func About(name string) string { return registry[name].about }

// Check says what is wrong with a spec before any graph is built.
func (s Spec) Check() error {
	k, ok := registry[s.Model]
	switch {
	case !ok:
		return fmt.Errorf("there is no model %q; %s", s.Model, suggest.Among(s.Model, Names()))
	case s.Classes < 2:
		return fmt.Errorf("a classifier needs at least 2 classes, the data has %d", s.Classes)
	case !k.levels && len(s.Levels) > 0:
		return fmt.Errorf("model %s has no levels; leave --levels out", s.Model)
	case !k.hidden && len(s.Hidden) > 0:
		return fmt.Errorf("model %s has no hidden layers; leave --fc out", s.Model)
	}
	if err := s.Architecture.Check(s.Nodes); err != nil {
		return err
	}
	if k.check != nil {
		if err := k.check(s); err != nil {
			return err
		}
	}
	return s.checkSettings()
}

// CheckGraph says what the spec's model lacks in a graph.
func (s Spec) CheckGraph(graph *affinity.Matrix) error {
	needed := registry[s.Model].bones
	if needed == 0 {
		return nil
	}
	if bones := len(skeleton.Bones(graph, s.Grid[1])); bones < needed {
		return fmt.Errorf("model %s needs the bones of a skeleton; the graph has %d edges between the %d joints of the first frame", s.Model, bones, s.Grid[1])
	}
	return nil
}

// Samples goes over the training samples, raw, `[nodes, channels]` row-major, with their classes. The slice is used again.
type Samples = iter.Seq2[[]float32, int32]

// Fitted reports whether Precompute computes all weights of the model, in place of a training.
func (s Spec) Fitted() bool { return registry[s.Model].fitted }

// variables are values of a network by their paths below it.
type variables map[string]*tensors.Tensor

// Precompute computes the variables of a model that are not trained but depend on the training samples. It does nothing for
// models without such variables. The samples are raw; the network will see them as (raw − mean) / std, by channel. An error says
// what of the data does not suit the model, or is the context's or the backend's.
func (s Spec) Precompute(ctx context.Context, backend compute.Backend, store *model.Store, graph *affinity.Matrix,
	samples Samples, mean, std []float32) error {
	k := registry[s.Model]
	if k.precompute == nil {
		return nil
	}
	values, err := k.precompute(ctx, backend, s, graph, samples, mean, std)
	if err = cmp.Or(err, ctx.Err()); err != nil { // the samples end with the context
		return err
	}
	for path, value := range values {
		v, err := store.CreateVariable(networkScope+path, value)
		if err != nil {
			return err
		}
		v.SetTrainable(k.fitted)
	}
	return nil
}

// Margins says whether the network's scores are to be trained by the squared hinge loss, one class against the rest, as a linear
// support vector machine's are.
func (s Spec) Margins() bool { return registry[s.Model].margins }

// networkPath is the scope of a network in a store, networkScope the path of its variables.
const (
	networkPath  = "/model"
	networkScope = networkPath + "/"
)

// Build builds the spec's network in the root scope, see Network. In training, the logits of a network that answers several times for each
// sample are `[batch, answers, classes]`; each answer is to have a loss of its own, and Answer makes one of them.
func (s Spec) Build(scope *model.Scope, graph Topology, signal *Node) *Node {
	training := scope.IsTraining(signal.Graph())
	scope = scope.In("model")
	signal = nn.Dropout(scope.In("input"), signal, optionsOf(scope).InputDropout)
	logits := registry[s.Model].build(scope, s, graph, signal)
	if training {
		return logits
	}
	return Answer(logits)
}

// Answer makes one answer of several: logits whose softmax is the mean of theirs. logits: `[batch, answers, classes]`, result `[batch,
// classes]`; logits of one answer, `[batch, classes]`, stay as they are.
func Answer(logits *Node) *Node {
	if logits.Rank() == 2 {
		return logits
	}
	logits = LogSoftmax(logits, -1)
	most := StopGradient(ReduceMax(logits, 1))
	return Add(most, Log(ReduceMean(Exp(Sub(logits, ExpandAxes(most, 1))), 1)))
}

// Parameters counts the trainable values: memberships, gates, filters, dense layers and batch norm's scale and offset. It
// builds the network without computing anything, and panics as Build does.
func (s Spec) Parameters(backend compute.Backend, graph *affinity.Matrix) (n int) {
	store, topology := s.NewStore(0), Topology{Matrix: graph}
	if s.Clusters() { // which nodes are in a neighbourhood changes no shape
		topology.Hierarchy = s.preparation(graph).Blank()
	}
	g := NewGraph(backend, "parameters")
	defer g.Finalize()
	s.Build(store.RootScope(), topology, Zeros(g, shapes.Make(dtypes.Float32, 1, s.Nodes, s.Channels)))
	for v := range store.IterVariables() {
		if IsWeight(v) && v.Trainable {
			n += v.Shape().Size()
		}
	}
	if s.Clusters() && !s.FrozenInTraining() {
		for i := range s.Levels {
			n += s.nodesAt(i) * s.candidates(i)
		}
	}
	return n
}

// NewStore makes an empty store with the spec's parameters, whose weights will be drawn from seed.
func (s Spec) NewStore(seed int64) *model.Store {
	store := model.NewStore()
	store.SetParams(s.Settings.params(networkScope))
	store.SetParam(model.ScopeSeparator+model.ParamInitialSeed, seed)
	return store
}
