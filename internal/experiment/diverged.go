package experiment

import (
	"errors"
	"fmt"
)

// DivergedError says that the loss is no longer a number.
type DivergedError struct {
	Step, Epoch  int
	Loss         float64 // what it became
	CrossEntropy float64 // the part of it that is the task's
	Before       Score   // means over the epoch up to the step before
	Dir          string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("the loss became %v at step %d, epoch %d (cross entropy %v; before it, the epoch's mean was %.4g at accuracy %.3f). "+
		"The snapshots in %s are from before it. Try a lower --lr, or look for extreme values with `ccp data info`",
		e.Loss, e.Step, e.Epoch, e.CrossEntropy, e.Before.Loss, e.Before.Accuracy, e.Dir)
}

func (r *run) diverged(step int, loss, crossEntropy float64) error {
	s := r.state
	e := &DivergedError{Step: step, Epoch: (step-1)/r.perEpoch + 1, Loss: loss, CrossEntropy: crossEntropy, Dir: r.Dir}
	if s.Sums.Steps > 0 {
		e.Before = Score{s.Sums.Loss / float64(s.Sums.Steps), s.Sums.Accuracy / float64(s.Sums.Steps)}
	}
	return e
}

// unwrap returns the error of type E that err wraps, without what the layers in between added to its text.
func unwrap[E error](err error) error {
	var inner E
	if errors.As(err, &inner) {
		return inner
	}
	return err
}
