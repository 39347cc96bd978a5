package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// Result is what a training came to. Accuracies are fractions, losses mean cross entropies in nats.
type Result struct {
	Command     string `json:"command"`
	Data        string `json:"data"`
	Model       string `json:"model"`
	PredictedBy string `json:"predicted_by"` // see models.Classifier.PredictedBy
	Backend     string `json:"backend"`
	Seed        int64  `json:"seed"`
	// Parameters counts the trainable values; if the ridge classifier predicts alone, its values.
	Parameters int       `json:"parameters"`
	Epochs     int       `json:"epochs,omitzero"` // 0, as are Steps and BestEpoch, if the ridge classifier predicts alone
	Steps      int       `json:"steps,omitzero"`
	BestEpoch  int       `json:"best_epoch,omitzero"`  // the one whose weights are kept, see Config.Keep
	Train      Score     `json:"train,omitzero"`       // as in its Epoch
	Validation *Score    `json:"validation,omitempty"` // nil: no samples were held out
	Test       Score     `json:"test"`
	Objective  []float64 `json:"objective,omitempty"` // C of each level in the best epoch
	Members    []Member  `json:"members,omitempty"`   // nil if there are no transforms
	// NoNetwork says why no network predicts beside the transforms, such as "no network is tried, since …"; "" if one
	// does, or in results of earlier versions.
	NoNetwork string `json:"no_network,omitempty"`
	// Early is how decisions before the end fare; nil if they were not asked for.
	Early *EarlyResult `json:"early,omitempty"`
	// Findings are reasons to doubt the accuracy, see datasets.Audit.
	Findings datasets.Findings `json:"findings,omitempty"`
	// Seconds is the time of training with PrepareSeconds, without the compilation of the step and validation.
	// PrepareSeconds is the time before the first step: the fit of the transforms and the search for the hierarchy. A
	// search that was kept takes none, and what ran before an interruption that came before the first step is not
	// counted. The fit of a model without steps is its epoch.
	Seconds        float64 `json:"seconds"`
	PrepareSeconds float64 `json:"prepare_seconds"`
	// CompileSeconds is the time of the first step, and of the first step after each resumption. Nearly all of it is
	// compilation.
	CompileSeconds float64 `json:"compile_seconds,omitzero"`
	Checkpoint     string  `json:"checkpoint"`
	// MajorityBaseline is the accuracy of always predicting the commonest class of the test samples, as in an
	// Evaluation. TestSamples is their number. Both are 0 in results of earlier versions.
	MajorityBaseline float64 `json:"majority-class baseline"`
	TestSamples      int     `json:"test_samples"`
	// TestClasses are the test samples of each class. It is nil in results of earlier versions.
	TestClasses []Counted `json:"test_classes,omitempty"`
	Resumed     bool      `json:"-"` // the run had ended before; nothing was trained now
}

// Counted is how many samples there are of a class, and how many of them are predicted right.
type Counted struct {
	Samples int `json:"samples"`
	Right   int `json:"right"`
}

// Member is a member of the ensemble, or a transform of its ridge classifier, and how it predicts training samples
// that were held out. The last but for the network, and the network on a random graph, is all transforms together.
type Member struct {
	Name   string  `json:"name"`
	Graph  bool    `json:"graph"`  // it goes by links, or by pairs of few sensors
	Weight float64 `json:"weight"` // in the predictions
	*Score         // nil if nothing was held out to judge it by
}

// member returns a member of this score.
func member(name string, graph bool, weight float64, s transforms.Score) Member {
	m := Member{Name: name, Graph: graph, Weight: weight}
	if s.Samples > 0 {
		of := Score(s)
		m.Score = &of
	}
	return m
}

// Predicting returns the names of the members that have a weight in the predictions; nil if the network predicts alone
// and no transforms were fitted.
func (r Result) Predicting() (names []string) {
	for _, m := range r.Members {
		if m.Weight > 0 && m.Name != transforms.All {
			names = append(names, m.Name)
		}
	}
	return names
}

