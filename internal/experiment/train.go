package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
)

// Options say where and how a training runs; they do not change its result.
type Options struct {
	Dir       string        // the checkpoint's directory
	DataDir   string        // where the data set's files are looked for
	Command   string        // the command line, kept with the checkpoint
	Backend   string        // the backend's name, for the record
	SaveEvery time.Duration // how much work a kill may cost; every epoch is saved in any case
	Observer  Observer
}

// Observer is told how a training goes. Each function may be nil.
type Observer struct {
	Begin   func(d *datasets.Dataset, spec models.Spec, from, steps int)
	Prepare func(level int, done, objective float64)
	Step    func(Progress)
	Epoch   func(Epoch)
	Notice  func(line string)
}

// Progress is the state after a step: means over the epoch so far.
type Progress struct {
	Epoch, Epochs int // from 1
	Step, Steps   int // within the epoch
	Loss          float64
	Accuracy      float64
	Objective     float64 // C, summed over the levels
	PerSecond     float64 // samples
}

// Score is a mean cross entropy and the share of samples classified rightly.
type Score struct {
	Loss     float64 `json:"loss"`
	Accuracy float64 `json:"accuracy"`
}

// Epoch is one line of a training's history.
type Epoch struct {
	Epoch      int       `json:"epoch"`
	Train      Score     `json:"train"` // means over the epoch's batches, with dropout and augmentation
	Validation Score     `json:"validation"`
	Objective  []float64 `json:"objective"`  // C of each level at the epoch's end
	Seconds    float64   `json:"seconds"`    // of training, without validation
	InputWait  float64   `json:"input_wait"` // share of them spent waiting for input
	Best       bool      `json:"best"`       // the best in validation so far
}

// ErrInterrupted says that a training was asked to stop, has saved its state and can be resumed.
var ErrInterrupted = errors.New("interrupted")

// trainState is what a snapshot holds beside the variables, so that a resumed run is the same run.
type trainState struct {
	Step    int      `json:"step"`
	Sums    stepSums `json:"sums"`
	History []Epoch  `json:"history"`
	Best    int      `json:"best"` // epoch, 0 for none
	Seconds float64  `json:"seconds"`
	Wait    float64  `json:"wait"`
	// Hierarchy is the frozen one's, where it was made before the training.
	Hierarchy models.Hierarchy `json:"hierarchy"`
}

// stepSums are sums over the steps of the epoch so far.
type stepSums struct {
	Loss      float64   `json:"loss"`
	Accuracy  float64   `json:"accuracy"`
	Objective []float64 `json:"objective"`
	Steps     int       `json:"steps"`
}

// run is one training in progress.
type run struct {
	Config
	Options
	data       *datasets.Dataset
	spec       models.Spec
	store      *model.Store
	classifier *models.Classifier
	state      trainState
	perEpoch   int
	epochStart time.Time // of the stretch of the epoch run in this process
	saved      time.Time
	batches    *datasets.Batches
	waited     time.Duration
}

// Train trains a configuration in opts.Dir, from the beginning or from where it was left, and evaluates the epoch that did best in
// validation. When ctx ends it saves and returns an error that wraps ErrInterrupted.
func Train(ctx context.Context, backend compute.Backend, c Config, opts Options) (Result, error) {
	if err := c.Check(); err != nil {
		return Result{}, err
	}
	if result, done, err := finished(c, opts.Dir); done || err != nil {
		return result, err
	}
	unlock, err := lock(opts.Dir)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	r := &run{Config: c, Options: opts}
	if r.data, err = datasets.Load(c.Data, datasets.Options{DataDir: opts.DataDir, Seed: c.SplitSeed,
		Validation: c.Validation, KNN: c.KNN, Augment: c.Augment}); err != nil {
		return Result{}, err
	}
	for _, line := range r.data.Warnings {
		r.notice("data: " + line)
	}
	if r.spec, err = c.spec(r.data); err != nil {
		return Result{}, err
	}
	if err := r.begin(ctx, backend); err != nil {
		return Result{}, err
	}
	if err := r.steps(ctx, backend); err != nil {
		return Result{}, err
	}
	return r.finish()
}

