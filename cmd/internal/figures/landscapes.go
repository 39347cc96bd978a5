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

// landscapes draws the loss around the minimum that each of the two losses led to. There is what was minimised, and the
// cross entropy alone on one scale for both. The maps are above; below are the two axes through the middle.
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
	high := max(slices.Max(both.Task), slices.Max(only.Task))
	f.sheet = picture.Sheet{Title: "Loss around the minimum on " + d.data(), Width: 210 + picture.BarWidth, Height: 226}
	f.sheet.Panels = make([][]*plot.Plot, 2)
	for _, panel := range []picture.Field{
		{Title: "task + C: what was minimised", Label: "cross entropy − C", Values: minimised},
		{Title: "task + C: cross entropy", Label: "cross entropy, nats", Values: both.Task, High: high},
		{Title: "task only: cross entropy", Label: "cross entropy, nats", Values: only.Task, High: high},
	} {
		panel.XLabel, panel.YLabel, panel.Side = "a, along d1", "b, along d2", Side
		axes := picture.Curves{XLabel: "a or b", YLabel: panel.Label, Lines: both.axes(panel.Values), High: panel.High}
		for row, p := range []*plot.Plot{panel.Plot(), axes.Plot()} {
			f.sheet.Panels[row] = append(f.sheet.Panels[row], p)
		}
		f.sheet.Legend = axes.Lines
	}
	f.heading = []string{"loss", "a", "b", "cross_entropy", "c", "minimised"}
	for _, loss := range losses {
		l := around[loss]
		for i, task := range l.Task {
			value := task
			if loss == study.TaskAndC {
				value -= l.C[i]
			}
			a, b := fmt.Sprintf("%.1f", l.at(i%l.Side)), fmt.Sprintf("%.1f", l.at(i/l.Side))
			f.table = append(f.table, []any{loss, a, b, task, l.C[i], value})
		}
	}
	return f, nil
}

// axes returns the values on the two axes through the middle of the square.
func (l Landscape) axes(values []float64) []picture.Curve {
	curves := []picture.Curve{{Name: "along d1, b = 0"}, {Name: "along d2, a = 0"}}
	middle := l.Side / 2
	for i := range l.Side {
		for axis, at := range []int{middle*l.Side + i, i*l.Side + middle} {
			c := &curves[axis]
			c.X, c.Y = append(c.X, math.Round(1e9*l.at(i))/1e9), append(c.Y, values[at])
		}
	}
	return curves
}
