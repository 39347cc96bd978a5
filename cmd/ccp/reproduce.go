package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/study"
	"github.com/spf13/cobra"
)

func newReproduce(s *shared) *cobra.Command {
	var o studyFlags
	var data, jobs string
	var workers int
	var reduced bool
	cmd := command("reproduce", "TABLE")
	cmd.Long += "\n\nTables: " + strings.Join(study.TableNames(""), ", ") + ", or all."
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&data, "data", "", "data set by its `NAME`, or FILE.npz (default: the paper's)")
	o.add(cmd, "runs/reproduce")
	f.BoolVar(&reduced, "reduced", false, "a quarter of the filters and hidden widths and 10 epochs, labelled \"reduced\": a size that two cores can pay")
	f.StringVar(&jobs, "jobs", "", "print a job array for `MANAGER`, slurm or kubernetes, instead of running")
	f.IntVar(&workers, "workers", 0, "`N` workers of the job array (default: as many as runs)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := knownData(data)
		if err != nil {
			return usage(cmd, fmt.Errorf("--data: %w", err))
		}
		names := args
		if args[0] == "all" {
			names = study.TableNames(data)
		}
		var tables []study.Table
		for _, name := range names {
			t, err := study.PaperTable(name, path, o.epochs, reduced)
			if err != nil {
				return usage(cmd, err)
			}
			tables = append(tables, t)
		}
		if jobs != "" {
			if workers == 0 {
				workers = len(study.Cells(o.folder, tables, o.seeds))
			}
			script, err := study.Jobs(jobs, "ccp-"+args[0], "ccp "+commandLine(withoutFlags(s.args, "--jobs", "--workers")...), workers)
			if err != nil {
				return usage(cmd, err)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), script)
			return err
		}
		err = s.runStudy(cmd, o, tables, s.reportTables(cmd, o, tables))
		if errors.Is(err, errNothingRun) && data == "" && strings.HasPrefix(args[0], "cross-") {
			return fmt.Errorf("%w; NW-UCLA can stand in for it: ccp reproduce %s --data nw-ucla", err, args[0])
		}
		return err
	}
	return cmd
}

// withoutFlags is a command line without flags that take a value.
func withoutFlags(args []string, flags ...string) (kept []string) {
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		if !slices.Contains(flags, name) {
			kept = append(kept, args[i])
		} else if !joined {
			i++
		}
	}
	return kept
}
