package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Register adds a network of one's own under a name, so that it is trained, saved and loaded as the others are: a program that loads
// its checkpoints must register it too. It may mix GoMLX's layers with those of package ccp, built on Topology.Affinity; their
// hierarchy is learned, and frozen for predictions, or prepared. It panics where the name is taken. Call it before anything else,
// such as in an init function.
func Register(name, about string, network Network) {
	if _, taken := registry[name]; taken || name == "" {
		panic(fmt.Sprintf("models: a network cannot be registered as %q: the name is empty or taken", name))
	}
	registry[name] = kind{about: about, build: network, own: true}
}

// Affinity is the graph for the first level of package ccp in a network: the data's, normalised, or what stands for it where the
// hierarchy is prepared or frozen. Its values are variables that a checkpoint leaves out.
func (t Topology) Affinity(scope *model.Scope, signal *Node) ccp.Affinity {
	if t.fixed() {
		return t.Hierarchy.Affinity(scope, signal)
	}
	return ccp.FromMatrix(scope.In(GraphScope), signal.Graph(), t.Normalized(), signal.DType())
}

// fixed reports whether the neighbourhoods are there already.
func (t Topology) fixed() bool { return t.Frozen || t.Hierarchy != nil }

// freezes reports whether the classifier's hierarchy has to be frozen when its weights have changed.
func (s Spec) freezes() bool { return (s.own() || s.Clusters()) && !s.FrozenInTraining() }
