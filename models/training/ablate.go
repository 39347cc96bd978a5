package training

import (
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// onRandomGraph is the name of the member that is the network on a random graph, see Options.Ablate.
const onRandomGraph = "network on a random graph"

// checkAblate returns an error if ablate is asked for and no network can be compared with itself on a random graph.
func (o Options) checkAblate(c Config, spec models.Spec, d *datasets.Dataset) error {
	oneSensor := d.Layout.InTime() && d.Layout.Sensors == 1
	switch {
	case !o.Ablate:
		return nil
	case spec.Network().Fitted:
		return params.Errorf("ablate", nil, "model %s has no network that could be trained on a random graph; leave it out",
			c.Model)
	case spec.Options.Transforms == transforms.None:
		return params.Errorf("ablate", nil, "without transforms there is no trial of the network, which compares it by "+
			"held-out samples; leave it out")
	case oneSensor || d.Affinity.Edges() == 0:
		return params.Errorf("ablate", nil, "these data have no graph that another could replace, but a single sensor or "+
			"no edges; leave it out")
	}
	if _, err := d.OnRandomGraph(c.Seed); err != nil {
		return params.Errorf("ablate", nil, "no connected graph can take the place of the data's: %w; leave it out", err)
	}
	return nil
}

// ablate trains the network of the trial on a random graph with as many edges, for as many steps, and adds it to w as a
// member without weight, if that is asked for. m is the mixture by which the network was judged. Before it begins,
// ablate gives notice that this takes as many seconds as the trial took.
func (r *run) ablate(ctx context.Context, t *heldOutTrial, m transforms.Mixture, steps int, seconds float64,
	w *weighing) error {
	if !r.options.Ablate {
		return nil
	}
	d, err := t.data.OnRandomGraph(r.config.Seed)
	if err != nil {
		return err
	}
	r.notice(fmt.Sprintf("to tell what the graph is worth, the network is trained on a random one with as many "+
		"edges; this takes about %.0f s, as its trial did", seconds))
	other := *t
	other.data = d
	other.network, _, err = r.trainTrial(ctx, d, steps, nil)
	if err != nil {
		return err
	}
	_, network := other.networkAlone(ctx, m)
	score := other.score(network)
	r.notice(fmt.Sprintf("on the %s the network on a random graph has %.1f%%, loss %.3f", other.name(),
		100*score.Accuracy, score.Loss))
	w.network = append(w.network, member(onRandomGraph, false, 0, score))
	return nil
}

// noAblation gives notice if ablate is asked for in vain.
func (r *run) noAblation() {
	ablated := func(m Member) bool { return m.Name == onRandomGraph }
	if r.options.Ablate && !slices.ContainsFunc(r.state.Members, ablated) {
		r.notice("ablate: no network was tried on a held-out quarter, so that none was trained on a random graph")
	}
}