// begin opens the checkpoint, and restores the newest snapshot if there is one.
func (r *run) begin(ctx context.Context, backend compute.Backend) error {
	m := models.Metadata{Spec: r.spec, Data: r.data.Name, ClassNames: r.data.ClassNames, Mean: r.data.Mean, Std: r.data.Std,
		Provenance: r.data.Provenance, Command: r.Command, Versions: versions(r.Backend)}
	if err := openRun(r.Dir, r.Config, m, r.data.Affinity); err != nil {
		return err
	}
	r.store = r.spec.NewStore(r.Seed)
	if checkpoint.Exists(r.Dir, checkpoint.Last) {
		step, passedOver, err := checkpoint.Load(r.Dir, checkpoint.Last, r.store, &r.state)
		for _, line := range passedOver {
			r.notice(line + "; using the one before it")
		}
		if errors.Is(err, checkpoint.ErrNone) {
			r.notice("no snapshot is usable: training starts again")
			r.state = trainState{}
		} else if err != nil {
			return err
		} else {
			r.notice(fmt.Sprintf("resuming after step %d", step))
		}
	}
	if err := r.prepare(ctx, backend); err != nil {
		return err
	}
	var err error
	r.classifier, err = models.NewClassifier(backend, m, r.data.Affinity)
	return err
}

// prepare makes the hierarchy where that comes before the training, unless the snapshot brought it.
func (r *run) prepare(ctx context.Context, backend compute.Backend) (err error) {
	if !r.spec.FrozenInTraining() {
		return nil
	}
	if r.state.Hierarchy.Objective != nil {
		models.MarkFrozen(r.store)
		return nil
	}
	if r.state.Hierarchy, err = r.spec.Prepare(ctx, backend, r.store, r.data.Affinity, r.Observer.Prepare); err != nil {
		return err
	}
	r.notice(fmt.Sprintf("hierarchy %s: C %.2f, coverage %.0f%%", r.spec.Params[ccp.ParamHierarchy], r.state.Hierarchy.Objective, percent(r.state.Hierarchy.Coverage)))
	return nil
}

func percent(shares []float64) []float64 {
	out := make([]float64, len(shares))
	for i, share := range shares {
		out[i] = 100 * share
	}
	return out
}

// steps runs the training steps that are left.
func (r *run) steps(ctx context.Context, backend compute.Backend) error {
	r.batches = r.data.Batches(r.data.Train, datasets.BatchOptions{Size: r.Batch, Shuffle: true, Seed: uint64(r.Seed),
		StartStep: r.state.Step, Steps: datasets.Endless, Augment: r.Augment, DropLast: true})
	r.perEpoch = r.batches.StepsPerEpoch()
	if r.perEpoch == 0 {
		return fmt.Errorf("data set %s has no training samples", r.data.Name)
	}
	total := r.perEpoch * r.Epochs
	if r.Observer.Begin != nil {
		r.Observer.Begin(r.data, r.spec, r.state.Step, total)
	}
	if r.state.Step >= total || r.stalled() {
		return nil
	}
	trainer := NewTrainer(backend, r.store, r.Config, r.spec, r.data.Affinity, total)
	loop := train.NewLoop(trainer)
	loop.OnStep("progress", 0, func(_ *train.Loop, metrics []*tensors.Tensor) error { return r.step(ctx, metrics) })
	r.epochStart, r.saved = time.Now(), time.Now()
	_, err := loop.RunSteps(r.batches, total-r.state.Step)
	switch {
	case errors.Is(err, errStalled):
		return nil
	case errors.Is(err, ErrInterrupted):
		if saveErr := r.save(); saveErr != nil {
			return fmt.Errorf("interrupted at step %d, and saving failed: %w", r.state.Step, saveErr)
		}
		return fmt.Errorf("%w after step %d of %d; its state is saved in %s: give the same command to go on", ErrInterrupted, r.state.Step, total, r.Dir)
	case errors.As(err, new(*DivergedError)):
		return unwrap[*DivergedError](err)
	}
	return err
}

var errStalled = errors.New("no improvement")

