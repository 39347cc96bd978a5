package training_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
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
	config["levels"], config["hidden"], config["steps"], config["learning_rate"] = "16x12/9,4x16/8,1x24/4", []int{24},
		240, 5e-3
	result, err := training.Train(context.Background(), nil, config,
		training.Options{Data: data, Dir: filepath.Join(dir, "digits")})
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

// Trains the ridge classifier on transforms, without a network, on recordings in memory, and classifies a new one.
func ExampleTrain_series() {
	var series [][]float32
	var labels []string
	for i := range 40 { // of two sensors: one follows the other, by 3 time points or by 6
		delay := 3 + 3*(i%2)
		x := make([]float32, 0, 2*60)
		for t := range 60 {
			wave := func(t int) float32 {
				return float32(math.Sin(0.4*float64(t+7*i)) +
					0.2*math.Sin(1.7*float64(t*t%31)))
			}
			x = append(x, wave(t), wave(t-delay))
		}
		series, labels = append(series, x), append(labels, []string{"near", "far"}[i%2])
	}
	raw, err := datasets.NewSeries("delays", series, []string{"left", "right"}, labels)
	if err != nil {
		panic(err)
	}
	data, err := datasets.Make(raw, datasets.Drawn(raw.Labels, raw.Groups, 0))
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	result, err := training.Train(ctx, nil, training.Patch{"model": "transforms"},
		training.Options{Data: data, Dir: filepath.Join(dir, "delays")})
	if err != nil {
		panic(err)
	}
	classifier, err := models.Load(result.Checkpoint, models.LoadOptions{})
	if err != nil {
		panic(err)
	}
	defer func() { _ = classifier.Close() }()
	predictions, err := classifier.ClassifyRecording(ctx, recording.Recording{Series: series[0]})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Test.Accuracy, predictions[0].Name)
	// Output:
	// 1 near
}
