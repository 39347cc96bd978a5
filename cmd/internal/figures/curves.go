package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
)

// course is a quantity by epoch: its mean over the runs that have the epoch, with its standard deviation as the spread where there
// are several runs. The rows of the table are epoch, runs, mean and deviation.
func course(histories [][]training.Epoch, quantity func(training.Epoch) float64) (curve picture.Curve, table [][]string) {
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
		table = append(table, []string{strconv.Itoa(i + 1), strconv.Itoa(len(values)), decimal(mean), decimal(deviation)})
	}
}

// courses are a quantity's over the runs of some of the table's rows: a curve for each, and a table whose rows begin with the name of
// the row and then those given.
func (d drawing) courses(rows []string, quantity func(training.Epoch) float64, first ...string) (lines []picture.Curve, table [][]string, err error) {
	for i, row := range rows {
		var histories [][]training.Epoch
		for _, dir := range d.runs[row] {
			history, err := training.ReadHistory(dir)
			if err != nil {
				return nil, nil, err
			}
			histories = append(histories, history)
		}
		curve, cells := course(histories, quantity)
		curve.Name, curve.Colour = row, i
		lines = append(lines, curve)
		for _, c := range cells {
			table = append(table, slices.Concat([]string{row}, first, c))
		}
	}
	return lines, table, nil
}

// seeds says over how many seeds the rows' courses are, for a title.
func (d drawing) seeds(rows []string) string {
	least, most := math.MaxInt, 0
	for _, row := range rows {
		least, most = min(least, len(d.runs[row])), max(most, len(d.runs[row]))
	}
	switch {
	case most == 1:
		return ", one seed"
	case least == most:
		return fmt.Sprintf(", mean ± sd over %d seeds", most)
	}
	return fmt.Sprintf(", mean ± sd over %d to %d seeds", least, most)
}

// objective draws C by epoch under both losses: of each level of more than one cluster, and summed over all levels.
func (d drawing) objective() (f figure, err error) {
	metadata, _, err := models.ReadMetadata(d.runs[losses[0]][0])
	if err != nil {
		return f, err
	}
	var row []*plot.Plot
	levels, most := metadata.Spec.Levels, 0.0
	for level := range len(levels) + 1 {
		name, title, bound := "sum", "all levels", most
		quantity := func(e training.Epoch) float64 { return floats.Sum(e.Objective) }
		drawn := len(row) > 1 // the sum of one level would be the same once more
		if level < len(levels) {
			name, title, bound = strconv.Itoa(level+1), fmt.Sprintf("level %d", level+1), float64(levels[level].Clusters)/2
			quantity = func(e training.Epoch) float64 { return e.Objective[level] }
			most += bound
			drawn = levels[level].Clusters > 1 // C of one cluster is always ½
		}
		lines, table, err := d.courses(losses, quantity, name)
		if err != nil {
			return f, err
		}
		f.table = append(f.table, table...)
		if drawn {
			curves := picture.Curves{Title: fmt.Sprintf("%s: C is at most %g", title, bound), XLabel: "epoch", YLabel: "C", FromZero: true, Lines: lines}
			row, f.sheet.Legend = append(row, curves.Plot()), lines
		}
	}
	if row == nil {
		return figure{notes: []string{"not drawn: the network has no level of more than one cluster, and C is ½ at any time"}}, nil
	}
	slices.SortStableFunc(f.table, func(a, b []string) int { return cmp.Compare(slices.Index(losses, a[0]), slices.Index(losses, b[0])) })
	f.table = slices.Insert(f.table, 0, []string{"loss", "level", "epoch", "seeds", "mean", "deviation"})
	f.sheet.Title, f.sheet.Width, f.sheet.Height, f.sheet.Panels = "The objective C on "+d.data()+d.seeds(losses), 200, 170, [][]*plot.Plot{row}
	return f, nil
}

// order draws accuracy in validation by epoch for both orders of the nodes in a neighbourhood.
func (d drawing) order() (f figure, err error) {
	lines, table, err := d.courses(orders, func(e training.Epoch) float64 {
		if e.Validation == nil {
			return math.NaN()
		}
		return 100 * e.Validation.Accuracy
	})
	curves := picture.Curves{XLabel: "epoch", YLabel: "accuracy in validation, %", Lines: lines}
	f.table = slices.Insert(table, 0, []string{"order", "epoch", "seeds", "mean", "deviation"})
	f.sheet = picture.Sheet{Title: "Learning curves on " + d.data() + d.seeds(orders), Legend: lines, Width: 380, Height: 250, Panels: [][]*plot.Plot{{curves.Plot()}}}
	return f, err
}
