package main

import (
	"errors"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// earlyJSON is what `ccp eval --early --json` prints.
type earlyJSON struct {
	Command string      `json:"command"`
	Data    string      `json:"data"`
	Split   string      `json:"split"`
	Rule    *early.Rule `json:"rule"`
	Unit    string      `json:"unit"` // of the time of each look
	training.EarlyEvaluation
}

// Lost is how many points of accuracy the decisions lose that come before the end.
func (e earlyJSON) Lost() float64 { return 100 * (e.AtEnd - e.Accuracy) }

// HasTimes reports that looks have another time than their number of time points.
func (e earlyJSON) HasTimes() bool { return e.Unit != classify.UnitOf(&recording.Form{}) }

// evaluateEarly prints how right and how early the decisions on samples of a data set are.
func (e *evalCommand) evaluateEarly(cmd *cobra.Command, classifier *models.Classifier, d *datasets.Dataset,
	indices []int) error {
	if e.coverage > 0 || e.mirrored {
		return usage(cmd, errors.New("--coverage and --mirrored are of whole recordings, and --early is not; leave one out"))
	}
	if err := checkEarly(cmd, classifier, true, e.checkpoint); err != nil {
		return err
	}
	evaluation, err := training.EvaluateEarly(cmd.Context(), classifier, d, indices)
	if err != nil {
		return err
	}
	result := earlyJSON{"eval", d.Name, e.split, classifier.Early, classify.UnitOf(classifier.Form), evaluation}
	return e.print(cmd, result, render("eval-early", result))
}
