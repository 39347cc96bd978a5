package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Register adds a network of one's own under a name, so that it is trained, saved and loaded as the others are: a program that loads
// its checkpoints must register it too. It may mix GoMLX's layers with those of package ccp, built on Topology.Affinity; their
// hierarchy is frozen for predictions as that of the paper's network is. It panics where the name is taken. Call it before anything
// else, such as in an init function.
func Register(name, about string, network Network) {
	if _, taken := registry[name]; taken || name == "" {
		panic(fmt.Sprintf("models: a network cannot be registered as %q: the name is empty or taken", name))
	}
	registry[name] = kind{about: about, build: network, own: true, check: Spec.checkOwn}
}

// Affinity is the graph for the first level of package ccp in a network: the data's, normalised, or where the hierarchy is frozen
// what stands for it. Its values are variables that a checkpoint leaves out.
func (t Topology) Affinity(scope *model.Scope, signal *Node) ccp.Affinity {
	if t.Frozen {
		return ccp.Frozen(signal.Shape().Dim(1))
	}
	return ccp.FromMatrix(scope.In(GraphScope), signal.Graph(), t.Normalized(), signal.DType())
}

// checkOwn says why a registered network cannot have a plan: only the paper's network can be searched, since its levels are known
// before it is built.
func (s Spec) checkOwn() error {
	if plan := s.Plan(); plan.Frozen() {
		return fmt.Errorf("model %s: ccp_hierarchy=%s needs the levels of model %s; use learned, task-only or objective-only", s.Model, plan, clusterPooling)
	}
	return nil
}

// freezes says whether the classifier's hierarchy has to be frozen when its weights have changed.
func (s Spec) freezes() bool { return registry[s.Model].own || s.Clusters() && !s.FrozenInTraining() }
