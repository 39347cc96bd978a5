// Command classify times Classifier.Classify on a checkpoint and prints a line of JSON. benchmarks/serving/classify.py
// runs it in turn with ONNX Runtime on the same classifier.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/clusterpool/ccp/benchmarks"
	_ "github.com/clusterpool/ccp/internal/heap/keep"
	"github.com/clusterpool/ccp/models"
)

func main() {
	dir := flag.String("checkpoint", "", "the checkpoint's folder")
	batch := flag.Int("batch", 1, "signals in a call")
	runs := flag.Int("runs", 300, "calls to time, after a tenth as many")
	flag.Parse()
	figures, err := measure(*dir, *batch, *runs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "classify:", err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]float64{"ms": figures.MedianMS})
}

// measure times a checkpoint in dir on batches of zeros: how long a network takes does not depend on the values.
func measure(dir string, batch, runs int) (f benchmarks.Figures, err error) {
	c, err := models.Load(dir, models.LoadOptions{})
	if err != nil {
		return f, err
	}
	signals := make([][]float32, batch)
	for i := range signals {
		signals[i] = make([]float32, c.Spec.Nodes*c.Spec.Channels)
	}
	return benchmarks.Time(runs/10, runs, func() error {
		_, err := c.Classify(context.Background(), signals)
		return err
	})
}
