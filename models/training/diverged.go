package training

import (
	"fmt"
	"os"

	"github.com/clusterpool/ccp/internal/checkpoint"
)

// DivergedError says that the loss is no longer a number.
type DivergedError struct {
	Step, Epoch  int
	Loss         float64 // what it became
	CrossEntropy float64 // the part of it that is the task's
	Before       Score   // means over the epoch up to the step before
	Dir          string
	Snapshots    bool // Dir holds some, of earlier steps
}

func (e *DivergedError) Error() string {
	snapshots := "There is no snapshot yet"
	if e.Snapshots {
		snapshots = "The snapshots in " + e.Dir + " are from before it"
	}
	return fmt.Sprintf("the loss became %v at step %d, epoch %d (cross entropy %v; before it, the epoch's mean was "+
		"%.4g at accuracy %.3f). "+
		"%s. Try a lower learning_rate, or look for extreme values with `ccp data info`",
		e.Loss, e.Step, e.Epoch, e.CrossEntropy, e.Before.Loss, e.Before.Accuracy, snapshots)
}

func (r *run) diverged(step int, loss, crossEntropy float64) error {
	s := r.state
	e := &DivergedError{Step: step, Epoch: r.epochOf(step), Loss: loss, CrossEntropy: crossEntropy, Dir: r.Dir,
		Snapshots: checkpoint.Exists(os.DirFS(r.Dir), checkpoint.Last)}
	if s.Sums.Steps > 0 {
		e.Before = Score{s.Sums.Loss / float64(s.Sums.Steps), s.Sums.Accuracy / float64(s.Sums.Steps)}
	}
	return e
}
