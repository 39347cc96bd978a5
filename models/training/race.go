package training

import (
	"context"

	"github.com/clusterpool/ccp/models/internal/transforms"
)

const (
	// A trial is looked at after these shares of the training's steps, of which it has three quarters. From the first look
	// to its end a network's log-loss fell to a third at the least, and a mean of network and transforms gains where the
	// network's is about a tenth above theirs at most. So a network has no hope then if its log-loss is more than
	// hopelesslyBehind times the transforms'.
	firstLook, secondLook = 0.25, 0.5
	hopelesslyBehind      = 3.5
	// marginInNats is how much more it must be in nats, summed over the units: few samples tell little.
	marginInNats = 3
)

// looksAt returns the steps of a training after which its trial is looked at.
func looksAt(steps int) []int {
	return []int{int(firstLook * float64(steps)), int(secondLook * float64(steps))}
}

// look is what is known of a network in its trial, in nats, summed over the units.
type look struct {
	transforms, network float64 // the log-loss of each
	gain                float64 // that of the transforms less that of the best mean of both
}

// isHopeless reports whether a network will hardly gain anything beside transforms. before has its log-loss at earlier
// looks. At the first look there is no hope for a network that is far behind. At the second look there is none unless
// a mean of both gains, or will: the network comes below the transforms if its log-loss falls once more by the same
// share as it has since the first look. These rules were chosen by recorded curves, see race.csv and race-few.csv in
// benchmarks/results.
func (l look) isHopeless(before []float64) bool {
	if len(before) == 0 {
		return l.network > hopelesslyBehind*l.transforms+marginInNats
	}
	comesBelow := l.network*l.network/before[0] < l.transforms
	return l.gain <= 0 && !comesBelow
}

// lookOf returns what the network's predictions for the held-out samples say. m is the mixture of the transforms, and
// together are its figures.
func (t *heldOutTrial) lookOf(ctx context.Context, m transforms.Mixture, together figures,
	predictions [][]float64) (l look, network figures) {
	tried := *t
	tried.network = predictions
	m, network = tried.networkAlone(ctx, m)
	m.Weight = tried.besideNetwork(ctx, m, together, network)
	return look{together.unitLoss, network.unitLoss, together.loss - tried.judge(ctx, m).loss}, network
}

// hopeless returns a look at a trial that gives it up in time, and then writes into w what is known of the network, and
// into steps after how many it was given up.
func (r *run) hopeless(ctx context.Context, t *heldOutTrial, m transforms.Mixture, together figures, w *weighing,
	steps *int) trialLook {
	return func(step int, before []float64, predictions [][]float64) (loss float64, goOn bool) {
		l, network := t.lookOf(ctx, m, together, predictions)
		if !l.isHopeless(before) {
			return l.network, true
		}
		w.report = t.givenUp(step, r.total, together, network)
		w.noNetwork = "the network is given up; " + w.report
		w.network = []Member{member("network", true, 0, t.score(network))}
		*steps = step
		return l.network, false
	}
}
