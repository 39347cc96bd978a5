// Package figures draws the paper's figures from the runs of a study. These are the receptive fields of the clusters,
// the loss around the minimum, the course of the objective C, and learning curves.
package figures

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
)

// The rows of the table whose runs the figures are drawn from. They are runs of the tables loss and order, too.
const (
	TaskAndC    = "task + C"
	TaskOnly    = "task only"
	OrderByRank = "order by rank"
	RandomOrder = "random order"
)

// drawing is what the figures have in common.
type drawing struct {
	data string              // the name of the runs' data set
	runs map[string][]string // by the table's row: the directories of the finished runs, by seed
	load func() (*datasets.Dataset, error)
	// progress receives the share of a long step that is done.
	progress func(doing string, done float64)
}

// figure is a picture and its numbers for a CSV file, or a note that says why there is none.
type figure struct {
	sheet   picture.Sheet
	heading []string
	table   [][]any
	note    string
}

func (f figure) rows(row func(cells ...any)) error {
	for _, cells := range f.table {
		row(cells...)
	}
	return nil
}

// losses and orders are the rows that are compared.
var (
	losses = []string{TaskAndC, TaskOnly}
	orders = []string{OrderByRank, RandomOrder}
)

// free returns an error if a figure's files are there and its CSV, the last of them, is not one of ours by its heading.
func free(paths, heading []string) error {
	raw, _ := os.ReadFile(paths[2])
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil && !strings.HasPrefix(string(raw), strings.Join(heading, ",")+"\n") {
			return params.Sentencef("folder", "%s is there, and is no figure of ccp; choose another %v, or move it away",
				path, params.Named("folder"))
		}
	}
	return nil
}

// Draw draws the figures of a table from its finished runs, each into NAME.png, NAME.svg and NAME.csv in the folder.
// NAME begins with the table's name. Receptive fields and landscapes show the first seed. If runs of a figure are
// missing, a note says so and the figure is left out. An error names the file or the run.
func Draw(ctx context.Context, backend compute.Backend, folder string, t study.Table, seeds int,
	data datasets.Options) (figures []study.Figure, err error) {
	d := drawing{data: study.DataName(fmt.Sprint(t.Rows[0].Asked["data"])), runs: map[string][]string{},
		progress: data.Progress}
	d.load = sync.OnceValues(func() (*datasets.Dataset, error) {
		dir := d.runs[losses[0]][0]
		metadata, _, err := models.ReadMetadata(dir)
		if err != nil {
			return nil, err
		}
		config, err := training.ReadConfig(dir)
		if err != nil {
			return nil, err
		}
		return training.LoadFor(ctx, metadata, config, data)
	})
	for _, row := range t.Rows {
		for _, dir := range row.Dirs(folder, seeds) {
			if _, err := training.ReadResult(dir); err == nil {
				d.runs[row.Name] = append(d.runs[row.Name], dir)
			}
		}
	}
	for _, figure := range []struct {
		name, about string
		rows        []string // of the table, whose runs are needed
		draw        func() (figure, error)
	}{
		{"fields", "receptive fields at the first and the last epoch", losses, d.fields},
		{"landscape", "the loss around the minimum", losses, func() (figure, error) { return d.landscapes(ctx, backend) }},
		{"objective", "the course of C", losses, d.objective},
		{"order", "learning curves by the order of the nodes", orders, d.order},
	} {
		f := study.Figure{Name: t.Name + "-" + figure.name, About: figure.about, Files: []string{}}
		f.Notes = d.missing(figure.rows)
		if f.Notes == nil {
			drawn, err := figure.draw()
			if err != nil {
				return figures, err
			}
			err = drawn.save(&f, filepath.Join(folder, f.Name))
			if err != nil {
				return figures, err
			}
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// missing says which rows of the table have no finished run.
func (d drawing) missing(rows []string) (notes []string) {
	for _, row := range rows {
		if len(d.runs[row]) == 0 {
			notes = append(notes, fmt.Sprintf("not drawn: no run of %q is finished", row))
		}
	}
	return notes
}

// save writes a figure into base.png, base.svg and base.csv, and names them in f; or it says in f why there is nothing
// to draw.
func (drawn figure) save(f *study.Figure, base string) error {
	if drawn.note != "" {
		f.Notes = []string{drawn.note}
		return nil
	}
	f.Files = []string{base + ".png", base + ".svg", base + ".csv"}
	err := free(f.Files, drawn.heading)
	if err == nil {
		err = text.WriteCSV(f.Files[2], drawn.heading, drawn.rows) // the first, since free knows a figure of ccp by it
	}
	if err == nil {
		err = drawn.sheet.Save(f.Files[:2]...)
	}
	return err
}
