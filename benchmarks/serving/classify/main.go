// Command classify times Classifier.Classify on a checkpoint and prints a line of JSON. benchmarks/serving/classify.py
// runs it in turn with ONNX Runtime on the same classifier.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	_ "github.com/clusterpool/ccp/internal/heap"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines"
)

func main() {
	dir := flag.String("checkpoint", "", "the checkpoint's folder")
	batch := flag.Int("batch", 1, "signals in a call")
	runs := flag.Int("runs", 300, "calls to time, after a tenth as many")
	flag.Parse()
	ms, err := measure(*dir, *batch, *runs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "classify:", err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]float64{"ms": ms})
}

// measure returns the median of the runs in ms.
func measure(dir string, batch, runs int) (float64, error) {
	c, err := models.Load(dir)
	if err != nil {
		return 0, err
	}
	if err := c.Compile(context.Background()); err != nil {
		return 0, err
	}
	signals := make([][]float32, batch)
	for i := range signals {
		signals[i] = make([]float32, c.Spec.Nodes*c.Spec.Channels)
	}
	var took []float64
	for range runs + runs/10 {
		start := time.Now()
		if _, err := c.Classify(context.Background(), signals); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start).Seconds()*1e3)
	}
	took = took[runs/10:]
	slices.Sort(took)
	return took[len(took)/2], nil
}
