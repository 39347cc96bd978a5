package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/floats"
)

const (
	mostMistakes = 24
	mostGallery  = 16
	evaluated    = 64 // samples at a time
)

// Build is FromRun with what a classifier of the run says of its own hierarchy and, if the data set is available, of the test
// samples. doing is told of long steps.
func (r *Run) Build(ctx context.Context, c *models.Classifier, doing func(string)) (Report, error) {
	report, err := r.FromRun()
	if err != nil {
		return report, err
	}
	report.Snapshot, report.Parameters = c.Snapshot, c.Parameters()
	if report.clusters() {
		if err := r.addHierarchy(&report, c); err != nil {
			return report, fmt.Errorf("%s: %w", r.dir, err)
		}
	}
	switch {
	case r.data == nil:
		return report, nil
	case len(r.data.Test) == 0:
		report.Notices = append(report.Notices, "The data set has no test samples, so nothing is evaluated.")
		return report, nil
	}
	doing(fmt.Sprintf("evaluating %d test samples", len(r.data.Test)))
	return report, r.addSamples(ctx, &report, c)
}

// addHierarchy replaces the hierarchy of the classifier's epoch by its own, or all if the run kept none.
func (r *Run) addHierarchy(report *Report, c *models.Classifier) (err error) {
	levels, err := c.ClusterLevels(0)
	if err != nil {
		return err
	}
	if report.Health, err = c.Health(0); err != nil {
		return err
	}
	own := training.HierarchyEpoch{Epoch: report.BestEpoch, Health: report.Health}
	for _, level := range levels {
		own.Clusters = append(own.Clusters, level.Memberships.Hard())
	}
	epochs, err := training.ReadHierarchies(r.dir)
	if err != nil {
		return err
	}
	if r.fixed.Spec.FrozenInTraining() {
		epochs = nil
	}
	at, found := slices.BinarySearchFunc(epochs, own.Epoch, func(h training.HierarchyEpoch, epoch int) int { return cmp.Compare(h.Epoch, epoch) })
	if found {
		epochs[at] = own
	} else {
		epochs = slices.Insert(epochs, at, own)
	}
	report.Hierarchy = r.hierarchy(epochs, at, at)
	report.Hierarchy.describe(levels, c)
	return nil
}

// addSamples evaluates the test samples, and explains the most confident mistakes and some samples of all classes.
func (r *Run) addSamples(ctx context.Context, report *Report, c *models.Classifier) error {
	var wrong, right []Sample
	evaluation, err := training.EvaluateEach(c, r.data, r.data.Test, evaluated, func(sample int, probabilities []float64) {
		s := Sample{Index: sample, Truth: int(r.data.Labels[sample]), Predicted: floats.MaxIdx(probabilities)}
		s.Probability, s.TruthShare = probabilities[s.Predicted], probabilities[s.Truth]
		if s.Predicted == s.Truth {
			right = append(right, s)
		} else {
			wrong = append(wrong, s)
		}
	})
	if err != nil {
		return err
	}
	report.Evaluation = &evaluation
	slices.SortStableFunc(wrong, func(a, b Sample) int { return cmp.Compare(b.Probability, a.Probability) })
	report.Mistakes = slices.Clone(wrong[:min(mostMistakes, len(wrong))])
	report.Gallery = gallery(right, wrong, r.data.Classes())
	return cmp.Or(r.explain(ctx, c, report.Mistakes, false), r.explain(ctx, c, report.Gallery, true))
}

// gallery picks samples: the first right one of each class, then others of all classes in turn, right ones before wrong ones.
func gallery(right, wrong []Sample, classes int) []Sample {
	queues := make([][]Sample, classes)
	for _, s := range slices.Concat(right, wrong) {
		queues[s.Truth] = append(queues[s.Truth], s)
	}
	picked := []Sample{}
	for range mostGallery {
		for k, queue := range queues {
			if len(queue) > 0 && len(picked) < mostGallery {
				picked, queues[k] = append(picked, queue[0]), queue[1:]
			}
		}
	}
	slices.SortStableFunc(picked, func(a, b Sample) int { return cmp.Compare(a.Truth, b.Truth) })
	return picked
}
