package training_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// Trains a very small network on the embedded digits, evaluates it on the test samples, and classifies one of them.
func ExampleTrain() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	data, err := datasets.Load(context.Background(), "digits", datasets.Options{})
	if err != nil {
		panic(err)
	}
	config := training.Patch{"data": "digits", "model": "ccp"}
	config["levels"], config["hidden"], config["steps"], config["learning_rate"] = "16x12/9,4x16/8,1x24/4", []int{24}, 240, 5e-3
	result, err := training.Train(context.Background(), nil, config, training.Options{Data: data, Dir: filepath.Join(dir, "digits")})
	if err != nil {
		panic(err)
	}

	classifier, err := models.Load(result.Checkpoint, models.LoadOptions{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = classifier.Close() }()
	evaluation, err := training.Evaluate(classifier, data, data.Test, 64)
	if err != nil {
		panic(err)
	}
	signal := make([]float32, data.Nodes*data.Channels)
	data.Signals.Read(data.Test[0], signal)
	predictions, err := classifier.Classify(context.Background(), [][]float32{signal})
	if err != nil {
		panic(err)
	}
	fmt.Println(evaluation.Samples, "test samples; better than 80%:", evaluation.Accuracy > 0.8)
	fmt.Println("the first is a", predictions[0].Name)
	// Output:
	// 359 test samples; better than 80%: true
	// the first is a 0
}
