package figures

import (
	"fmt"
	"math"
	"strconv"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
)

// course is a quantity by epoch: its mean over the runs that have the epoch, and its standard deviation.
type course struct {
	epochs, seeds, mean, deviation []float64
}

// courseOf takes the mean of a quantity over runs' histories.
func courseOf(histories [][]training.Epoch, quantity func(training.Epoch) float64) (c course) {
	for i := 0; ; i++ {
		var values []float64
		for _, h := range histories {
			if i < len(h) {
				values = append(values, quantity(h[i]))
			}
		}
		if len(values) == 0 {
			return c
		}
		mean, deviation := stat.MeanStdDev(values, nil)
		if len(values) == 1 {
			deviation = 0
		}
		c.epochs, c.seeds = append(c.epochs, float64(i+1)), append(c.seeds, float64(len(values)))
		c.mean, c.deviation = append(c.mean, mean), append(c.deviation, deviation)
	}
}

func (c course) curve(name string, colour int) picture.Curve {
	curve := picture.Curve{Name: name, X: c.epochs, Y: c.mean, Colour: colour}
	if len(c.seeds) > 0 && c.seeds[0] > 1 {
		curve.Spread = c.deviation
	}
	return curve
}

// rows are the course's for a CSV file, each after some first cells.
func (c course) rows(first ...string) (rows [][]string) {
	for i, epoch := range c.epochs {
		row := append([]string{}, first...)
		rows = append(rows, append(row, decimal(epoch), decimal(c.seeds[i]), decimal(c.mean[i]), decimal(c.deviation[i])))
	}
	return rows
}

// histories are those of all finished runs of each of the table's rows.
func (d drawing) histories(rows []string) (map[string][][]training.Epoch, error) {
	histories := map[string][][]training.Epoch{}
	for _, row := range rows {
		for _, dir := range d.runs[row] {
			history, err := training.ReadHistory(dir)
			if err != nil {
				return nil, err
			}
			histories[row] = append(histories[row], history)
		}
	}
	return histories, nil
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

// objective draws C by epoch for each level of more than one cluster, and of all levels together, under both losses.
func (d drawing) objective() (f figure, err error) {
	metadata, _, err := models.ReadMetadata(d.runs[losses[0]][0])
	if err != nil {
		return f, err
	}
	histories, err := d.histories(losses)
	if err != nil {
		return f, err
	}
	var row []*plot.Plot
	tables, most := map[string][][]string{}, 0.0
	levels := metadata.Spec.Levels
	for level := range len(levels) + 1 { // of each level, then of their sum
		name, title, bound := "sum", "all levels", most
		quantity := func(e training.Epoch) float64 { return floats.Sum(e.Objective) }
		drawn := len(row) > 1 // the sum of one level would be the same once more
		if level < len(levels) {
			name, title, bound = strconv.Itoa(level+1), fmt.Sprintf("level %d", level+1), float64(levels[level].Clusters)/2
			quantity = func(e training.Epoch) float64 { return e.Objective[level] }
			most += bound
			drawn = levels[level].Clusters > 1 // C of one cluster is always ½
		}
		curves := picture.Curves{Title: fmt.Sprintf("%s: C is at most %g", title, bound), XLabel: "epoch", YLabel: "C", FromZero: true}
		for i, loss := range losses {
			c := courseOf(histories[loss], quantity)
			curves.Lines = append(curves.Lines, c.curve(loss, i))
			tables[loss] = append(tables[loss], c.rows(loss, name)...)
		}
		if drawn {
			row, f.sheet.Legend = append(row, curves.Plot()), curves.Lines
		}
	}
	if row == nil {
		return figure{notes: []string{"not drawn: the network has no level of more than one cluster, and C is ½ at any time"}}, nil
	}
	f.table = [][]string{{"loss", "level", "epoch", "seeds", "mean", "deviation"}}
	for _, loss := range losses {
		f.table = append(f.table, tables[loss]...)
	}
	f.sheet.Title, f.sheet.Width, f.sheet.Height, f.sheet.Panels = "The objective C on "+d.data()+d.seeds(losses), 200, 170, [][]*plot.Plot{row}
	return f, nil
}

// order draws accuracy in validation by epoch for both orders of the nodes in a neighbourhood.
func (d drawing) order() (f figure, err error) {
	histories, err := d.histories(orders)
	if err != nil {
		return f, err
	}
	curves := picture.Curves{XLabel: "epoch", YLabel: "accuracy in validation, %"}
	f.table = [][]string{{"order", "epoch", "seeds", "mean", "deviation"}}
	for i, order := range orders {
		c := courseOf(histories[order], func(e training.Epoch) float64 { return 100 * e.Validation.Accuracy })
		curves.Lines = append(curves.Lines, c.curve(order, i))
		f.table = append(f.table, c.rows(order)...)
	}
	f.sheet = picture.Sheet{Title: "Learning curves on " + d.data() + d.seeds(orders), Legend: curves.Lines, Width: 380, Height: 250, Panels: [][]*plot.Plot{{curves.Plot()}}}
	return f, nil
}
