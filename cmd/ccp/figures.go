package main

import (
	"fmt"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models"
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

// timeline collects the probabilities of the windows of one recording.
type timeline struct {
	name    string
	classes []picture.Curve
	answers map[int]bool // the classes that are an answer at some time
}

// add takes the windows of a part.
func (t *timeline) add(in part, classes []string, predictions []models.Prediction) {
	for i, p := range predictions {
		if t.classes == nil {
			t.name, t.classes, t.answers = in.names[i], make([]picture.Curve, len(classes)), map[int]bool{}
		}
		t.answers[p.Class] = true
		for k := range t.classes {
			c := &t.classes[k]
			c.Name, c.X, c.Y = classes[k], append(c.X, (in.windows[i].Start+in.windows[i].End)/2), append(c.Y, p.Probabilities[k])
		}
	}
}

// draw draws the classes that are an answer at some time, at the middle of each window.
func (t *timeline) draw(path string) error {
	curves := picture.Curves{Title: t.name, XLabel: "time", YLabel: "probability"}
	for k, c := range t.classes {
		if t.answers[k] {
			curves.Lines = append(curves.Lines, c)
		}
	}
	p := curves.Plot()
	p.X.Max += (p.X.Max - p.X.Min) / 8 // for the names
	p.Y.Min, p.Y.Max = 0, 1
	return picture.Save(p, 560, 150, path)
}
