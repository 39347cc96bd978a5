// Command mixed trains a network of its own, of levels of package ccp and layers of GoMLX, in GoMLX's train.Loop. The
// network has eight prepared hierarchies of the digits' graph. It becomes a checkpoint that models.Load reads.
//
//	go run ./examples/mixed [DIRECTORY]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// network has three levels of clusters, then dense layers. A training step computes one hierarchy, a prediction all
// eight at once. x: [batch, 64, 1], result [batch, classes].
func network(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
	a := graph.Affinity(scope, x)
	x, a = ccp.New(scope.In("level_1"), x, a, 16, 32).Neighbours(9).Done() // [batch, 16, 32], or [batch, 8·16, 32]
	x, a = ccp.New(scope.In("level_2"), x, a, 4, 64).Neighbours(8).Done()
	x, a = ccp.New(scope.In("level_3"), x, a, 1, 128).Neighbours(4).Done()
	x = activation.Relu(layers.Dense(scope.In("hidden"), Reshape(x, -1, 128), true, 64)) // a row for each hierarchy
	return a.Mean(layers.Dense(scope.In("classes"), x, true, spec.Classes()))
}

func main() {
	models.Register("mixed", models.Network{Build: network, Clusters: true}) // as does whoever loads the checkpoint
	run(filepath.Join(append(os.Args, "runs")[1], "mixed"), 400)
}

// run trains the network in so many steps, saves it in dir, and evaluates what is loaded from there.
func run(dir string, steps int) (accuracy float64) {
	ctx, backend := context.Background(), must(models.InstallBackend(os.Stderr))
	data := must(datasets.Load(ctx, "digits", datasets.Options{}))
	h := must(ccp.Prepare(data.Affinity).Level(16, 9).Level(4, 8).Level(1, 4).Hierarchies(8).Done(ctx))
	spec := models.Spec{Options: models.DefaultOptions(), Model: "mixed", Info: data.Info}
	store, adam := spec.NewStore(1), optimizer.Adam().LearningRate(2e-3).Done()
	trainer := train.NewTrainer(backend, store, func(scope *model.Scope, x *Node) *Node {
		return spec.Build(scope, models.Topology{Matrix: data.Affinity, Hierarchy: h}, x)
	}, loss.SparseCategoricalCrossEntropyLogits, adam, nil, nil)
	batches := data.Batches(data.Train, datasets.BatchOptions{Size: 64, Shuffle: true, Steps: datasets.Endless,
		DropLast: true})
	must(train.NewLoop(trainer).RunSteps(batches, steps))
	c := must(models.NewClassifier(backend, training.MetadataOf(spec, data), data.Affinity))
	must(c, c.Update(store))
	must(c, c.Save(dir))
	evaluation := must(training.Evaluate(must(models.Load(dir, models.LoadOptions{})), data, data.Test, 64))
	fmt.Printf("%s: accuracy %.3f on %d test samples\n", dir, evaluation.Accuracy, evaluation.Samples)
	return evaluation.Accuracy
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
