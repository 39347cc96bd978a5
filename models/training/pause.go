package training

import (
	"errors"
	"slices"

	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
)

// pause says where a run is left before its last step, and when its network is looked at before. The zero pause leaves
// a run to its end.
type pause struct {
	after int   // the step after which the run is left, without a result; 0: the last one, with a result
	looks []int // steps after which look is called
	// look is called with what it returned at earlier looks, and with the network as it is. The run is given up unless it
	// returns true.
	look func(step int, before []float64, network *models.Classifier) (loss float64, goOn bool, err error)
	step func(step int) // is called after each step
	end  func(network *models.Classifier, store *model.Store) error
}

// errGivenUp says that a look has ended a run.
var errGivenUp = errors.New("the run is given up")

// last returns the step after which the run is left.
func (r *run) last() int {
	if r.options.pause.after > 0 {
		return r.options.pause.after
	}
	return r.total
}

// looked lets pause.look see the network, if it is to be seen after this step.
func (r *run) looked() error {
	p := r.options.pause
	if p.step != nil {
		p.step(r.state.Step)
	}
	if !slices.Contains(p.looks, r.state.Step) {
		return nil
	}
	if err := r.classifier.Update(r.store); err != nil {
		return err
	}
	loss, goOn, err := p.look(r.state.Step, r.state.Looks, r.classifier)
	if err == nil && !goOn {
		err = errGivenUp
	}
	r.state.Looks = append(r.state.Looks, loss)
	return err
}

// leave ends a run that is left before its last step: its state is saved, so that another run can go on from it.
func (r *run) leave() error {
	if err := r.classifier.Update(r.store); err != nil {
		return err
	}
	if err := r.snapshot(); err != nil {
		return err
	}
	return r.options.pause.end(r.classifier, r.store)
}
