package models_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

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

	classifier, err := models.Load(dir)
	if err != nil {
		panic(err)
	}
	signal := make([]float32, 64) // 64 nodes x 1 channel
	predictions, err := classifier.Classify(context.Background(), [][]float32{signal})
	if err != nil {
		panic(err)
	}
	fmt.Println(classifier.Spec.LevelsString(), len(predictions), len(predictions[0].Probabilities))
	// Output: 8x4/9,1x8/8 1 10
}

// Classifies a recording as it is, by a checkpoint of what ccp data import made. The import's settings are in the
// checkpoint: sensors are found by their names, gaps are filled, and the signal gets as many frames as the training's.
func ExampleClassifier_ClassifyRecording() {
	classifier, err := models.Load("runs/mine-ccp-1")
	if err != nil {
		panic(err)
	}
	predictions, err := classifier.ClassifyRecording(context.Background(), models.Recording{
		Sensors: []string{"hip", "head"},
		Values:  []float64{0.1, 1.2, 0.3, math.NaN(), 0.4, 1.5}, // 3 moments; one value is missing
		Times:   []float64{0, 0.5, 1},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(predictions[0].Name, predictions[0].Probability, predictions[0].Warnings)
}