// finish evaluates the best epoch (the last, should the best one's snapshot be damaged) on the test set and records
// the result.
func (r *run) finish(ctx context.Context) (Result, error) {
	history := r.state.History
	// The history is written again: a kill may have come between.
	if err := writeHistory(filepath.Join(r.dir, historyFile), history); err != nil {
		return Result{}, err
	}
	best := history[r.state.Best-1]
	_, _, err := checkpoint.Load(r.dir, checkpoint.Best, r.classifier.Store(), &best)
	r.classifier.Early = r.state.Early
	if err == nil {
		err = r.classifier.Update(r.classifier.Store())
	}
	if errors.Is(err, checkpoint.ErrNone) {
		r.notice(err.Error() + "; using the weights of the last epoch")
		best, err = history[len(history)-1], r.classifier.Update(r.store)
	}
	if err != nil {
		return Result{}, err
	}
	var test Evaluation
	if len(r.data.Test) > 0 {
		test, err = evaluate(ctx, r.classifier, r.data, r.data.Test, evaluating{batch: r.evaluationBatch(), brief: true})
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w while the test samples were evaluated: give the same command to go on", ErrInterrupted)
	}
	if err != nil {
		return Result{}, err
	}
	result := Result{
		Command: "train", Data: r.data.Name, Model: r.config.Model, PredictedBy: r.classifier.PredictedBy(),
		Backend: r.options.Backend, Seed: r.config.Seed, Parameters: r.classifier.Parameters(),
		Epochs: len(history), Steps: r.state.Step, BestEpoch: best.Epoch,
		Train: best.Train, Validation: best.Validation, Test: Score{Loss: test.Loss, Accuracy: test.Accuracy},
		Objective: append([]float64(nil), best.Objective...), Members: r.state.Members,
		NoNetwork: r.state.NoNetwork,
		Findings:  r.state.Findings.Stated(),
		Seconds:   r.state.Prepare, PrepareSeconds: r.state.Prepare, CompileSeconds: r.state.Compile,
		Checkpoint: r.dir, MajorityBaseline: test.MajorityBaseline, TestSamples: test.Samples,
	}
	for _, class := range test.PerClass {
		right := int(math.Round(class.Recall * float64(class.Samples)))
		result.TestClasses = append(result.TestClasses, Counted{class.Samples, right})
	}
	result.Early, err = r.earlyResult(ctx)
	if err != nil {
		return Result{}, err
	}
	if !r.hasNetwork() {
		result.Epochs, result.Steps, result.BestEpoch = 0, 0, 0
	}
	for _, e := range history {
		result.Seconds += e.Seconds
	}
	r.remark(result)
	return result, files.WriteJSON(filepath.Join(r.dir, resultFile), result)
}

// unbalanced is the ratio of the majority-class baseline to that of equal classes from which accuracy tells little.
const unbalanced = 1.5

// remark gives notice of what is asked without effect, and of a test accuracy that the majority-class baseline may
// reach.
func (r *run) remark(result Result) {
	if settings := r.idleSettings(result); len(settings) > 0 {
		r.give(r.withoutEffect(settings))
	}
	if line := notBetter(result, classesOf(r.data, r.data.Test)); line != "" {
		r.notice(line)
	}
}

// idleSettings returns the settings that are asked for without effect, since the weights are fitted or the transforms
// predict alone.
func (r *run) idleSettings(result Result) Patch {
	fitted, alone := r.spec.Network().Fitted, result.Steps == 0
	idle := Patch{}
	for name, value := range r.options.asked {
		if value == nil || value == Auto {
			continue
		}
		switch phaseOf(name) {
		case params.Steps:
			if alone || fitted {
				idle[name] = value
			}
		case params.Network, params.Building:
			if alone {
				idle[name] = value
			}
		}
	}
	return idle
}

// withoutEffect returns the notice that names settings without effect, and why they have none.
func (r *run) withoutEffect(settings Patch) Notice {
	var named []any
	for _, name := range sorted(settings) {
		named = append(named, params.With(name, settings[name]))
	}
	list := "without effect: " + strings.TrimSuffix(strings.Repeat("%v, ", len(named)), ", ")
	if r.spec.Network().Fitted {
		return Notice{Kind: SettingsNotice, Settings: settings,
			words: params.Messagef(list+"; model %s is fitted in one pass", append(named, r.config.Model)...)}
	}
	return Notice{Kind: SettingsNotice, Settings: settings,
		words:  params.Messagef(list+"; the transforms predict without a network", named...),
		advice: params.Messagef("give %v to train the network", params.With("transforms", transforms.None))}
}

// classesOf returns the number of classes that some samples have.
func classesOf(d *datasets.Dataset, samples []int) int {
	classes := map[int32]bool{}
	for _, i := range samples {
		classes[d.Labels[i]] = true
	}
	return len(classes)
}

// notBetter warns of a test accuracy that the majority-class baseline may reach: the accuracy of the baseline on as
// many samples is beyond 1.64 deviations in 5% of the cases. It returns "" if the accuracy is clearly better,
// and of a test of one class, as of a person who has one: there the baseline is always right, and tells nothing.
// classes counts those of the test.
func notBetter(result Result, classes int) string {
	n, p := float64(result.TestSamples), result.MajorityBaseline
	if n == 0 || p == 1 || result.Test.Accuracy > p+1.64*math.Sqrt(p*(1-p)/n) {
		return ""
	}
	do := "check labels and features, train for longer, or take more samples"
	if p > unbalanced/float64(classes) {
		do = "the classes are of unequal sizes, so look at the recall of each, not at the accuracy"
	}
	return fmt.Sprintf("warning: test accuracy %.1f%% of %d samples is not clearly better than the "+
		"majority-class baseline, %.1f%%: %s", 100*result.Test.Accuracy, result.TestSamples, 100*p, do)
}
