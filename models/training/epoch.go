package training

import (
	"errors"
	"math"
	"path/filepath"
	"time"

	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/early"
	"github.com/gomlx/gomlx/ml/model"
)

// progress says how far the epoch is.
func (r *run) progress() Progress {
	s := r.state
	n := float64(s.Sums.Steps)
	epoch := r.epochOf(s.Step)
	before := r.endOf(epoch - 1)
	p := Progress{Epoch: epoch, Epochs: r.config.Epochs, Step: s.Step - before, Steps: r.endOf(epoch) - before,
		Loss: s.Sums.Loss / n, Accuracy: s.Sums.Accuracy / n}
	for _, c := range s.Sums.Objective {
		p.Objective += c
	}
	seconds := s.Seconds + time.Since(r.epochStart).Seconds()
	if seconds > 0 {
		p.PerSecond = float64(s.Sums.Timed*r.config.Batch) / seconds
	}
	return p
}

// clock adds the time since it was last called to the epoch's.
func (r *run) clock() {
	r.state.Seconds += time.Since(r.epochStart).Seconds()
	r.state.Wait += (r.batches.Waited() - r.waited).Seconds()
	r.epochStart, r.waited = time.Now(), r.batches.Waited()
}

// endEpoch validates, keeps the epoch if it is the best, saves the run and starts counting anew.
func (r *run) endEpoch() error {
	r.clock()
	s := &r.state
	n := float64(s.Sums.Steps)
	e := Epoch{Epoch: r.epochOf(s.Step), Train: Score{Loss: s.Sums.Loss / n, Accuracy: s.Sums.Accuracy / n},
		Objective: s.Sums.Objective, Seconds: s.Seconds, InputWait: s.Wait / math.Max(s.Seconds, 1e-9)}
	if r.held != nil {
		e.Train = *r.held
	}
	if err := r.classifier.Update(r.store); err != nil {
		return err
	}
	validated, err := r.validate()
	if err != nil {
		return err
	}
	e.Validation = validated.score
	e.Best = s.Best == 0 || r.config.Keep == KeepLast || better(e.Validation, s.History[s.Best-1].Validation)
	trial := r.options.pause.after > 0 // of which the state alone is wanted, once it is left or interrupted
	if e.Best {
		s.Best = e.Epoch
	}
	if e.Best && !trial {
		if err := r.keep(e, validated); err != nil {
			return err
		}
	}
	if err := r.record(e.Epoch, e.Objective); err != nil {
		return err
	}
	s.History = append(s.History, e)
	s.Sums, s.Seconds, s.Wait = stepSums{}, 0, 0
	if s.Step < r.total {
		if err := r.spec.Hold(r.backend, r.store, r.data.Affinity, r.data.Coordinates); err != nil {
			return err
		}
	}
	if !trial {
		err := r.save()
		if err == nil {
			err = writeHistory(filepath.Join(r.dir, historyFile), s.History)
		}
		if err != nil {
			return err
		}
	}
	if r.options.Observer.Epoch != nil {
		r.options.Observer.Epoch(e)
	}
	r.clock()
	s.Seconds, s.Wait = 0, 0 // validation is not training
	return nil
}

// validation is what the validation samples say of the classifier, or without any the held-out quarter of a trial.
type validation struct {
	score       *Score // nil without validation samples
	calibration *models.Calibration
	conformal   *conformal.Predictor
}

// validate evaluates the classifier on the validation samples.
func (r *run) validate() (v validation, err error) {
	var held [][]float64
	var labels []int32
	collect := func(sample int, probabilities []float64) {
		held, labels = append(held, probabilities), append(labels, r.data.Labels[sample])
	}
	e, err := EvaluateEach(r.classifier, r.data, r.data.Validation, r.evaluationBatch(), collect)
	if errors.Is(err, errNotANumber) { // the epoch's last step spoiled the weights, and no loss after it shows that
		return v, r.diverged(r.state.Step, math.NaN(), math.NaN())
	}
	if err != nil {
		return v, err
	}
	if e.Samples == 0 {
		return validation{calibration: r.state.Calibration, conformal: r.state.Conformal}, nil
	}
	v = validation{score: &Score{Loss: e.Loss, Accuracy: e.Accuracy}, calibration: calibrate(held, labels)}
	v.conformal = r.validationScores(held, labels, v.calibration.Temperature)
	return v, nil
}

// keep saves the classifier's weights as those of the best epoch, with what a classifier needs beside them.
func (r *run) keep(e Epoch, by validation) error {
	state := struct {
		Epoch
		Calibration *models.Calibration  `json:"calibration,omitempty"`
		Along       *along.Model         `json:"along,omitempty"`
		Conformal   *conformal.Predictor `json:"conformal,omitempty"`
		Early       *early.Rule          `json:"early,omitempty"`
	}{e, by.calibration, r.state.Along, by.conformal, r.state.Early}
	noWeight := func(v *model.Variable) bool { return !variables.IsWeight(v) }
	return checkpoint.Save(r.dir, checkpoint.Best, r.state.Step, 1, r.classifier.Store(), state, noWeight)
}

// better reports whether the validation a is better than b. Without validation the later weights are.
func better(a, b *Score) bool {
	return a == nil || b == nil || a.Accuracy > b.Accuracy || a.Accuracy == b.Accuracy && a.Loss < b.Loss
}
