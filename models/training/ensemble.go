package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// No network is tried beside transforms whose log-loss on the held-out samples is at most minGainInNats in all: a
// network has little to gain there, and few samples tell little of that.
const minGainInNats = 3

// hasNetwork reports whether the network has a weight in the predictions. Otherwise it is not trained.
func (r *run) hasNetwork() bool { return transforms.Weight(r.store) < 1 }

// fitTransforms fits the ridge classifier and the forest on the transforms, decides their weight beside the network,
// and puts them into the store unless their weight is 0. It gives notice of the accuracy of each on held-out samples.
func (r *run) fitTransforms(ctx context.Context) error {
	r.state.Along = alongOf(r.data)
	if r.spec.Options.Transforms == transforms.None {
		return nil
	}
	d, alone := ungrouped(r.data)
	if alone {
		r.notice(ungroupedNotice)
	}
	d = r.together(d)
	c, err := r.transformsOf(d)
	if err != nil {
		return err
	}
	c.InTurn = len(r.data.Validation) == 0         // else the scores are those of the validation samples
	defer func() { _ = os.RemoveAll(c.Scratch) }() // else the next command does
	v, err := transforms.Fit(ctx, c, r.withFamilies(d, transformSamples(d)))
	if err != nil {
		return err
	}
	r.judgeDoubts(d, v.HeldOut)
	w, err := r.weighMembers(ctx, d, c.Lone, v)
	if err != nil {
		return err
	}
	r.state.Calibration, r.state.Conformal = w.calibration, w.conformal
	r.atEnd = inTurnOf(d, v.HeldOut).probabilities(v.Mixture)
	r.state.Members = nil
	for _, p := range v.Parts() {
		r.state.Members = append(r.state.Members, member(p.Name, p.Graph, p.Weight*v.Weight, p.Score))
	}
	r.state.Members = append(r.state.Members, w.network...)
	r.state.NoNetwork = w.noNetwork
	r.notice(w.report + ": " + predictors(v))
	if v.Weight == 0 {
		return nil
	}
	return v.Keep(r.store, transforms.Scope)
}

// weighing is what is known beside the weights, once the members of the ensemble have been weighed.
type weighing struct {
	report      string               // how the members predict held-out samples, for a notice
	network     []Member             // the network, and the network on a random graph, if they were tried
	noNetwork   string               // why no network predicts, see Result.NoNetwork
	calibration *models.Calibration  // of the network, if it predicts alone
	conformal   *conformal.Predictor // of the held-out samples
}

// weighMembers weighs the ridge classifier, the forest and the network by a quarter of the training samples, see
// heldOutTrial. It sets the weights, temperatures and scores of v, which is fitted to all training samples. First the
// forest is weighed beside the ridge classifier, then the network beside both. No network is trained for that if none
// is asked for, or if even one without a mistake would gain little. lone says that no class has two training samples
// or groups.
func (r *run) weighMembers(ctx context.Context, d *datasets.Dataset, lone bool,
	v *transforms.Classifier) (w weighing, err error) {
	wantsNetwork := !r.spec.Network().Fitted
	if !wantsNetwork {
		w.noNetwork = fmt.Sprintf("model %s has no network", r.config.Model)
	}
	if lone {
		w.report = loneReport(v)
	}
	each := inTurnOf(d, v.HeldOut)
	t, err := r.holdOut(ctx, d)
	if err != nil {
		return w, err
	}
	if t == nil {
		v.WeighForest(v.ForestWeight)
		v.SetScores(nil)
		if !lone {
			w.report = noQuarterReport
		}
		if wantsNetwork {
			w.noNetwork = nothingHeldOut
		}
		if each.suits(v.Mixture) {
			w.conformal = each.predictor(v.Mixture, nil)
		}
		return w, nil
	}
	t.inTurn = each
	m := t.mixture
	m.Smoothing = v.Smoothing // of all samples, as in predictions
	hasForest := v.Grown()
	hasRidge := !hasForest || len(v.Predicting()) > 0
	shares := t.sharesAlone(v)
	m, ridge, forest := t.weighTransforms(ctx, m, hasRidge, hasForest)
	together := t.judge(ctx, m)
	if err := ctx.Err(); err != nil {
		return w, err
	}
	if hasRidge && hasForest {
		shares = append(shares, share("the ridge classifier", ridge), share("the forest", forest),
			share("both", together))
	} else {
		shares = append(shares, share("the transforms", together))
	}
	scores := maps.Clone(t.parts)
	scores[transforms.All] = t.score(together)
	if hasForest {
		scores[transforms.Forest] = t.score(forest)
	}
	v.Temperature, v.ForestTemperature = m.Temperature, m.ForestTemperature
	v.WeighForest(m.ForestWeight)
	v.SetScores(scores)
	w.report = joined(w.report, t.report(shares, together))
	hasLittleToGain := together.loss <= minGainInNats
	if wantsNetwork && hasLittleToGain {
		w.report = joined(w.report, untriedReport("these", together))
		w.noNetwork = untriedReport("a "+t.name(), together)
	}
	if !wantsNetwork || hasLittleToGain {
		r.chooseAlong(t, v.Mixture)
		w.conformal = t.conformal(m, nil)
		return w, nil
	}
	return r.weighNetwork(ctx, t, m, together, v, w.report)
}

// weighNetwork trains a network in the trial, and weighs it beside the transforms. m is the mixture of the
// transforms, together are its figures, and report is what is known of them. It sets the weight of v and the
// network's temperature.
func (r *run) weighNetwork(ctx context.Context, t *heldOutTrial, m transforms.Mixture, together figures,
	v *transforms.Classifier, report string) (w weighing, err error) {
	r.notice(joined(report, r.comparing(t)))
	start := time.Now()
	steps := r.stepsOfTrial(t.data)
	predictions, tried, err := r.trainTrial(ctx, t.data, steps, r.hopeless(ctx, t, m, together, &w, &steps))
	seconds := time.Since(start).Seconds()
	if errors.Is(err, errGivenUp) {
		r.chooseAlong(t, v.Mixture)
		w.conformal = t.conformal(m, nil)
		return w, cmp.Or(ctx.Err(), r.ablate(ctx, t, m, steps, seconds, &w))
	}
	if err != nil {
		return w, err
	}
	if steps < r.total {
		r.tried = &tried
	}
	t.network = predictions
	m, network := t.networkAlone(ctx, m)
	v.NetworkTemperature = m.NetworkTemperature
	v.Weight = t.besideNetwork(ctx, m, together, network)
	r.chooseAlong(t, v.Mixture)
	if err := ctx.Err(); err != nil {
		return w, err // the figures are of no use, and no snapshot may have weights by them
	}
	w.report = t.comparison(together, network)
	if v.Weight == 1 {
		w.noNetwork = "the network has no weight; " + w.report
		w.report += ", and no weight"
	}
	w.network = []Member{member("network", true, 1-v.Weight, t.score(network))}
	if err := r.ablate(ctx, t, m, steps, seconds, &w); err != nil {
		return w, err
	}
	if v.Weight == 0 {
		w.calibration = calibrate(t.network, t.labels)
	}
	m.Weight = v.Weight
	w.conformal = t.conformal(m, w.calibration)
	return w, nil
}
