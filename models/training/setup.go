package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/gomlx/ml/model"
)

// prepare computes what comes before the training, such as the hierarchy, unless the snapshot brought it.
func (r *run) prepare(ctx context.Context) (err error) {
	if r.state.Step > 0 {
		r.noAblation()
		return nil
	}
	start, tried := time.Now(), 0.0 // seconds of the trial, which are the network's training
	defer func() {
		r.state.Prepare += max(0, time.Since(start).Seconds()-tried)
		if err != nil && ctx.Err() != nil && !errors.Is(err, ErrInterrupted) {
			err = fmt.Errorf("%w before the first step: give the same command to start again", ErrInterrupted)
		}
	}()
	if err := r.spec.Precompute(ctx, r.backend, r.store, r.data.Affinity, samplesOf(ctx, r.data)); err != nil {
		return fmt.Errorf("model %s on data set %s: %w", r.config.Model, r.data.Name, err)
	}
	if err := r.fitTransforms(ctx); err != nil {
		return err
	}
	if err := r.fitEarly(ctx); err != nil {
		return err
	}
	r.noAblation()
	if !r.hasNetwork() {
		return nil
	}
	h, err := r.spec.Prepare(ctx, r.backend, r.store, r.data.Affinity, r.data.Coordinates, r.options.Observer.Prepare)
	if err != nil || len(h.Objective) == 0 {
		return err
	}
	plan := string(r.spec.Options.Hierarchy)
	if r.spec.Learns() {
		plan += ", from a search's"
	} else {
		r.state.Hierarchy.Objective = h.Objective
	}
	r.give(Notice{Kind: HierarchyNotice, words: params.Messagef("hierarchy %s: %s", plan, describe(h))})
	unread := unreadOf(h)
	if unread != "" && !r.spec.Learns() {
		r.notice("warning: level 1 of the first hierarchy: " + unread)
	}
	tried, err = r.goOnFromTrial()
	return err
}

// goOnFromTrial makes the trial's state that of the run, if there was a trial from which it can go on. Prepared
// hierarchies stay those of the run's graph, which may be another one: no weight belongs to a cluster. It returns the
// seconds that the trial's steps took.
func (r *run) goOnFromTrial() (seconds float64, err error) {
	if r.tried == nil {
		return 0, nil
	}
	var of trainState
	network := model.NewStore()
	_, _, err = checkpoint.Load(r.tried.folder, checkpoint.Last, network, &of)
	if err == nil {
		err = moveVariables(r.store, network, r.tried.variables, r.spec.Learns())
	}
	if err != nil {
		return 0, fmt.Errorf("the network of the trial: %w", err)
	}
	s := &r.state
	s.Step, s.Sums, s.History, s.Best, s.Seconds, s.Wait = of.Step, of.Sums, of.History, of.Best, of.Seconds, of.Wait
	s.Compile += of.Compile
	s.InGo = r.tried.backend != r.backend
	r.batches = r.batchesFrom(s.Step)
	seconds = of.Seconds + of.Compile
	for _, e := range of.History {
		seconds += e.Seconds
	}
	return seconds, nil
}

// unreadOf says which nodes of the graph the first level of a prepared hierarchy does not read; "" if it reads most,
// or if the hierarchy was frozen as it was drawn, so that no clusters are known.
func unreadOf(h *ccp.Hierarchy) string {
	if len(h.Levels) == 0 || h.Levels[0].Pooled.Size == 0 || len(h.Levels[0].Clusters) == 0 {
		return ""
	}
	level, hierarchies := h.Levels[0], len(h.Levels[0].Pooled.Nodes)/(h.Levels[0].Width*h.Levels[0].Pooled.Size)
	nodes, slots := len(level.Clusters)/hierarchies, level.Width*level.Pooled.Size // of the first
	unread := hierarchy.Unread(level.Pooled.Nodes[:slots], level.Pooled.Ranks[:slots], nodes)
	return hierarchy.Loss(unread, nodes, level.Width, level.Pooled.Size, 1)
}

// describe returns a line such as "C 3.2 + 0.5 = 3.7; coverage 100 98%".
func describe(h *ccp.Hierarchy) string {
	sum := 0.0
	var objectives, coverage []string
	for i, c := range h.Objective {
		sum += c
		objectives = append(objectives, fmt.Sprintf("%.1f", c))
		coverage = append(coverage, fmt.Sprintf("%.0f", math.Floor(100*h.Coverage[i]))) // 100% is all of them
	}
	line := "C " + strings.Join(objectives, " + ")
	if len(objectives) > 1 {
		line += fmt.Sprintf(" = %.1f", sum)
	}
	return line + "; coverage " + strings.Join(coverage, " ") + "%"
}

// fit ends a run without steps, as one epoch. Either prepare has computed the weights, or the transforms predict
// alone.
func (r *run) fit(ctx context.Context) error {
	r.config.Epochs = 1
	r.state.Step, r.state.Sums.Steps = r.total, 1
	r.state.Seconds, r.state.Prepare = r.state.Prepare, 0
	if err := r.classifier.Update(r.store); err != nil {
		return err
	}
	all := slices.IndexFunc(r.state.Members, func(m Member) bool { return m.Name == transforms.All })
	if all >= 0 {
		// Transforms fit their training samples exactly. Their score is that of the samples when they were held out,
		// and zero if they never were.
		r.held = cmp.Or(r.state.Members[all].Score, new(Score))
	} else {
		how := evaluating{batch: r.evaluationBatch(), brief: true}
		fitted, err := evaluate(ctx, r.classifier, r.data, r.data.Train, how)
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w before the first step: give the same command to start again", ErrInterrupted)
		}
		if err != nil {
			return err
		}
		r.state.Sums.Loss, r.state.Sums.Accuracy = fitted.Loss, fitted.Accuracy
	}
	r.epochStart = time.Now() // the evaluation is no part of the fit
	return r.endEpoch()
}

// samplesOf returns the training samples of a data set, until ctx ends.
func samplesOf(ctx context.Context, d *datasets.Dataset) iter.Seq2[[]float32, int32] {
	x := make([]float32, d.Nodes*d.Channels)
	return func(yield func(x []float32, class int32) bool) {
		for _, i := range d.Train {
			d.Signals.Read(i, x)
			if ctx.Err() != nil || !yield(x, d.Labels[i]) {
				return
			}
		}
	}
}

// pathsOf returns the paths of a store's variables, in their order.
func pathsOf(store *model.Store) (paths []string) {
	for v := range store.IterVariables() {
		paths = append(paths, v.Path())
	}
	return paths
}

// moveVariables puts the variables of a store, of those in a list, into another one, in the list's order; where they
// are there already only if overwrite says so.
func moveVariables(to, from *model.Store, list []string, overwrite bool) error {
	for _, path := range list {
		v := from.GetVariable(path)
		if v == nil {
			continue // it is made anew
		}
		present := to.GetVariable(v.Path())
		if present != nil && !overwrite {
			continue
		}
		value, err := v.Value()
		if err != nil {
			return err
		}
		if present != nil {
			err = present.SetValue(value)
		} else {
			_, err = to.CreateVariable(v.Path(), value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
