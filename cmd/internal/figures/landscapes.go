package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/cmd/internal/study"
	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
)

// landscapes draws the loss around the minimum that each of the two losses led to: what was minimised, and the cross entropy alone on
// one scale for both; above as maps, below on the two axes through the middle.
func (d drawing) landscapes(ctx context.Context, backend compute.Backend) (f figure, err error) {
	samples, err := d.load()
	if err != nil {
		return f, err
	}
	around := map[string]Landscape{}
	for _, loss := range losses {
		progress := func(done float64) { d.Progress("the loss around the minimum of "+loss, done) }
		if around[loss], err = Around(ctx, backend, d.runs[loss][0], samples, progress); err != nil {
			return f, err
		}
	}
	both, only := around[study.TaskAndC], around[study.TaskOnly]
	minimised := floats.SubTo(make([]float64, len(both.Task)), both.Task, both.C)
	f.sheet = picture.Sheet{Title: "Loss around the minimum on " + d.data(), Width: 210 + picture.BarWidth, Height: 226}
	var top, bottom []*plot.Plot
	high := max(slices.Max(both.Task), slices.Max(only.Task))
	for _, panel := range []struct {
		title, label string
		values       []float64
		high         float64
	}{
		{"task + C: what was minimised", "cross entropy − C", minimised, 0},
		{"task + C: cross entropy", "cross entropy, nats", both.Task, high},
		{"task only: cross entropy", "cross entropy, nats", only.Task, high},
	} {
		top = append(top, picture.Field{Title: panel.title, XLabel: "a, along d1", YLabel: "b, along d2", Side: Side, Values: panel.values,
			High: panel.high, Label: panel.label}.Plot())
		axes := picture.Curves{XLabel: "a or b", YLabel: panel.label, Lines: both.axes(panel.values), High: panel.high}
		bottom, f.sheet.Legend = append(bottom, axes.Plot()), axes.Lines
	}
	f.sheet.Panels = [][]*plot.Plot{top, bottom}

	f.table = [][]string{{"loss", "a", "b", "cross_entropy", "c", "minimised"}}
	for _, loss := range losses {
		l := around[loss]
		for i, task := range l.Task {
			value := task
			if loss == study.TaskAndC {
				value -= l.C[i]
			}
			f.table = append(f.table, []string{loss, fmt.Sprintf("%.1f", l.at(i%l.Side)), fmt.Sprintf("%.1f", l.at(i/l.Side)), decimal(task), decimal(l.C[i]), decimal(value)})
		}
	}
	return f, nil
}

// axes are values on the two axes through the middle of the square.
func (l Landscape) axes(values []float64) []picture.Curve {
	curves := []picture.Curve{{Name: "along d1, b = 0", Colour: 0}, {Name: "along d2, a = 0", Colour: 1}}
	middle := l.Side / 2
	for i := range l.Side {
		for axis, at := range []int{middle*l.Side + i, i*l.Side + middle} {
			curves[axis].X, curves[axis].Y = append(curves[axis].X, math.Round(1e9*l.at(i))/1e9), append(curves[axis].Y, values[at])
		}
	}
	return curves
}
