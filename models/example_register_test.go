package models_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// spread are the options of the network below: its steps over the edges, --set hops=3.
type spread struct {
	Hops int `param:"hops" default:"2" rule:"from 0"`
}

func init() {
	models.Register("spread", models.Network{
		About:   "the signal, and what it is after steps over the edges (SGC, Wu et al. 2019)",
		Build:   spreadOut,
		Hidden:  true,
		Options: spread{},
	})
}

// spreadOut computes x, A·x, A²·x and so on, and the readout of all. A is the normalised affinity, x: `[batch, nodes,
// 1]`.
func spreadOut(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
	a := ConstAsDType(x.Graph(), x.DType(), graph.Normalized().Dense())
	a = Reshape(a, spec.Nodes, spec.Nodes)
	all := []*Node{x}
	for range models.OptionsOf[spread](spec.Options).Hops {
		all = append(all, Einsum("ij,bjc->bic", a, all[len(all)-1]))
	}
	x = nn.BatchNorm(scope.In("norm"), Concatenate(all, -1), nil)
	return spec.Readout(scope, x)
}

// Registers a network of one's own with an option, trains it, and loads its checkpoint.
func ExampleRegister() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	dir = filepath.Join(dir, "digits")
	config := training.Patch{"data": "digits", "model": "spread", "hops": 1, "epochs": 3}
	result, err := training.Train(context.Background(), nil, config, training.Options{Dir: dir})
	if err != nil {
		panic(err)
	}

	classifier, err := models.Load(dir, models.LoadOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(classifier.Spec.Values()["hops"], "step; better than 85%:", result.Test.Accuracy > 0.85)
	// Output: 1 step; better than 85%: true
}
