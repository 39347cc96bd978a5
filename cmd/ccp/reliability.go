package main

import (
	"fmt"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models/training"
)

// drawReliability draws how often answers are right by how sure they are. If probabilities can be trusted, the points lie
// on the diagonal.
func drawReliability(e training.Evaluation, path string) error {
	answers := picture.Curve{Name: "answers"}
	for _, b := range e.Reliability.Bins {
		if b.Samples > 0 {
			answers.X, answers.Y = append(answers.X, b.Confidence), append(answers.Y, b.Accuracy)
		}
	}
	p := picture.Curves{Title: fmt.Sprintf("expected calibration error %.2f%%", 100*e.Reliability.Error),
		XLabel: "probability of the answer", YLabel: "share of right answers",
		Lines: []picture.Curve{answers, {Name: "as sure as right", X: []float64{0, 1}, Y: []float64{0, 1}}}}.Plot()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	return picture.Save(p, 300, 280, path)
}
