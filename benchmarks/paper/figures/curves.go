package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
)

// course returns a quantity by epoch: its mean over the runs that have the epoch. If there are several runs, the
// spread is the standard deviation. The table has a row for each epoch: epoch, runs, mean and deviation.
func course(histories [][]training.Epoch, quantity func(training.Epoch) float64) (curve picture.Curve, table [][]any) {
	for i := 0; ; i++ {
		var values []float64
		for _, h := range histories {
			if i < len(h) {
				values = append(values, quantity(h[i]))
			}
		}
		if len(values) == 0 {
			return curve, table
		}
		mean, deviation := stat.MeanStdDev(values, nil)
		if len(values) == 1 {
			deviation = 0
		}
		curve.X, curve.Y = append(curve.X, float64(i+1)), append(curve.Y, mean)
		if curve.Spread != nil || len(values) > 1 {
			curve.Spread = append(curve.Spread, deviation)
		}
		table = append(table, []any{i + 1, len(values), mean, deviation})
	}
}

// courses returns a quantity's course over the runs of some of the study's rows. The table's rows begin with the
// row's name and then the cells given.
func (d drawing) courses(rows []string, quantity func(training.Epoch) float64, cells ...any) (lines []picture.Curve,
	table [][]any, err error) {
	for _, row := range rows {
		var histories [][]training.Epoch
		for _, dir := range d.runs[row] {
			history, err := training.ReadHistory(dir)
			if err != nil {
				return nil, nil, err
			}
			histories = append(histories, history)
		}
		curve, numbers := course(histories, quantity)
		curve.Name = row
		lines = append(lines, curve)
		for _, n := range numbers {
			table = append(table, slices.Concat([]any{row}, cells, n))
		}
	}
	return lines, table, nil
}

// objective draws C by epoch under both losses: of each level of more than one cluster, and summed over all levels.
func (d drawing) objective() (f figure, err error) {
	metadata, _, err := models.ReadMetadata(d.runs[losses[0]][0])
	if err != nil {
		return f, err
	}
	var row []*plot.Plot
	add := func(name any, title string, bound float64, drawn bool, quantity func(training.Epoch) float64) error {
		lines, table, err := d.courses(losses, quantity, name)
		f.table = append(f.table, table...)
		if err == nil && drawn {
			curves := picture.Curves{XLabel: "epoch", YLabel: "C", Lines: lines}
			curves.Title = fmt.Sprintf("%s: C is at most %g", title, bound)
			row = append(row, curves.Plot())
			row[len(row)-1].Y.Min = 0
		}
		return err
	}
	most := 0.0
	for i, l := range metadata.Spec.Levels {
		bound := float64(l.Clusters) / 2
		most += bound
		err = cmp.Or(err, add(i+1, fmt.Sprintf("level %d", i+1), bound, l.Clusters > 1,
			func(e training.Epoch) float64 { return e.Objective[i] })) // C of one cluster is always ½: not drawn
	}
	err = cmp.Or(err, add("sum", "all levels", most, len(row) > 1, // the sum of one level is that level
		func(e training.Epoch) float64 { return floats.Sum(e.Objective) }))
	if err != nil {
		return f, err
	}
	if row == nil {
		return figure{note: "not drawn: the network has no level of more than one cluster, and C is ½ at any time"}, nil
	}
	slices.SortStableFunc(f.table, func(a, b []any) int {
		return cmp.Compare(slices.Index(losses, a[0].(string)), slices.Index(losses, b[0].(string)))
	})
	f.heading = []string{"loss", "level", "epoch", "seeds", "mean", "deviation"}
	f.sheet.Title, f.sheet.Panels = "The objective C on "+d.data+", mean ± sd over the seeds", [][]*plot.Plot{row}
	f.sheet.Width, f.sheet.Height = 200, 170
	return f, nil
}

// order draws the accuracy in validation by epoch for both orders of the nodes in a neighbourhood.
func (d drawing) order() (f figure, err error) {
	lines, table, err := d.courses(orders, func(e training.Epoch) float64 {
		if e.Validation == nil {
			return math.NaN()
		}
		return 100 * e.Validation.Accuracy
	})
	curves := picture.Curves{XLabel: "epoch", YLabel: "accuracy in validation, %", Lines: lines}
	f.heading, f.table = []string{"order", "epoch", "seeds", "mean", "deviation"}, table
	f.sheet = picture.Sheet{Title: "Learning curves on " + d.data + ", mean ± sd over the seeds", Width: 380, Height: 250,
		Panels: [][]*plot.Plot{{curves.Plot()}}}
	return f, err
}
