package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// ErrInput is what every error about a signal wraps: the caller's data, not the classifier, is at fault.
var ErrInput = errors.New("unusable signal")

// SignalError is an ErrInput that says which signal is unusable, counted from 0, and why.
type SignalError struct {
	Index  int
	Reason string
}

// Error names the signal.
func (e *SignalError) Error() string { return fmt.Sprintf("%v %d: %s", ErrInput, e.Index, e.Reason) }

// Unwrap gives ErrInput.
func (e *SignalError) Unwrap() error { return ErrInput }

// Prediction is what a classifier says of one signal.
type Prediction struct {
	Class         int       // the most probable class
	Name          string    // its name
	Probability   float64   // its probability
	Probabilities []float64 // of every class, summing to 1
}

// Classify predicts the class of each signal, `[nodes, channels]` row-major in raw units, as the data set gives them. The
// first unusable signal is an error that wraps ErrInput and names the signal, node and channel; a cancelled context ends the
// work before the next batch of at most 64 signals; see also ErrClosed.
func (c *Classifier) Classify(ctx context.Context, signals [][]float32) ([]Prediction, error) {
	for i, s := range signals {
		if reason := c.unusable(s); reason != "" {
			return nil, &SignalError{i, reason}
		}
	}
	predictions, unusable, err := c.ClassifyEach(ctx, signals)
	if err == nil && len(unusable) > 0 {
		err = unusable[0]
	}
	if err != nil {
		return nil, err
	}
	return predictions, nil
}

// ClassifyEach is Classify for signals of different origin: the unusable ones, in order, keep none of the others from its
// prediction.
func (c *Classifier) ClassifyEach(ctx context.Context, signals [][]float32) (predictions []Prediction, unusable []*SignalError, err error) {
	predictions = make([]Prediction, len(signals))
	index := make([]int, 0, len(signals)) // of the usable ones
	for i, s := range signals {
		if reason := c.unusable(s); reason != "" {
			unusable = append(unusable, &SignalError{i, reason})
		} else {
			index = append(index, i)
		}
	}
	for chunk := range slices.Chunk(index, maxBatch) {
		for len(chunk) > 0 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			size := c.batchFor(len(chunk))
			taken := min(size, len(chunk))
			logits, err := c.compute(signals, chunk[:taken], size)
			if err != nil {
				return nil, nil, err
			}
			for j, i := range chunk[:taken] {
				p := c.predict(logits[j*c.Spec.Classes : (j+1)*c.Spec.Classes])
				if math.IsNaN(p.Probabilities[0]) {
					unusable = append(unusable, &SignalError{i, "its values are so large that the network's output is not a number; rescale them"})
				}
				predictions[i] = p
			}
			chunk = chunk[taken:]
		}
	}
	slices.SortFunc(unusable, func(a, b *SignalError) int { return a.Index - b.Index })
	return predictions, unusable, nil
}

// unusable says what is wrong with a signal, or "".
func (c *Classifier) unusable(s []float32) string {
	if size := c.Spec.Nodes * c.Spec.Channels; len(s) != size {
		return fmt.Sprintf("it has %d values; the model needs %d nodes x %d channels = %d", len(s), c.Spec.Nodes, c.Spec.Channels, size)
	}
	for j, v := range s {
		if v-v != 0 { // NaN, +Inf, -Inf
			return fmt.Sprintf("node %d, channel %d is %v; replace it by a number", j/c.Spec.Channels, j%c.Spec.Channels, v)
		}
	}
	return ""
}

// compute gives the logits of the signals that index names, as one batch padded with zeros to size.
func (c *Classifier) compute(signals [][]float32, index []int, size int) ([]float32, error) {
	batch, err := tensors.FromShapeForBackend(c.backend, 0, shapes.Make(dtypes.Float32, size, c.Spec.Nodes, c.Spec.Channels))
	if err != nil {
		return nil, err
	}
	defer batch.MustFinalizeAll() // now, and not when the garbage collector sees fit: its memory is XLA's
	err = tensors.MutableFlatData(batch, func(flat []float32) {
		for j, i := range index {
			c.normalize(flat[j*len(signals[i]):], signals[i])
		}
	})
	if err != nil {
		return nil, err
	}
	out, err := c.Run(batch)
	if err != nil {
		return nil, err
	}
	defer out.MustFinalizeAll()
	return tensors.CopyFlatData[float32](out)
}

func (c *Classifier) normalize(dst, raw []float32) {
	channels := c.Spec.Channels
	for channel := range channels {
		mean, std := c.Mean[channel], c.Std[channel]
		for j := channel; j < len(raw); j += channels {
			dst[j] = (raw[j] - mean) / std
		}
	}
}

func (c *Classifier) predict(logits []float32) Prediction {
	p := Prediction{Probabilities: Probabilities(logits)}
	for k, probability := range p.Probabilities {
		if probability > p.Probability {
			p.Class, p.Probability = k, probability
		}
	}
	p.Name = c.ClassNames[p.Class]
	return p
}

// Probabilities are the softmax of logits.
func Probabilities(logits []float32) []float64 {
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
