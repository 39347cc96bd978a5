package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
)

// batchesFrom returns the batches of the steps after one.
func (r *run) batchesFrom(step int) *datasets.Batches {
	return r.data.Batches(r.data.Train, datasets.BatchOptions{Size: r.config.Batch, Shuffle: true,
		Seed:      uint64(r.config.Seed),
		StartStep: step, Steps: datasets.Endless, Augment: r.config.Augment, DropLast: true})
}

// epochOf returns the epoch of a step, both counted from 1. If the steps are no multiple of the epochs, some epochs
// have one step more than others.
func (r *run) epochOf(step int) int { return (step*r.config.Epochs + r.total - 1) / r.total }

// endOf returns the last step of an epoch, counted from 1.
func (r *run) endOf(epoch int) int { return epoch * r.total / r.config.Epochs }

// steps runs the training steps that are left.
func (r *run) steps(ctx context.Context) error {
	if r.state.Step >= r.last() {
		return nil
	}
	if r.spec.Network().Fitted || !r.hasNetwork() {
		return r.fit(ctx)
	}
	if r.options.Observer.Compile != nil {
		r.options.Observer.Compile()
	}
	backend, err := r.trainingBackend()
	if err != nil {
		return err
	}
	trainer := NewTrainer(backend, r.store, r.config, r.spec, r.data.Affinity, r.total)
	trainer.OnExecCreation(func(*model.Exec, train.GraphType) {
		if r.options.Observer.Compiled != nil {
			r.options.Observer.Compiled()
		}
	})
	loop := train.NewLoop(trainer)
	loop.OnStep("progress", 0, func(_ *train.Loop, metrics []*tensors.Tensor) error {
		r.failure = r.step(ctx, metrics)
		return r.failure
	})
	r.epochStart, r.saved = time.Now(), time.Now()
	batches, err := onDevices(r.batches, r.options.Devices)
	if err != nil {
		return err
	}
	_, err = loop.RunSteps(batches, r.last()-r.state.Step)
	switch {
	case errors.Is(r.failure, ErrInterrupted):
		return r.interrupt()
	case r.failure != nil:
		return r.failure
	}
	return r.explained(err)
}

// step records a training step's metrics: GoMLX's two, of which it takes the loss of the batch, and then NewTrainer's.
// After the last step of an epoch it ends the epoch. Within an epoch it saves a snapshot whenever SaveEvery has passed.
func (r *run) step(ctx context.Context, metrics []*tensors.Tensor) error {
	first := !r.compiled
	if first { // its time is nearly all compilation
		r.compiled = true
		r.state.Compile += time.Since(r.epochStart).Seconds()
		r.epochStart, r.waited = time.Now(), r.batches.Waited()
	}
	values, err := numbersOf(metrics)
	if err != nil {
		return err
	}
	loss, crossEntropy, accuracy, objective := values[0], values[2], values[3], values[4:]
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return r.diverged(r.state.Step+1, loss, crossEntropy)
	}
	s := &r.state
	s.Step++
	s.Sums.Loss += crossEntropy
	s.Sums.Accuracy += accuracy
	s.Sums.Objective = objective
	if s.Hierarchy.Objective != nil { // the hierarchy is prepared, and its objective does not change
		s.Sums.Objective = s.Hierarchy.Objective
	}
	s.Sums.Steps++
	if !first {
		s.Sums.Timed++
	}
	if r.options.Observer.Step != nil {
		r.options.Observer.Step(r.progress())
	}
	if err := r.looked(); err != nil { // before anything is saved: a run that goes on from there has been looked at
		return err
	}
	if s.Step == r.endOf(r.epochOf(s.Step)) {
		if err := r.endEpoch(); err != nil {
			return err
		}
	} else if r.options.SaveEvery > 0 && time.Since(r.saved) >= r.options.SaveEvery {
		if err := r.save(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return nil
}

// numbersOf returns the values of metrics.
func numbersOf(metrics []*tensors.Tensor) ([]float64, error) {
	values := make([]float64, len(metrics))
	for i, m := range metrics {
		v, ok := m.Value().(float32)
		if !ok {
			return nil, fmt.Errorf("metric %d is a %s, not a float32", i, m.Shape())
		}
		values[i] = float64(v)
	}
	return values, nil
}

// evaluationBatch returns the number of samples in a batch of each evaluation in the run, also of its trials, so that
// one program serves them all. It takes no long to compile as a batch of few samples, which a small data set would have
// to fill up.
func (r *run) evaluationBatch() int { return max(r.config.Batch, 16) }
