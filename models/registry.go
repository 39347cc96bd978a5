package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Spec says which network to build and for what data. It is kept in a checkpoint.
type Spec struct {
	Model string `json:"model"`
	// Levels and Hidden are the free part of the paper's network: the levels, and the widths of the hidden fully
	// connected layers between the last level and the class layer.
	Levels []Level `json:"levels"`
	Hidden []int   `json:"hidden"`
	signal.Info
	Options Options `json:"options"`
}

// Topology is the graph of a network: the data's raw affinity, and the hierarchy of clusters over it. Hierarchy is
// nil if the memberships are learned, and empty if the store has the arrays of a frozen hierarchy.
type Topology struct {
	*affinity.Matrix
	Hierarchy *ccp.Hierarchy

	without string // the model, if it has no Clusters
}

// Network describes a network to those who train, save and load it. Only Build must be there.
type Network struct {
	// About says in a few words what the network is, with its paper.
	About string
	// Build builds the graph. signal: `[batch, nodes, channels]`, result: logits `[batch, classes]`. A network may
	// predict several times. Its result is `[batch, predictions, classes]`; the probabilities are then the mean of
	// the predictions'. Build panics as graph-building functions do. It may compute in float64; the logits of signals
	// in float32 are rounded to float32. All variables are made in scope, where scopes and variables may have any
	// names. The seeds of weights follow from these names, which therefore stay as they are.
	Build func(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node
	// Clusters says that the network may have levels of package ccp, built on Topology.Affinity, in any scopes. It
	// then has the options of the model ccp, and its hierarchy is learned, prepared or random. Only how ccp itself is
	// built it does not have: ccp_stem, ccp_blocks, ccp_readout and ccp_candidates are an error, unless Options has a
	// field of the name, the default and the rule, for a Build that follows it.
	Clusters bool
	// Levels returns the levels of Spec.Levels for a graph of so many nodes, if no recipe has any. nil: the network
	// has no levels to choose.
	Levels func(nodes int) []Level
	// Hidden says that the network has the hidden fully connected layers of Spec.Hidden, see Spec.Readout.
	Hidden bool
	// Options is the zero value of a struct with the network's own options, or nil. A field has the tags param (the
	// name), default and rule ("from 1", "share", "positive", "one of a|b"). OptionsOf reads them.
	Options any
	// Lacks lists options of all networks that this one does not use.
	Lacks []string
	// Recipes holds changes to a training's configuration that suit the network, as models/training/recipes.json has
	// them, or nil.
	Recipes []byte
	// Check returns what is wrong with a spec, or what the graph lacks; nil: nothing. graph is nil before it is
	// known.
	Check func(spec Spec, graph *affinity.Matrix) error
	// Loss is the training's loss, a scalar. labels: int32 `[batch, 1]`, predictions: the logits. nil: the cross
	// entropy.
	Loss func(labels, predictions []*Node) *Node
	// Fit computes variables from the training samples before the training, by their paths in the network's scope.
	// nil: there are none. They are not trained.
	Fit func(ctx context.Context, f Fitting) (map[string]*tensors.Tensor, error)
	// Fitted says that Fit computes all weights, and there is no training.
	Fitted bool
}

// Fitting is what Network.Fit computes variables from. The network reads the samples as Spec.Normalize makes them.
type Fitting struct {
	Backend compute.Backend
	Spec    Spec
	Graph   *affinity.Matrix
	// Samples goes over the training samples with their classes. A sample is raw, `[nodes, channels]` row-major. Its
	// slice is used again.
	Samples iter.Seq2[[]float32, int32]
	Seed    int64
}

// registry has an entry for each model.
var registry = map[string]Network{}

// Register adds a network under a name. It is trained, saved and loaded like the others. A program that loads its
// checkpoints must register it too. Register panics if the name is taken or an option's name means something else
// already. Call it before anything else, such as in an init function.
func Register(name string, n Network) {
	if _, taken := registry[name]; taken || name == "" {
		panic(fmt.Sprintf("models: a network cannot be registered as %q: the name is empty or taken", name))
	}
	if n.Options != nil {
		addOptions(name, n.Options)
	}
	registry[name] = n
}

func init() {
	Register(clusterPooling, Network{About: "convolutional cluster pooling (Porrello et al. 2019)", Build: ccpNetwork,
		Clusters: true, Levels: derivedLevels, Hidden: true, Check: checkClusters})
	Register(transformsAlone, Network{About: "ridge classifier and forest on transforms, such as MiniRocket, HYDRA " +
		"and QUANT (Dempster et al. 2021 to 2024), and shapelets (Guillaume et al. 2022)",
		Build: noNetwork, Check: checkAlone, Fitted: true})
}

// Names lists the registered models.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Network returns how the spec's model was registered. It is the zero value if the model was not.
func (s Spec) Network() Network { return registry[s.Model] }

// Check returns what is wrong with a spec, by rules that need no affinity graph; nil: nothing.
func (s Spec) Check() error {
	n, ok := registry[s.Model]
	switch {
	case !ok:
		return fmt.Errorf("there is no model %q; %s", s.Model, suggest.Model(s.Model, Names()))
	case s.Options.BatchNormEpsilon == 0: // the zero Options: a valid epsilon is above 0
		return errors.New("the spec has no options; begin with DefaultOptions")
	case s.Classes() < 2:
		return fmt.Errorf("a classifier needs at least 2 classes, the data has %d", s.Classes())
	case n.Levels == nil && len(s.Levels) > 0:
		return params.Errorf("levels", nil, "model %s has none; leave them out", s.Model)
	case !n.Hidden && len(s.Hidden) > 0:
		return params.Errorf("hidden", nil, "model %s has no hidden layers; leave it out", s.Model)
	}
	if err := checkSizes(s, s.Nodes); err != nil {
		return err
	}
	if n.Check != nil {
		if err := n.Check(s, nil); err != nil {
			return err
		}
	}
	return checkOptions(s)
}

// Precompute computes the variables that are not trained but depend on the training samples. Most models have none.
// The samples are raw. The network will see (raw − mean) / std, by channel. An error says what in the data does not
// suit the model, or comes from the context or the backend.
func (s Spec) Precompute(ctx context.Context, backend compute.Backend, store *model.Store, graph *affinity.Matrix,
	samples iter.Seq2[[]float32, int32]) error {
	n := registry[s.Model]
	if n.Fit == nil {
		return nil
	}
	seed := model.GetParamOr(store.RootScope(), model.ParamInitialSeed, int64(0))
	values, err := n.Fit(ctx, Fitting{backend, s, graph, samples, seed})
	if err == nil && len(values) > 0 { // the samples end with the context
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	for path, value := range values {
		v, err := store.CreateVariable(variables.Network+path, value)
		if err != nil {
			return err
		}
		v.SetTrainable(n.Fitted)
	}
	return nil
}

// networkPath is the scope of a network in a store, variables.Network without its slash.
const networkPath = "/model"

// Build builds the spec's network in the root scope, see Network.Build. In training, a network that predicts several
// times returns `[batch, predictions, classes]`. Each prediction has a loss of its own then. Otherwise Build returns
// one prediction.
func (s Spec) Build(scope *model.Scope, graph Topology, signal *Node) *Node {
	training, before := scope.IsTraining(signal.Graph()), pathsOf(scope.Store())
	scope = scope.In("model")
	result := dtypes.Float32 // of the logits and the loss, whatever a network computes in
	if signal.DType() == dtypes.Float64 {
		result = dtypes.Float64
	}
	scope.SetGraphParam(signal.Graph(), ops.LossParam, result)
	signal = nn.Dropout(scope.At("input"), signal, params.Read[Options](scope).InputDropout)
	if graph.Hierarchy == nil && s.Learns() {
		ccp.Several(scope, signal, s.Hierarchies())
	} else if graph.Hierarchy == nil {
		graph.Hierarchy = new(ccp.Hierarchy)
	}
	if !s.Network().Clusters {
		graph.without = s.Model
	}
	logits := registry[s.Model].Build(scope, s, graph, signal)
	for path := range pathsOf(scope.Store()) {
		if !before[path] && !kept(path) {
			exceptions.Panicf("model %s: its variable %s is outside of the scope that Build was given, %s, so that "+
				"no checkpoint would have it; make it in that scope, such as by "+
				"scope.In", s.Model, path, scope.Scope())
		}
	}
	if !logits.DType().IsFloat() {
		exceptions.Panicf("model %s: logits %s; they have to be floating-point numbers", s.Model, logits.Shape())
	}
	logits = ops.Rounded(logits, result)
	if shape, batch := logits.Shape(), signal.Shape().Dim(0); shape.Dim(0) != batch {
		exceptions.Panicf("model %s: logits %s for %d signals; Affinity.Mean takes those of all hierarchies together",
			s.Model, shape, batch)
	}
	if training {
		return logits
	}
	return prob.Average(logits)
}

// pathsOf returns the paths of a store's variables.
func pathsOf(store *model.Store) map[string]bool {
	paths := map[string]bool{}
	for v := range store.IterVariables() {
		paths[v.Path()] = true
	}
	return paths
}

// kept reports whether a variable that a network makes is kept: as a weight, or by the training, which has the step,
// the state of GoMLX's random numbers and what the optimizer and layers like dropout need beside them.
func kept(path string) bool {
	return strings.HasPrefix(path, variables.Network) ||
		strings.HasPrefix(path, model.JoinPath("/", optimizer.Scope)+"/") ||
		path == model.JoinPath("/", optimizer.GlobalStepVariableName) ||
		path == model.JoinPath("/", model.RNGStateVariableName)
}

// parametersOf counts the trainable values. It builds the network without computing anything, and panics as Build
// does.
func parametersOf(s Spec, backend compute.Backend, graph *affinity.Matrix) (n int) {
	store := s.NewStore(0)
	levels, nodes := surveyOf(s, backend, store, graph), s.Nodes
	for v := range store.IterVariables() {
		if variables.IsWeight(v) && v.Trainable {
			n += v.Shape().Size()
		}
	}
	for i, level := range levels {
		clusters := level.Neighbourhood.Shape().Dim(0)
		if s.Learns() {
			n += s.Hierarchies() * nodes * cmp.Or(s.candidates(i), clusters)
		}
		nodes = clusters
	}
	return n
}

// NewStore returns an empty store with the spec's parameters. Its weights will be drawn from seed.
func (s Spec) NewStore(seed int64) *model.Store {
	store := model.NewStore()
	for name, value := range s.Values() {
		store.SetParam(name, value)
	}
	for i, l := range s.Levels { // which have what differs from the network's options
		scope := variables.Network + levelName(i) + model.ScopeSeparator
		if l.Candidates > 0 {
			store.SetParam(scope+"ccp_candidates", l.Candidates)
		}
		if l.BatchNormEpsilon > 0 {
			store.SetParam(scope+"batchnorm_epsilon", l.BatchNormEpsilon)
		}
	}
	store.SetParam(model.ScopeSeparator+model.ParamInitialSeed, seed)
	return store
}
