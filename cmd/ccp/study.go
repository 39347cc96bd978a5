package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
)

// studyFlags are the common flags of compare and reproduce.
type studyFlags struct {
	folder, dataDir string
	seeds, epochs   int
	budget          time.Duration
}

// add adds the flags of the commands that train many times. folder and seeds are what the command takes by itself.
func (o *studyFlags) add(cmd *cobra.Command, folder string, seeds int) {
	f := cmd.Flags()
	dataDirFlag(cmd, &o.dataDir)
	numberVar(f, &o.seeds, "seeds", seeds, 1, math.MaxInt, "`N` runs of each row, with the seeds 1 to N")
	numberVar(f, &o.epochs, "epochs", 0, 0, math.MaxInt,
		"`N` passes over the training set at most, labelled \"reduced\" (default: the data set's, or by its size)")
	durationVar(f, &o.budget, "budget", time.Millisecond,
		true, "`TIME` limit; the table then has the finished runs, labelled \"reduced\"; 0 for none")
	f.StringVar(&o.folder, "folder", folder,
		"`FOLDER` for the runs and tables; processes with the same folder share the work")
}

// runStudy does the runs that the tables lack, and reports them.
func (s *shared) runStudy(cmd *cobra.Command, o studyFlags, tables []study.Table) error {
	for _, t := range tables {
		if err := study.Free(o.folder, t.Name); err != nil {
			return err
		}
	}
	b, info, err := s.open(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	command := "ccp " + commandLine(s.args...)
	display := newDisplay(cmd, training.Config{}, info.Name)
	stopped := untilSignal(cmd, display.stopping)
	defer stopped()
	ctx := cmd.Context()
	errs := map[string]error{}
	pass := "" // the seed and the fold
	options := study.Options{Budget: o.budget,
		Experiment: training.Options{DataDir: dataFolder(o.dataDir), Command: command, Backend: info.Name,
			SaveEvery: time.Minute},
		Begin: func(i, n int, cell study.Cell) {
			now := fmt.Sprint(cell.Config.Seed, cell.Config.Fold)
			if pass == "" {
				display.notice(fmt.Sprintf("%d trainings in all; a first table comes when each row has run once", n))
			} else if now != pass {
				for _, t := range tables {
					display.notice("\n" + study.Summarize(o.folder, t, o.seeds, study.Origin{}, errs).Text())
				}
			}
			pass = now
			about := fmt.Sprintf("%s, seed %d", cell.Row, cell.Config.Seed)
			if fold := cell.Config.Fold.String(); fold != "" {
				about += ", fold " + fold
			}
			display.notice(fmt.Sprintf("run %d of %d: %s, in %s", i, n, about, cell.Dir))
			display.config, display.began = cell.Config, time.Time{}
		},
		Ended: func(result training.Result, left map[string]time.Duration) {
			line, sign := fmt.Sprintf("test accuracy %.2f%% in %s", 100*result.Test.Accuracy, text.Seconds(result.Seconds)),
				"; left: "
			for _, row := range slices.Sorted(maps.Keys(left)) {
				about := "?" // before its first run
				if left[row] > 0 {
					about = "about " + text.Seconds(left[row].Seconds())
				}
				line, sign = line+sign+row+" "+about, ", "
			}
			display.notice(text.Fold("  ", line, pageWidth, 4))
		},
		Failed: func(cell study.Cell, err error) {
			errs[cell.Dir] = err
			display.notice("  " + cell.Row + " cannot be done: see below")
		}}
	options.Experiment.Observer = display.brief()
	err = study.Run(ctx, b, study.Cells(o.folder, tables, o.seeds), options)
	display.clear()
	if err != nil && !errors.Is(err, training.ErrInterrupted) && ctx.Err() == nil {
		return err
	}
	origin := study.Origin{Command: command, Machine: backend.ThisMachine().String(), Backend: info.Name,
		Versions: training.Versions(info.Name)}
	runs, err := s.reportTables(cmd, o, tables, b, origin, errs)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("%w; the same command continues", training.ErrInterrupted)
	case runs == 0 && len(errs) > 0:
		return errNothingRun
	}
	return nil
}

var errNothingRun = errors.New("no run could be done; the reasons are above")

// reportTables prints and keeps the tables of a study whose runs are over or interrupted, with their figures, and
// returns their number of runs. errs says why a run failed, by directory.
func (s *shared) reportTables(cmd *cobra.Command, o studyFlags, tables []study.Table, backend compute.Backend,
	origin study.Origin,
	errs map[string]error) (runs int, err error) {
	var summaries []study.Summary
	for _, t := range tables {
		summary := study.Summarize(o.folder, t, o.seeds, origin, errs)
		if t.Draw != nil && cmd.Context().Err() == nil {
			data, done := s.loading(cmd, o.dataDir, datasets.Options{})
			summary.Figures, err = t.Draw(cmd.Context(), backend, o.folder, t, o.seeds, data)
			done()
			if err != nil && cmd.Context().Err() == nil {
				return 0, err
			}
		}
		if err := summary.Write(o.folder); err != nil {
			return 0, err
		}
		summaries = append(summaries, summary)
		runs += summary.Runs()
	}
	return runs, s.print(cmd, summaries,
		render("study", map[string]any{"Summaries": summaries, "Folder": filepath.Clean(o.folder)}))
}
