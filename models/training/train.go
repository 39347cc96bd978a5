package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/clusterpool/ccp/datasets"
	backends "github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"
)

// ErrInterrupted says that a training was asked to stop, has saved its state and can be resumed.
var ErrInterrupted = errors.New("interrupted")

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

// notice gives the run's observer a line for people.
func (r *run) notice(line string) { r.give(noticef("%s", line)) }

// give gives the run's observer a notice.
func (r *run) give(n Notice) {
	if r.options.Observer.Notice != nil {
		r.options.Observer.Notice(n)
	}
}
