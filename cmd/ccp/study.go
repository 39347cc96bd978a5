package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/figures"
	"github.com/clusterpool/ccp/cmd/internal/study"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// studyFlags are those that compare and reproduce have in common.
type studyFlags struct {
	folder, dataDir string
	seeds, epochs   int
	budget          time.Duration
}

func (o *studyFlags) add(cmd *cobra.Command, folder string) {
	f := cmd.Flags()
	dataDirFlag(cmd, &o.dataDir)
	numberVar(f, &o.seeds, "seeds", 3, 1, math.MaxInt, "`N` runs of each row, with the seeds 1 to N")
	numberVar(f, &o.epochs, "epochs", 0, 0, math.MaxInt, "`N` passes over the training set at most, labelled \"reduced\" (default: the data set's)")
	f.DurationVar(&o.budget, "budget", 0, "`TIME` limit; the table then has the runs so far, labelled \"reduced\"; 0 for none")
	f.StringVar(&o.folder, "folder", folder, "`FOLDER` that keeps the runs and the tables; processes with the same folder share the work")
}

// runStudy runs what is missing of the tables, then prints all of them and keeps them in the folder.
func (s *shared) runStudy(cmd *cobra.Command, o studyFlags, tables []study.Table) error {
	if o.budget < 0 {
		return usage(cmd, fmt.Errorf("--budget %s must be at least 0", o.budget))
	}
	b, info, err := s.open(cmd)
	if err != nil {
		return err
	}
	command := "ccp " + commandLine(s.args...)
	display := newDisplay(cmd.ErrOrStderr(), training.Config{}, info.Name)
	ctx, end := untilSignal(cmd, display.stopping)
	defer end()
	errs := map[string]error{}
	options := study.Options{Budget: o.budget,
		Experiment: training.Options{DataDir: dataFolder(o.dataDir), Command: command, Backend: info.Name, SaveEvery: time.Minute},
		Begin: func(i, n int, cell study.Cell) {
			display.notice(fmt.Sprintf("run %d of %d: %s, seed %d, in %s", i, n, cell.Row, cell.Config.Seed, cell.Dir))
			display.config, display.began = cell.Config, time.Time{}
		},
		Failed: func(cell study.Cell, err error) {
			errs[cell.Dir] = err
			display.notice("  it cannot be done: see below")
		}}
	options.Experiment.Observer = display.brief()
	err = study.Run(ctx, b, study.Cells(o.folder, tables, o.seeds), options)
	display.clear()
	if err != nil && !errors.Is(err, training.ErrInterrupted) && ctx.Err() == nil {
		return err
	}
	origin := study.Origin{Command: command, Machine: backend.ThisMachine().String(), Backend: info.Name, Versions: training.Versions(info.Name)}
	var summaries []study.Summary
	runs := 0
	for _, t := range tables {
		summary := study.Summarize(o.folder, t, o.seeds, origin, errs)
		if t.Drawn && ctx.Err() == nil {
			data, done := s.loading(cmd, o.dataDir, datasets.Options{})
			summary.Figures, err = figures.Draw(ctx, b, figures.Options{Folder: o.folder, Table: t, Seeds: o.seeds, Data: data, Progress: data.Progress})
			if done(); err != nil && ctx.Err() == nil {
				return err
			}
		}
		if err := summary.Write(o.folder); err != nil {
			return err
		}
		summaries = append(summaries, summary)
		for _, l := range summary.Lines {
			runs += l.Runs
		}
	}
	view := map[string]any{"Summaries": summaries, "Folder": filepath.Clean(o.folder)}
	if err := s.print(cmd, summaries, render("study", view)); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w; the same command continues", training.ErrInterrupted)
	case runs == 0 && len(errs) > 0:
		return errNothingRun
	}
	return nil
}

var errNothingRun = errors.New("no run could be done; the reasons are above")
