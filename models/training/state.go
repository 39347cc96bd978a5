package training

import (
	"errors"
	"fmt"
	"os"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/early"
)

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
