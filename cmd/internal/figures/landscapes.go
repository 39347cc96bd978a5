package figures

import (
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/cmd/internal/study"
	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
)

// landscapes draws the loss around the minimum that each of the two losses led to. There is what was minimised, and the
// cross entropy alone on one scale for both. The table has a row for each point.
func (d drawing) landscapes(ctx context.Context, backend compute.Backend) (f figure, err error) {
	samples, err := d.load()
	if err != nil {
		return f, err
	}
	around, minimised := map[string]Landscape{}, map[string][]float64{}
	f.heading = []string{"loss", "a", "b", "cross_entropy", "c", "minimised"}
	for _, loss := range losses {
		progress := func(done float64) { d.Progress("the loss around the minimum of "+loss, done) }
		l, err := Around(ctx, backend, d.runs[loss][0], samples, progress)
		if err != nil {
			return f, err
		}
		around[loss], minimised[loss] = l, slices.Clone(l.Task)
		if loss == study.TaskAndC {
			floats.Sub(minimised[loss], l.C)
		}
		for i, value := range minimised[loss] {
			a, b := fmt.Sprintf("%.1f", l.at(i%l.Side)), fmt.Sprintf("%.1f", l.at(i/l.Side))
			f.table = append(f.table, []any{loss, a, b, l.Task[i], l.C[i], value})
		}
	}
	both, only := around[study.TaskAndC], around[study.TaskOnly]
	high := max(slices.Max(both.Task), slices.Max(only.Task))
	f.sheet = picture.Sheet{Title: "Loss around the minimum on " + d.data(), Width: 210 + picture.BarWidth, Height: 226}
	f.sheet.Panels = make([][]*plot.Plot, 1)
	for _, panel := range []picture.Field{
		{Title: "task + C: what was minimised", Label: "cross entropy − C", Values: minimised[study.TaskAndC]},
		{Title: "task + C: cross entropy", Label: "cross entropy, nats", Values: both.Task, High: high},
		{Title: "task only: cross entropy", Label: "cross entropy, nats", Values: only.Task, High: high},
	} {
		panel.XLabel, panel.YLabel, panel.Side = "a, along d1", "b, along d2", Side
		f.sheet.Panels[0] = append(f.sheet.Panels[0], panel.Plot())
	}
	return f, nil
}
