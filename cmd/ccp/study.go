package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
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
	f.IntVar(&o.seeds, "seeds", 3, "`N` runs of each row, with the seeds 1 to N")
	f.IntVar(&o.epochs, "epochs", 0, "`N` passes over the training set at most, labelled \"reduced\" (default: the data set's)")
	f.DurationVar(&o.budget, "budget", 0, "`TIME` after which what there is makes the table, labelled \"reduced\"; 0: none")
	f.StringVar(&o.folder, "folder", folder, "`FOLDER` that keeps the runs and the tables; processes with the same folder share the work")
}

func (o *studyFlags) check() error {
	switch {
	case o.seeds < 1:
		return fmt.Errorf("--seeds %d; there must be at least 1", o.seeds)
	case o.epochs < 0:
		return fmt.Errorf("--epochs %d; it must not be negative", o.epochs)
	case o.budget < 0:
		return fmt.Errorf("--budget %s; it must not be negative", o.budget)
	}
	return nil
}

// runStudy runs what is missing of the tables, then prints all of them and keeps them in the folder.
func (s *shared) runStudy(cmd *cobra.Command, o studyFlags, tables []study.Table) error {
	b, info, err := s.open(cmd)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command := "ccp " + commandLine(s.args...)
	display := newDisplay(cmd.ErrOrStderr(), training.Config{}, info.Name)
	ended := context.AfterFunc(ctx, func() {
		stop()
		display.notice("stopping after this step; Ctrl-C again aborts at once")
	})
	defer ended()
	errs := map[string]error{}
	options := study.Options{Budget: o.budget,
		Experiment: training.Options{DataDir: dataFolder(o.dataDir), Command: command, Backend: info.Name, SaveEvery: time.Minute},
		Begin: func(i, n int, cell study.Cell) {
			display.notice(fmt.Sprintf("run %d of %d: %s, seed %d, in %s", i, n, cell.Row, cell.Config.Seed, cell.Dir))
			display.restart(cell.Config)
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
			status := newStatusLine(cmd.ErrOrStderr())
			summary.Figures, err = figures.Draw(ctx, b, figures.Options{Folder: o.folder, Table: t, Seeds: o.seeds,
				Data: datasets.Options{DataDir: dataFolder(o.dataDir), Backend: s.backendFor(cmd), Progress: status.loading}, Progress: status.loading})
			status.clear()
			if err != nil && ctx.Err() == nil {
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
	if err := s.printStudy(cmd, o, summaries); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w; give the same command to go on", training.ErrInterrupted)
	case runs == 0 && len(errs) > 0:
		return errNothingRun
	}
	return nil
}

var errNothingRun = errors.New("no run could be done; the reasons are above")

func (s *shared) printStudy(cmd *cobra.Command, o studyFlags, summaries []study.Summary) error {
	if s.json {
		return printJSON(cmd.OutOrStdout(), summaries)
	}
	out := cmd.OutOrStdout()
	var names []string
	for _, summary := range summaries {
		fmt.Fprintf(out, "%s\n", summary.Text())
		printFigures(out, summary.Figures)
		names = append(names, summary.Name)
	}
	one := names[0]
	if len(names) > 1 {
		one = "{" + strings.Join(names, ",") + "}"
	}
	fmt.Fprintf(out, "test accuracy, mean ± standard deviation over seeds 1 to %d, on %s, %s\nkept in %s.{md,csv,json}\n",
		o.seeds, summaries[0].Origin.Machine, summaries[0].Origin.Backend, filepath.Join(o.folder, one))
	return nil
}

// printFigures says where figures are, and what they lack.
func printFigures(w io.Writer, figures []study.Figure) {
	for _, f := range figures {
		if len(f.Files) > 0 {
			fmt.Fprintf(w, "%s: %s.{png,svg,csv}\n", f.About, strings.TrimSuffix(f.Files[0], filepath.Ext(f.Files[0])))
		}
		for _, note := range f.Notes {
			fmt.Fprintf(w, "%s: %s\n", f.About, note)
		}
	}
	if len(figures) > 0 {
		fmt.Fprintln(w)
	}
}
