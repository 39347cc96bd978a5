package models

import (
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
	// Grid is {rows, columns} of nodes on a grid, row by row: an image, or the frames and joints of a skeleton. Else it
	// is nil.
	Grid []int `json:"grid,omitempty"`
	// Parts holds the columns of the grid for each part of a body. If the nodes are no skeleton's, it is nil.
	Parts [][]int `json:"parts,omitempty"`
	// Bodies is the number of bodies in a recording. A joint's first channels are x, y and z of each body. 0 means that
	// the channels are not positions.
	Bodies   int      `json:"bodies,omitempty"`
	Settings Settings `json:"params"`
}

// Topology is the graph of a network: the data's raw affinity, and the hierarchy of clusters over it. If Frozen, the
// neighbourhoods and ranks of the hierarchy are in the store. Else Hierarchy has them. It is nil if the hierarchy is
// learned.
type Topology struct {
	*affinity.Matrix
	Frozen    bool
	Hierarchy *ccp.Hierarchy
}

// Network builds a classifier's graph. signal: `[batch, nodes, channels]`, result: logits `[batch, classes]`. A network
// may answer several times, see Answer. Its result is `[batch, answers, classes]`. A Network panics as graph-building
// functions do.
type Network func(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node

// kind describes a model.
type kind struct {
	about  string // in a few words, with the paper
	build  Network
	levels bool // it has levels to choose, see Architecture
	hidden bool // it has hidden fully connected layers to choose
	// sizes returns the levels for a graph without a recipe; nil: derivedLevels.
	sizes func(nodes int) []Level
	// check returns what else is wrong with a spec; nil: nothing.
	check func(Spec) error
	// margins: the squared hinge loss trains its scores, one class against the rest. They are no logits.
	margins bool
	// bones is the least number of edges between joints of the first frame.
	bones int
	// precompute computes variables from the training samples before the training; nil: there are none.
	precompute func(ctx context.Context, backend compute.Backend, spec Spec, graph *affinity.Matrix,
		samples Samples, mean, std []float32, seed int64) (variables, error)
	// fitted: precompute computes all weights, and there is no training.
	fitted bool
	// own: Register added it. Its levels of package ccp are known only after the network has been built.
	own bool
	// lacks lists options of all models that this one does not use.
	lacks []string
}

// registry has an entry for each model.
var registry = map[string]kind{
	clusterPooling: {about: "convolutional cluster pooling (Porrello et al. 2019)",
		build: ccpNetwork, levels: true, hidden: true, check: Spec.checkClusters, precompute: fitKernels},
	"fc":      {about: "fully connected layers", build: fullyConnected, hidden: true},
	"softmax": {about: "softmax regression", build: linear, lacks: linearLacks},
	"svm": {about: "linear support vector machine, one class against the rest",
		build: linear, margins: true, lacks: linearLacks},
	"bayes": {about: "multinomial naive Bayes, for counts",
		build: linear, precompute: fitBayes, fitted: true, lacks: bayesLacks},
	randomKernels: {about: "random convolutional kernels and ridge regression (Dempster et al. 2021)",
		build: kernelNetwork, precompute: fitKernels, fitted: true},
	"graph-cnn": {about: "Graph-CNN with graph embed pooling (Such et al. 2017)",
		build: onGraph(graphconv.GraphCNN), levels: true, sizes: graphCNNLevels, hidden: true},
	"cnn": {about: "convolutional network with stochastic pooling (Zeiler and Fergus 2013)",
		build: onGrid(grids.StochasticCNN), check: checkGrid, lacks: noReadout},
	"resnet": {about: "residual network (He et al. 2016)", build: onGrid(resNet), check: checkGrid, lacks: noReadout},
	"tcn": {about: "temporal convolution network (Kim and Reiter 2017)",
		build: onBody(skeleton.TemporalConvolution, classLayer), check: checkBody, lacks: noReadout},
	"p-lstm": {about: "part-aware LSTM (Shahroudy et al. 2016)", build: partAwareLSTM(8), check: checkBody},
	"lie-group": {
		about: "how bones lie to each other, as curves in a Lie group, and a linear SVM (Vemulapalli et al. 2014)",
		build: onBody(skeleton.LieGroup, asItIs), bones: 2, precompute: nominalCurves, margins: true,
		check: checkPlaces, lacks: lieLacks,
	},
	"hbrnn-l": {about: "hierarchical recurrent network of a body's parts (Du et al. 2015)",
		build: onBody(skeleton.HierarchicalRNN, readout), check: checkBody},
	"st-lstm": {about: "LSTM over joints and time with trust gates (Liu et al. 2016)",
		build: onBody(skeleton.SpatioTemporalLSTM, asItIs), bones: 1, check: checkBody},
	"stgc": {about: "recursive graph filters over a skeleton, Deep STGC_K (Li et al. 2018)",
		build: onBody(skeleton.RecursiveFilters, readout), bones: 1, check: checkBody},
	"tgcnn": {about: "convolution on the product of a memory and a skeleton (T. Zhang et al. 2018)",
		build: onBody(skeleton.TensorGraphCNN, readout), bones: 1, check: checkBody},
	"c-cnn": {about: "clips of a body in cylindrical coordinates, a CNN and several tasks (Ke et al. 2017)",
		build: onBody(skeleton.ClipCNN, asItIs), check: checkPlaces},
	"chebyshev": {about: "Chebyshev filters and Graclus (Defferrard et al. 2016)",
		build: onGraph(graphconv.Pooling(graphconv.Chebyshev)), levels: true, hidden: true, check: checkShrinking},
	"gcn": {about: "graph convolution (Kipf and Welling 2017) and Graclus",
		build: onGraph(graphconv.Pooling(graphconv.GCN)), levels: true, hidden: true, check: checkShrinking},
	"gat": {about: "graph attention (Veličković et al. 2018) and Graclus",
		build: onGraph(graphconv.Pooling(graphconv.GAT)), levels: true, hidden: true, check: checkShrinking},
	"gat-average": {about: "graph attention and global average pooling (Veličković et al. 2018)",
		build: onGraph(graphconv.GATAverage), levels: true, sizes: gatAverageLevels, hidden: true},
}

// Names lists the registered models.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// About returns in a few words what a model is, and its paper.
func About(name string) string { return registry[name].about }

// Check returns what is wrong with a spec, before any graph is built.
func (s Spec) Check() error {
	k, ok := registry[s.Model]
	switch {
	case !ok:
		return fmt.Errorf("there is no model %q; %s", s.Model, suggest.Among(s.Model, Names()))
	case s.Classes < 2:
		return fmt.Errorf("a classifier needs at least 2 classes, the data has %d", s.Classes)
	case !k.levels && len(s.Levels) > 0:
		return fmt.Errorf("model %s has no levels; leave levels out", s.Model)
	case !k.hidden && len(s.Hidden) > 0:
		return fmt.Errorf("model %s has no hidden layers; leave hidden out", s.Model)
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

// CheckGraph returns what a graph lacks for the spec's model.
func (s Spec) CheckGraph(graph *affinity.Matrix) error {
	needed := registry[s.Model].bones
	if needed == 0 {
		return nil
	}
	if bones := len(skeleton.Bones(graph, s.Grid[1])); bones < needed {
		return fmt.Errorf("model %s needs the bones of a skeleton; the graph has %d edges between the %d joints of the "+
			"first frame", s.Model, bones, s.Grid[1])
	}
	return nil
}

// Samples goes over the training samples with their classes. A sample is raw, `[nodes, channels]` row-major. Its slice
// is used again.
type Samples = iter.Seq2[[]float32, int32]

// Fitted reports whether Precompute computes all weights of the model, and there is no training.
func (s Spec) Fitted() bool { return registry[s.Model].fitted }

// variables are values of a network by their paths below it.
type variables map[string]*tensors.Tensor

// Precompute computes the variables that are not trained but depend on the training samples. Most models have none. The
// samples are raw. The network will see (raw − mean) / std, by channel. An error says what in the data does not suit
// the model, or comes from the context or the backend.
func (s Spec) Precompute(ctx context.Context, backend compute.Backend, store *model.Store, graph *affinity.Matrix,
	samples Samples, mean, std []float32) error {
	k := registry[s.Model]
	if k.precompute == nil {
		return nil
	}
	seed := model.GetParamOr(store.RootScope(), model.ParamInitialSeed, int64(0))
	values, err := k.precompute(ctx, backend, s, graph, samples, mean, std, seed)
	if err == nil && len(values) > 0 { // the samples end with the context
		err = ctx.Err()
	}
	if err != nil {
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

// Margins reports whether the squared hinge loss trains the network's scores, one class against the rest, as in a
// linear support vector machine.
func (s Spec) Margins() bool { return registry[s.Model].margins }

// networkPath is the scope of a network in a store, networkScope the path of its variables.
const (
	networkPath  = "/model"
	networkScope = networkPath + "/"
)

// Build builds the spec's network in the root scope, see Network. In training, a network that answers several times
// returns `[batch, answers, classes]`. Each answer has a loss of its own then. Otherwise Build returns one answer.
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

// Answer makes one answer of several. Its softmax is the mean of their softmaxes. logits: `[batch, answers, classes]`,
// result `[batch, classes]`. Logits of one answer, `[batch, classes]`, stay as they are.
func Answer(logits *Node) *Node {
	if logits.Rank() == 2 {
		return logits
	}
	logits = LogSoftmax(logits, -1)
	most := StopGradient(ReduceMax(logits, 1))
	return Add(most, Log(ReduceMean(Exp(Sub(logits, ExpandAxes(most, 1))), 1)))
}

// Parameters returns the number of trainable values: memberships, gates, filters, dense layers and batch norm's scale
// and offset. It builds the network without computing anything, and panics as Build does.
func (s Spec) Parameters(backend compute.Backend, graph *affinity.Matrix) (n int) {
	store, topology := s.NewStore(0), Topology{Matrix: graph}
	prepared := s.own() && s.Plan() == ccp.Prepared
	if prepared {
		var err error
		if s.Levels, _, _, err = s.ownLevels(backend, graph); err != nil {
			panic(err)
		}
	}
	if s.Clusters() || prepared { // which nodes are in a neighbourhood changes no shape
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
			n += s.Hierarchies() * s.nodesAt(i) * s.candidates(i)
		}
	}
	return n
}

// NewStore returns an empty store with the spec's parameters. Its weights will be drawn from seed.
func (s Spec) NewStore(seed int64) *model.Store {
	store := model.NewStore()
	store.SetParams(s.Settings.params(networkScope))
	store.SetParam(model.ScopeSeparator+model.ParamInitialSeed, seed)
	return store
}
