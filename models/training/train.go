package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/clusterpool/ccp/datasets"
	backends "github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
)

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
	Compile float64  `json:"compile"` // seconds of all first steps of a process
	Prepare float64  `json:"prepare"` // seconds before the first step
	// Calibration is by the samples of a network's trial, if it predicts alone after it.
	Calibration *models.Calibration `json:"calibration,omitempty"`
	// Along says how classes follow each other in the streams of the training.
	Along *along.Model `json:"along,omitempty"`
	// Conformal is by the samples that the members of the ensemble were weighed by.
	Conformal *conformal.Predictor `json:"conformal,omitempty"`
	// Early says when the class of a recording is decided before it ends.
	Early   *early.Rule `json:"early,omitempty"`
	Members []Member    `json:"members,omitempty"`
	// NoNetwork is Result.NoNetwork.
	NoNetwork string            `json:"no_network,omitempty"`
	Findings  datasets.Findings `json:"findings,omitempty"`
	// InGo says that the network is trained in pure Go, as its trial was, whatever the backend.
	InGo  bool      `json:"in_go,omitempty"`
	Looks []float64 `json:"looks,omitempty"` // what pause.look returned
	// Hierarchy has C of each level, see ccp.Hierarchy, if it was made before the training.
	Hierarchy struct {
		Objective []float64 `json:"objective"`
	} `json:"hierarchy"`
}

// stepSums are sums over the steps of the epoch so far.
type stepSums struct {
	Loss      float64   `json:"loss"`
	Accuracy  float64   `json:"accuracy"`
	Objective []float64 `json:"objective"`
	Steps     int       `json:"steps"`
	// Timed counts the steps whose time is in Seconds: all but the first of each process, which compiles.
	Timed int `json:"timed"`
}

// run is one training in progress.
type run struct {
	config  Config
	options Options
	dir     string // the folder in which the run writes: options.Dir, or a folder in it, see over
	over    string // the directory whose run this one overwrites, while dir is a folder in it; "" if there is none

	data     *datasets.Dataset
	spec     models.Spec
	metadata models.Metadata
	backend  compute.Backend
	total    int // steps of the whole run

	store      *model.Store // the weights in training
	classifier *models.Classifier
	batches    *datasets.Batches
	state      trainState
	compiled   bool          // the first step of this process is done
	epochStart time.Time     // when this process began, or went on with, the epoch that is running
	saved      time.Time     // when the last snapshot was begun
	waited     time.Duration // for batches, until epochStart
	collapsed  []bool        // by level: whether it had collapsed at the end of the last epoch
	tried      *triedNetwork // from which this run goes on; nil: it begins anew
	// atEnd are the probabilities of training samples by the transforms, each held out in turn; nil unless these predict
	// alone.
	atEnd   map[int][]float64
	held    *Score // of held-out samples, zero if there were none, where transforms predict alone; else nil
	failure error  // what ended the last step, before GoMLX's loop wrapped it
}

// Train trains what is asked in opts.Dir, from the beginning or from where it was left, and evaluates the weights
// that it keeps. Resolve makes the whole configuration from what is asked and the data. models.Load reads the
// checkpoint in opts.Dir. If backend is nil, Train opens one as models.Load does, and downloads nothing. If ctx ends,
// Train saves its state and returns an error that wraps ErrInterrupted and ctx's; the same call goes on. It writes
// nothing before it has found data and settings to be good. If the settings do not fit the data, the error wraps
// ErrSettings; if the loss is no longer a number, ErrDiverged.
func Train(ctx context.Context, backend compute.Backend, asked Patch, opts Options) (_ Result, err error) {
	defer func() {
		if errors.Is(err, ErrInterrupted) {
			err = marked{err, ctx.Err()}
		}
	}()
	p, err := draft(asked, opts.Data)
	if err != nil {
		return Result{}, err
	}
	opts.Dir = cmp.Or(opts.Dir, p.DefaultCheckpoint())
	if err := files.CheckDirectory(opts.Dir); err != nil {
		return Result{}, err
	}
	if backend == nil {
		backend, err = backends.Shared(p.DefaultBackend())
		if err != nil {
			return Result{}, err
		}
	}
	d, err := p.LoadData(ctx, backend, opts)
	if err != nil {
		return Result{}, err
	}
	return p.trainOn(ctx, backend, d, opts)
}

