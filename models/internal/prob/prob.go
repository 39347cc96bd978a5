// Package prob makes probabilities of logits.
package prob

import (
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"
)

// Average makes one prediction of several. Its softmax is the mean of their softmaxes. logits: `[batch, predictions,
// classes]`, result `[batch, classes]`. Logits of one prediction, `[batch, classes]`, stay as they are.
func Average(logits *graph.Node) *graph.Node {
	if logits.Rank() == 2 {
		return logits
	}
	logits = graph.LogSoftmax(logits, -1)
	most := graph.StopGradient(graph.ReduceMax(logits, 1))
	shares := graph.Exp(graph.Sub(logits, graph.ExpandAxes(most, 1)))
	return graph.Add(most, graph.Log(graph.ReduceMean(shares, 1)))
}

// Softmax returns the probabilities of classes with these logits.
func Softmax(logits []float32) []float64 {
	top, sum := float64(slices.Max(logits)), 0.0
	out := make([]float64, len(logits))
	for k, v := range logits {
		out[k] = math.Exp(float64(v) - top)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// Logits returns logits of which Softmax makes these probabilities, but for the rounding to float32.
func Logits(probabilities []float64) []float32 {
	out := make([]float32, len(probabilities))
	for k, p := range probabilities {
		out[k] = float32(math.Log(max(p, math.SmallestNonzeroFloat32)))
	}
	return out
}

// Temper divides logits by a temperature (Guo et al. 2017), of which it knows the probabilities.
func Temper(probabilities []float64, temperature float64) []float64 {
	top, out := floats.Max(probabilities), make([]float64, len(probabilities))
	for k, p := range probabilities {
		out[k] = math.Pow(p/top, 1/temperature)
	}
	floats.Scale(1/floats.Sum(out), out)
	return out
}