// step takes note of a training step's metrics (GoMLX's two, then NewTrainer's), and ends the epoch when it was its last.
func (r *run) step(ctx context.Context, metrics []*tensors.Tensor) error {
	values := make([]float64, len(metrics))
	for i, m := range metrics {
		v, ok := m.Value().(float32)
		if !ok {
			return fmt.Errorf("metric %d is a %s, not a float32", i, m.Shape())
		}
		values[i] = float64(v)
	}
	if loss := values[0]; math.IsNaN(loss) || math.IsInf(loss, 0) {
		return r.diverged(r.state.Step+1, loss, values[2])
	}
	s := &r.state
	s.Step++
	s.Sums.Loss += values[2]
	s.Sums.Accuracy += values[3]
	s.Sums.Objective = values[4:]
	if s.Hierarchy.Objective != nil {
		s.Sums.Objective = s.Hierarchy.Objective
	}
	s.Sums.Steps++
	if r.Observer.Step != nil {
		r.Observer.Step(r.progress())
	}
	if s.Step%r.perEpoch == 0 {
		if err := r.endEpoch(); err != nil {
			return err
		}
		if r.stalled() {
			return errStalled
		}
	} else if r.SaveEvery > 0 && time.Since(r.saved) >= r.SaveEvery {
		if err := r.save(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return nil
}

func (r *run) progress() Progress {
	s := r.state
	n := float64(s.Sums.Steps)
	p := Progress{Epoch: (s.Step-1)/r.perEpoch + 1, Epochs: r.Epochs, Step: (s.Step-1)%r.perEpoch + 1, Steps: r.perEpoch,
		Loss: s.Sums.Loss / n, Accuracy: s.Sums.Accuracy / n}
	for _, c := range s.Sums.Objective {
		p.Objective += c
	}
	if seconds := s.Seconds + time.Since(r.epochStart).Seconds(); seconds > 0 {
		p.PerSecond = n * float64(r.Batch) / seconds
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
	e := Epoch{Epoch: s.Step / r.perEpoch, Train: Score{s.Sums.Loss / n, s.Sums.Accuracy / n}, Objective: s.Sums.Objective,
		Seconds: s.Seconds, InputWait: s.Wait / math.Max(s.Seconds, 1e-9)}
	if err := r.classifier.Update(r.store); err != nil {
		return err
	}
	validation, err := Evaluate(r.classifier, r.data, r.data.Validation, r.evaluationBatch())
	if errors.Is(err, errNotANumber) { // the epoch's last step spoiled the weights, and there is no loss after it to show that
		return r.diverged(s.Step, math.NaN(), math.NaN())
	}
	if err != nil {
		return err
	}
	e.Validation = Score{validation.Loss, validation.Accuracy}
	e.Best = s.Best == 0 || validation.Samples == 0 || better(e.Validation, s.History[s.Best-1].Validation)
	if e.Best {
		if err := checkpoint.Save(r.Dir, checkpoint.Best, s.Step, 1, r.classifier.Store(), e, func(v *model.Variable) bool { return !models.IsWeight(v) }); err != nil {
			return err
		}
		s.Best = e.Epoch
	}
	s.History = append(s.History, e)
	s.Sums, s.Seconds, s.Wait = stepSums{}, 0, 0
	if err := r.save(); err != nil {
		return err
	}
	if err := writeHistory(filepath.Join(r.Dir, historyFile), s.History); err != nil {
		return err
	}
	if r.Observer.Epoch != nil {
		r.Observer.Epoch(e)
	}
	r.clock()
	s.Seconds, s.Wait = 0, 0 // validation is not training
	return nil
}

func better(a, b Score) bool {
	return a.Accuracy > b.Accuracy || a.Accuracy == b.Accuracy && a.Loss < b.Loss
}

// stalled says whether validation has not improved for as many epochs as patience allows.
func (r *run) stalled() bool {
	return r.Patience > 0 && r.state.Best > 0 && len(r.state.History)-r.state.Best >= r.Patience
}

// save writes a snapshot to resume from.
func (r *run) save() error {
	r.clock()
	r.saved = time.Now()
	return checkpoint.Save(r.Dir, checkpoint.Last, r.state.Step, 2, r.store, r.state, func(v *model.Variable) bool { return !resumable(v) })
}

func (r *run) evaluationBatch() int { return max(r.Batch, 64) }

func (r *run) notice(line string) {
	if r.Observer.Notice != nil {
		r.Observer.Notice(line)
	}
}