// trainOn trains on a data set already loaded.
func (p draftConfig) trainOn(ctx context.Context, backend compute.Backend, d *datasets.Dataset,
	opts Options) (Result, error) {
	fingerprint := d.Fingerprint()
	next := nextOf(opts.Dir)
	switch {
	case begun(next):
		p.inheritDType(next)
	case !opts.Overwrite:
		p.inheritDType(opts.Dir)
	}
	c, spec, d, err := p.resolve(d)
	if err != nil {
		return Result{}, asSettingsError(err)
	}
	if err := checkClasses(d); err != nil {
		return Result{}, err
	}
	err = cmp.Or(checkDevices(backend, opts.Devices, c.Batch), opts.checkAblate(c, spec, d), c.checkEarly(d),
		checkWeights(c, spec, backends.ThisMachine().Memory))
	if err != nil {
		return Result{}, asSettingsError(err)
	}
	opts.asked = p.asked
	if datasets.IsFile(c.Name) { // here, not for each trial of a network
		d = withUnsaidFrames(d)
	}
	opts.doubts, err = doubtsOf(d, spec.Options.Transforms != transforms.None)
	if err != nil {
		return Result{}, err
	}
	return c.trainAs(ctx, backend, d, fingerprint, spec, opts)
}

// checkClasses returns an error if all training samples are of one class.
func checkClasses(d *datasets.Dataset) error {
	first := d.Labels[d.Train[0]]
	if slices.ContainsFunc(d.Train, func(i int) bool { return d.Labels[i] != first }) {
		return nil
	}
	return fmt.Errorf("data set %s: all training samples are of class %s; a training needs two classes", d.Name,
		d.ClassNames[first])
}

// withUnsaidFrames returns the data set with a warning of frames that it seems to have, and does not say.
func withUnsaidFrames(d *datasets.Dataset) *datasets.Dataset {
	unsaid := d.UnsaidFrames()
	if unsaid == "" {
		return d
	}
	warned := *d
	warned.Warnings = append(slices.Clip(d.Warnings), unsaid)
	return &warned
}

// trainAs trains a network that is resolved already.
func (c Config) trainAs(ctx context.Context, backend compute.Backend, d *datasets.Dataset,
	fingerprint datasets.Fingerprint, spec models.Spec, opts Options) (Result, error) {
	if d.Mirror != nil && !c.Augment {
		plain := *d
		plain.Mirror, d = nil, &plain
	}
	if !checkpoint.Taking(os.DirFS(opts.Dir)) { // else a run of ours is half in its place
		if err := own(opts.Dir, c.Name); err != nil {
			return Result{}, err
		}
	}
	r := &run{config: c, options: opts, dir: opts.Dir, data: d, spec: spec, metadata: MetadataOf(spec, d),
		backend: backend, total: c.Steps}
	defer r.free()
	r.metadata.Command, r.metadata.Versions = r.options.Command, Versions(r.options.Backend)
	unlock, err := lock(opts.Dir)
	if err != nil {
		return Result{}, err
	}
	defer unlock(false) // and leave the file of the lock
	err = errors.Join(checkpoint.Settle(opts.Dir, removeFiles), sweep(opts.Dir))
	if err == nil {
		r.dir, r.over, err = settleIn(opts.Dir, opts.Overwrite, c, r.metadata, fingerprint)
	}
	if err != nil {
		return Result{}, err
	}
	result, err := r.do(ctx, fingerprint)
	if err != nil {
		return Result{}, r.giveUp(r.orDiverged(unwrapGoMLX(err)))
	}
	return result, nil
}

