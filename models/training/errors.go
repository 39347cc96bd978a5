package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/checkpoint"
)

// ErrDiverged says that a training's loss is no longer a number. ErrSettings says that what is asked does not fit the
// data or the backend.
var (
	ErrDiverged = errors.New("diverged")
	ErrSettings = errors.New("the settings cannot be used")
)

// marked is an error in its own words, which is another one, too.
type marked struct {
	error
	is error
}

// Unwrap returns both errors.
func (e marked) Unwrap() []error { return []error{e.error, e.is} }

// asSettingsError returns an error in its own words that is ErrSettings, too; nil stays nil.
func asSettingsError(err error) error {
	if err != nil {
		err = marked{err, ErrSettings}
	}
	return err
}

// wrappers are what GoMLX puts before the text of an error that leaves its training loop or the building of a graph.
var wrappers = []string{"Loop.RunSteps(", "failed to execute train/eval step",
	"failed during graph construction/compilation", " panicked: "}

// unwrapGoMLX returns the error that a graph-building function panicked with, or that the training loop met, without
// GoMLX's account of its way out.
func unwrapGoMLX(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		wraps := func(wrapper string) bool { return strings.Contains(inner.Error(), wrapper) }
		if !slices.ContainsFunc(wrappers, wraps) {
			return inner
		}
	}
	return err
}

// diverged returns the error of a loss that is no longer a number.
func (r *run) diverged(step int, loss, crossEntropy float64) error {
	snapshots, sums := "There is no snapshot yet", r.state.Sums
	if checkpoint.Exists(os.DirFS(r.dir), checkpoint.Last) {
		snapshots = "The snapshots in " + r.dir + " are from before it"
	}
	n := float64(max(1, sums.Steps))
	return fmt.Errorf("%w: the loss became %v at step %d, epoch %d (cross entropy %v; before it, the epoch's mean "+
		"was %.4g at accuracy %.3f). %s. Try a lower %s, or look for extreme values with `ccp data check`",
		ErrDiverged, loss, step, r.epochOf(step), crossEntropy, sums.Loss/n, sums.Accuracy/n, snapshots, r.steep())
}

// steep names the options by which a training may have diverged.
func (r *run) steep() string {
	decayed := r.config.LearningRate * r.config.WeightDecay
	if decayed > 1 { // a step takes more off a weight than there is
		return fmt.Sprintf("weight_decay (%g) or learning_rate", r.config.WeightDecay)
	}
	return "learning_rate"
}

// orDiverged returns the error of a training that has diverged in place of one that a figure is not a number, whoever
// met it first: the loss may be good up to the last step, and the weights after it are not. It returns another error
// as it is.
func (r *run) orDiverged(err error) error {
	_, unwritable := errors.AsType[*json.UnsupportedValueError](err)
	if !unwritable && !errors.Is(err, errNotANumber) || errors.Is(err, ErrDiverged) {
		return err
	}
	if r.classifier == nil || !r.hasNetwork() || r.spec.Network().Fitted {
		return fmt.Errorf("a figure of the fit is not a number: look for extreme values with `ccp data check` (%w)",
			err)
	}
	return fmt.Errorf("%w: after step %d a figure is not a number (%w). Try a lower %s, or look for extreme values "+
		"with `ccp data check`", ErrDiverged, r.state.Step, err, r.steep())
}
