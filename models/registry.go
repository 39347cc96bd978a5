package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Spec says which network to build and for what data. It is kept in a checkpoint.
type Spec struct {
	Model string `json:"model"`
	Architecture
	Nodes    int `json:"nodes"`
	Channels int `json:"channels"`
	Classes  int `json:"classes"`
	// Params are the options that differ from their defaults, by parameter name (Param… constants), a path such as
	// "level_2/ccp_dropout" for one part: level_1 and so on, fc_1 and so on, classes.
	Params map[string]any `json:"params,omitempty"`
}

// Network builds a classifier's graph. signal: `[batch, nodes, channels]`, result: logits `[batch, classes]`. graph is the
// raw affinity. It panics as graph-building functions do.
type Network func(scope *model.Scope, spec Spec, graph *affinity.Matrix, signal *Node) *Node

// networks is the registry: a model is one file and one line here.
var networks = map[string]Network{
	"ccp": ccpNetwork,
}

// Names lists the registered models.
func Names() []string { return slices.Sorted(maps.Keys(networks)) }

// Check says what is wrong with a spec before any graph is built.
func (s Spec) Check() error {
	if networks[s.Model] == nil {
		return fmt.Errorf("there is no model %q; there are %s", s.Model, strings.Join(Names(), ", "))
	}
	if s.Classes < 2 {
		return fmt.Errorf("a classifier needs at least 2 classes, the data has %d", s.Classes)
	}
	if err := s.Architecture.Check(s.Nodes); err != nil {
		return err
	}
	if err := CheckParams(s.Params); err != nil {
		return err
	}
	if err := s.checkCandidates(); err != nil {
		return err
	}
	return s.checkParts()
}

// ParamInputDropout is the share of a signal's values that are left out in training (float64, default 0), such as words of a
// document.
const ParamInputDropout = "input_dropout"

// Build builds the spec's network in the root scope, see Network.
func (s Spec) Build(scope *model.Scope, graph *affinity.Matrix, signal *Node) *Node {
	scope = scope.In("model")
	signal = nn.Dropout(scope.In("input"), signal, model.GetParamOr(scope, ParamInputDropout, 0.0))
	return networks[s.Model](scope, s, graph, signal)
}

// Parameters counts the trainable values: memberships, gates, filters, dense layers and batch norm's scale and offset. It
// builds the network without computing anything, and panics as Build does.
func (s Spec) Parameters(backend compute.Backend, graph *affinity.Matrix) (n int) {
	store := s.NewStore(0)
	g := NewGraph(backend, "parameters")
	defer g.Finalize()
	s.Build(store.RootScope(), graph, Zeros(g, shapes.Make(dtypes.Float32, 1, s.Nodes, s.Channels)))
	for v := range store.IterVariables() {
		if IsWeight(v) && v.Trainable && v.Name() != "U" {
			n += v.Shape().Size()
		}
	}
	if s.FrozenInTraining() {
		return n
	}
	nodes := s.Nodes
	for i, level := range s.Levels {
		n += nodes * s.candidates(i)
		nodes = level.Clusters
	}
	return n
}

// NewStore makes an empty store with the spec's parameters, whose weights will be drawn from seed.
func (s Spec) NewStore(seed int64) *model.Store {
	store := model.NewStore()
	store.SetParams(s.storeParams())
	store.SetParam(model.ScopeSeparator+model.ParamInitialSeed, seed)
	return store
}

// storeParams are the spec's parameters by their path in a store: those without a path are for the whole model.
func (s Spec) storeParams() map[string]any {
	params := map[string]any{}
	for key, value := range s.Params {
		if strings.Contains(key, model.ScopeSeparator) {
			key = "/model/" + key
		}
		params[key] = value
	}
	return params
}
