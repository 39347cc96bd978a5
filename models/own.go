package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Register adds a network of one's own under a name. It is trained, saved and loaded like the others; a program that
// loads its checkpoints must register it too. It may mix GoMLX's layers with the layers of package ccp, built on
// Topology.Affinity. Their hierarchy is learned, and frozen for predictions, or prepared. Register panics if the name
// is taken. Call it before anything else, such as in an init function.
func Register(name, about string, network Network) {
	if _, taken := registry[name]; taken || name == "" {
		panic(fmt.Sprintf("models: a network cannot be registered as %q: the name is empty or taken", name))
	}
	registry[name] = kind{about: about, build: network, own: true}
}

// Affinity gives the affinity for the first level of package ccp in a network. It is the data's, normalised, unless
// the hierarchy is prepared or frozen. Its values are variables that a checkpoint leaves out.
func (t Topology) Affinity(scope *model.Scope, signal *Node) ccp.Affinity {
	if t.fixed() {
		return t.Hierarchy.Affinity(scope, signal)
	}
	return ccp.FromMatrix(scope.In(GraphScope), signal.Graph(), t.Normalized(), signal.DType())
}

// fixed reports whether the neighbourhoods are there already.
func (t Topology) fixed() bool { return t.Frozen || t.Hierarchy != nil }

// freezes reports whether the classifier must freeze its hierarchy when its weights have changed.
func (s Spec) freezes() bool { return (s.own() || s.Clusters()) && !s.FrozenInTraining() }