// do opens the run in its folder, and trains it, or returns the result that is there.
func (r *run) do(ctx context.Context, fingerprint datasets.Fingerprint) (Result, error) {
	err := errors.Join(sweep(r.dir), openRun(r.dir, r.config, r.metadata, r.data.Affinity, fingerprint))
	if err != nil {
		return Result{}, err
	}
	result, err := ReadResult(r.dir)
	if err == nil {
		damaged := checkpoint.State(r.dir, checkpoint.Best, new(Epoch))
		if damaged == nil {
			result.Resumed = true
			r.remark(result)
			return result, nil
		}
		r.notice(damaged.Error() + ": the result is not that of the weights, and is made again")
	} else if !errors.Is(err, os.ErrNotExist) { // which says that the run has not ended
		return Result{}, err
	}
	for _, line := range r.data.Warnings {
		r.give(Notice{Kind: DataNotice, words: params.Messagef("data: %s", line)})
	}
	r.state.Findings = r.options.doubts.findings // those of a snapshot take their place
	r.noteDoubts()
	for _, stage := range []func(context.Context) error{r.begin, r.prepare, r.steps} {
		if err := stage(ctx); err != nil {
			return Result{}, err
		}
	}
	if r.options.pause.after > 0 {
		return Result{}, r.leave()
	}
	if err := r.takeOver(); err != nil {
		return Result{}, err
	}
	result, err = r.finish(ctx)
	if failed := removeTrials(r.dir); failed != nil {
		r.notice(failed.Error())
	}
	return result, err
}

// free gives the device's memory back, which the garbage collector does not see.
func (r *run) free() {
	if r.classifier != nil {
		_ = r.classifier.Close() // which never fails
	}
	if r.store != nil {
		r.store.Finalize()
	}
}

// begin makes the network, and restores the newest snapshot if there is one.
func (r *run) begin(context.Context) error {
	r.store = r.spec.NewStore(r.config.Seed)
	if err := r.restore(); err != nil {
		return err
	}
	if err := r.dropStaleEpochs(); err != nil {
		return err
	}
	r.batches = r.batchesFrom(r.state.Step)
	if r.options.Observer.Begin != nil {
		r.options.Observer.Begin(r.config, r.data, r.spec, r.state.Step, r.total)
	}
	var err error
	r.classifier, err = models.NewClassifier(r.backend, r.metadata, r.data.Affinity)
	return err
}

// batchesFrom returns the batches of the steps after one.
func (r *run) batchesFrom(step int) *datasets.Batches {
	return r.data.Batches(r.data.Train, datasets.BatchOptions{Size: r.config.Batch, Shuffle: true,
		Seed:      uint64(r.config.Seed),
		StartStep: step, Steps: datasets.Endless, Augment: r.config.Augment, DropLast: true})
}

// restore reads the newest snapshot that is usable, if there is one.
func (r *run) restore() error {
	if !checkpoint.Exists(os.DirFS(r.dir), checkpoint.Last) {
		return nil
	}
	step, passedOver, err := checkpoint.Load(r.dir, checkpoint.Last, r.store, &r.state)
	for _, line := range passedOver {
		r.notice(line + "; using the one before it")
	}
	if errors.Is(err, checkpoint.ErrNone) {
		r.notice("no snapshot is usable: training starts again")
		r.state = trainState{}
		return nil
	}
	if err != nil {
		return err
	}
	r.resumed(step)
	return nil
}

// resumed tells that the run goes on after a step.
func (r *run) resumed(step int) {
	if r.options.resumed != nil {
		r.options.resumed(step)
		return
	}
	r.notice(resumingNotice(step))
}

// MetadataOf returns the metadata of a classifier's checkpoint: its network, and the data set that it is for.
func MetadataOf(spec models.Spec, d *datasets.Dataset) models.Metadata {
	spec.Info = d.Info
	if d.Form != nil {
		spec.NodeNames = nil
	}
	m := models.Metadata{Spec: spec, Data: d.Name, Provenance: d.Provenance, Versions: Versions("")}
	m.Measure(len(d.Train), d.Inputs(d.Train)) // datasets.Audit tells what that leaves out
	return m
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

// interrupt saves the state of the run, and returns the error that says how to go on.
func (r *run) interrupt() error {
	if err := r.snapshot(); err != nil {
		return fmt.Errorf("interrupted at step %d, and saving failed: %w", r.state.Step, err)
	}
	spared := ""
	if r.over != "" {
		spared = ", and the run before is whole"
	}
	return fmt.Errorf("%w after step %d of %d; its state is saved in %s%s: give the same command to go on",
		ErrInterrupted, r.state.Step, r.total, r.dir, spared)
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

// notice gives the run's observer a line for people.
func (r *run) notice(line string) { r.give(noticef("%s", line)) }

// give gives the run's observer a notice.
func (r *run) give(n Notice) {
	if r.options.Observer.Notice != nil {
		r.options.Observer.Notice(n)
	}
}
