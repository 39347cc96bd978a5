package figures

import (
	"fmt"
	"math"
	"strconv"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/stat"
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
		deviation := 0.0
		if len(values) > 1 {
			deviation = stat.StdDev(values, nil)
		}
		c.epochs, c.seeds = append(c.epochs, float64(i+1)), append(c.seeds, float64(len(values)))
		c.mean, c.deviation = append(c.mean, stat.Mean(values, nil)), append(c.deviation, deviation)
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

// histories are those of all finished runs of a row.
func (d drawing) histories(row string) (histories [][]training.Epoch, err error) {
	for _, dir := range d.runs[row] {
		history, err := training.ReadHistory(dir)
		if err != nil {
			return nil, err
		}
		histories = append(histories, history)
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
func (d drawing) objective() (sheet picture.Sheet, table [][]string, notes []string, err error) {
	metadata, _, err := models.ReadMetadata(d.runs[losses[0]][0])
	if err != nil {
		return sheet, nil, nil, err
	}
	levels := metadata.Spec.Levels
	courses := map[string][]course{} // of each level, then of their sum
	table = [][]string{{"loss", "level", "epoch", "seeds", "mean", "deviation"}}
	for _, loss := range losses {
		histories, err := d.histories(loss)
		if err != nil {
			return sheet, nil, nil, err
		}
		for level := range len(levels) + 1 {
			name := strconv.Itoa(level + 1)
			quantity := func(e training.Epoch) float64 { return e.Objective[level] }
			if level == len(levels) {
				name, quantity = "sum", func(e training.Epoch) (sum float64) {
					for _, c := range e.Objective {
						sum += c
					}
					return sum
				}
			}
			c := courseOf(histories, quantity)
			courses[loss] = append(courses[loss], c)
			table = append(table, c.rows(loss, name)...)
		}
	}
	row, most := []picture.Panel{}, 0.0
	for level := range len(levels) + 1 {
		title := fmt.Sprintf("level %d", level+1)
		bound := 0.0
		if level < len(levels) {
			bound = float64(levels[level].Clusters) / 2
			most += bound
		} else {
			title, bound = "all levels", most
		}
		if level < len(levels) && levels[level].Clusters == 1 || level == len(levels) && len(row) < 2 {
			continue // always ½; the same once more
		}
		curves := picture.Curves{Title: fmt.Sprintf("%s: C is at most %g", title, bound), XLabel: "epoch", YLabel: "C", FromZero: true}
		for i, loss := range losses {
			curves.Lines = append(curves.Lines, courses[loss][level].curve(loss, i))
		}
		row, sheet.Legend = append(row, curves), curves.Lines
	}
	if len(row) == 0 {
		return sheet, nil, []string{"not drawn: the network has no level of more than one cluster, and C is ½ at any time"}, nil
	}
	sheet.Title, sheet.Width, sheet.Height, sheet.Panels = "The objective C on "+d.data()+d.seeds(losses), 200, 170, [][]picture.Panel{row}
	return sheet, table, nil, nil
}

// order draws accuracy in validation by epoch for both orders of the nodes in a neighbourhood.
func (d drawing) order() (sheet picture.Sheet, table [][]string, notes []string, err error) {
	curves := picture.Curves{XLabel: "epoch", YLabel: "accuracy in validation, %"}
	table = [][]string{{"order", "epoch", "seeds", "mean", "deviation"}}
	for i, order := range orders {
		histories, err := d.histories(order)
		if err != nil {
			return sheet, nil, nil, err
		}
		c := courseOf(histories, func(e training.Epoch) float64 { return 100 * e.Validation.Accuracy })
		curves.Lines = append(curves.Lines, c.curve(order, i))
		table = append(table, c.rows(order)...)
	}
	sheet = picture.Sheet{Title: "Learning curves on " + d.data() + d.seeds(orders), Legend: curves.Lines, Width: 380, Height: 250, Panels: [][]picture.Panel{{curves}}}
	return sheet, table, nil, nil
}
