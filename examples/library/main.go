// Command library trains, saves, loads and classifies. It is a module of its own and imports public packages of ccp
// only.
//
//	go run . [DIRECTORY]
//
// It makes its data. Each of 12 sensors in a ring has 3 channels. The class is the place of the strongest signal.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

const sensors, channels, classes = 12, 3, 4

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) // Ctrl-C saves; the next run goes on
	defer stop()
	dir, data := filepath.Join(append(os.Args, "runs")[1], "ring"), ring(400)
	// the network alone; all else suits the data
	asked := training.Patch{"epochs": 10, "validation": 0.125, "readout_dropout": 0.2, "transforms": "none"}
	progress := training.Observer{Epoch: func(e training.Epoch) {
		fmt.Printf("epoch %d: loss %.3f, validation accuracy %.3f\n", e.Epoch, e.Train.Loss, e.Validation.Accuracy)
	}}
	backend := must(models.InstallBackend(os.Stderr)) // nil instead is the best that is installed, and downloads nothing
	result := must(training.Train(ctx, backend, asked, training.Options{Data: data, Dir: dir, Observer: progress}))
	fmt.Printf("test accuracy %.3f, predicted by %s with %d parameters, in %s\n", result.Test.Accuracy,
		result.PredictedBy, result.Parameters, result.Checkpoint)

	classifier := must(models.Load(result.Checkpoint, models.LoadOptions{})) // in another process, say
	defer func() { _ = classifier.Close() }()
	evaluation := must(training.Evaluate(classifier, data, data.Test, 64))
	fmt.Printf("loaded: accuracy %.3f on %d test samples\n", evaluation.Accuracy, evaluation.Samples)
	p := must(classifier.Classify(ctx, [][]float32{strongestAt(2, rand.New(rand.NewPCG(7, 7)))}))[0]
	fmt.Printf("a signal that is strongest in quarter 2 is %q, probability %.2f\n", p.Name, p.Probability)
}

// must returns the value, or ends the program with the error, which says what to do.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// ring makes a data set of n signals on sensors in a ring. A signal's class is the quarter in which it is strongest.
func ring(n int) *datasets.Dataset {
	var edges []affinity.Edge
	for i := range sensors {
		edges = append(edges, affinity.Edge{I: i, J: (i + 1) % sensors, Weight: 1})
	}
	random := rand.New(rand.NewPCG(1, 1))
	var features []float32
	var labels []int32
	for i := range n {
		features, labels = append(features, strongestAt(i%classes, random)...), append(labels, int32(i%classes))
	}
	data := must(datasets.New("ring", features, labels, must(affinity.New(sensors, edges)), datasets.Options{}))
	data.ClassNames = []string{"quarter 0", "quarter 1", "quarter 2", "quarter 3"}
	return must(data, data.Validate())
}

// strongestAt is a noisy signal `[sensors, channels]` whose values are largest in a quarter of the ring.
func strongestAt(quarter int, random *rand.Rand) []float32 {
	values := make([]float32, sensors*channels)
	for j := range values {
		angle := 2 * math.Pi * (float64(j/channels)/sensors - (float64(quarter)+0.5)/classes)
		values[j] = float32(math.Cos(angle) + 0.5*random.NormFloat64())
	}
	return values
}
