package models_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines" // all tests of models have these networks
	"github.com/clusterpool/ccp/models/training"
)

// Trains a very small network on the embedded digits, then loads its checkpoint and classifies an empty image.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	dir = filepath.Join(dir, "digits")
	config := training.Patch{"levels": "8x4/9,1x8/8", "hidden": 16, "epochs": 1}
	if _, err := training.Train(context.Background(), nil, config, training.Options{Dir: dir}); err != nil {
		panic(err)
	}

	classifier, err := models.Load(dir, models.LoadOptions{})
	if err != nil {
		panic(err)
	}
	signal := make([]float32, 64) // 64 nodes x 1 channel
	predictions, err := classifier.Classify(context.Background(), [][]float32{signal})
	if err != nil {
		panic(err)
	}
	fmt.Println(classifier.Spec.Levels[1].Filters, len(predictions), len(predictions[0].Probabilities))
	// Output: 8 1 10
}

// Classifies a recording as it is, by a checkpoint of what ccp data import made. The import's settings are in the
// checkpoint: sensors are found by their names, gaps are filled, and the signal gets as many frames as the
// training's.
func ExampleClassifier_ClassifyRecording() {
	classifier, err := models.Load("runs/mine-ccp-1", models.LoadOptions{})
	if err != nil {
		panic(err)
	}
	rows := [][]float64{{0.1, 1.2}, {0.3, math.NaN()}, {0.4, 1.5}} // 3 time points; one value is missing
	measured, err := recording.New([]string{"hip", "head"}, rows)
	if err != nil {
		panic(err)
	}
	measured.Times = []float64{0, 0.5, 1}
	predictions, err := classifier.ClassifyRecording(context.Background(), measured)
	if err != nil {
		panic(err)
	}
	fmt.Println(predictions[0].Name, predictions[0].Probability, predictions[0].Warnings)
}

// A service that uses a checkpoint while a training writes better snapshots into it. Reload, or Watch, takes them.
func ExampleReloader() {
	ctx := context.Background()
	reloader, err := models.NewReloader(ctx, "../examples/digits", models.LoadOptions{})
	if err != nil {
		panic(err)
	}
	classifier, release, err := reloader.Acquire() // for each request
	if err != nil {
		panic(err)
	}
	predictions, err := classifier.Classify(ctx, [][]float32{make([]float32, 64)})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(predictions[0].Probabilities), release(), reloader.Close())
	// Output: 10 <nil> <nil>
}

// The options of a network, and what a level has for itself.
func ExampleSpec_Put() {
	spec := models.Spec{Model: "ccp", Options: models.DefaultOptions(), Info: signal.Info{Nodes: 64, Channels: 1,
		ClassNames: []string{"odd", "even"}},
		Levels: []models.Level{{Clusters: 16, Filters: 32, Neighbours: 9, BatchNormEpsilon: 10},
			{Clusters: 1, Filters: 64, Neighbours: 9}}}
	for name, value := range (models.Patch{"ccp_dropout": 0.1, "ccp_padding": "zeros"}) {
		if err := spec.Put(name, value); err != nil {
			panic(err)
		}
	}
	fmt.Println(spec.Options.Dropout, spec.Options.Padding, spec.Check())
	// Output: 0.1 zeros <nil>
}
