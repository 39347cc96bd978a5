package main

import (
	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
)

// timeline collects the probabilities of the windows of one recording.
type timeline struct {
	name      string
	classes   []picture.Curve
	predicted map[int]bool // the classes that some window is predicted to have
}

// add takes some of the windows.
func (t *timeline) add(in serve.Samples, classes []string, predictions []models.Prediction) {
	for i, p := range predictions {
		if t.classes == nil {
			t.name, t.classes, t.predicted = in.Names[i], make([]picture.Curve, len(classes)), map[int]bool{}
		}
		t.predicted[p.Class] = true
		for k := range t.classes {
			c := &t.classes[k]
			c.Name, c.X, c.Y = classes[k], append(c.X, (in.Windows[i].Start+in.Windows[i].End)/2), append(c.Y, p.Probabilities[k])
		}
	}
}

// draw draws the classes that some window is predicted to have, at the middle of each window.
func (t *timeline) draw(path string) error {
	curves := picture.Curves{Title: t.name, XLabel: "time", YLabel: "probability"}
	for k, c := range t.classes {
		if t.predicted[k] {
			curves.Lines = append(curves.Lines, c)
		}
	}
	p := curves.Plot()
	p.X.Max += (p.X.Max - p.X.Min) / 8 // for the names
	p.Y.Min, p.Y.Max = 0, 1
	return picture.Save(p, 560, 150, path)
}
