//go:build !lean

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/clusterpool/ccp/models/study"
	"github.com/spf13/cobra"
)

// newReproduce returns `ccp reproduce`, which makes one of the paper's tables anew.
func newReproduce(s *shared) *cobra.Command {
	var o studyFlags
	var data string
	var reduced bool
	cmd := command("reproduce", "TABLE")
	cmd.Long += "\n\nTables: " + strings.Join(study.TableNames(""), ", ") + ", or all."
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&data, "data", "", "data set by its `NAME`, or FILE.npz (default: the paper's)")
	o.add(cmd, "runs/reproduce", 3)
	f.BoolVar(&reduced, "reduced", false,
		"a quarter of the filters and hidden widths, and 10 epochs, labelled \"reduced\", for two cores")
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
			t, err := study.Make(name, path, o.epochs, reduced)
			if err != nil {
				return usage(cmd, err)
			}
			tables = append(tables, t)
		}
		err = s.runStudy(cmd, o, tables)
		if set := tables[0].Instead; errors.Is(err, errNothingRun) && data == "" && len(tables) == 1 && set != "" {
			return fmt.Errorf("%w; %s can stand in for it: ccp reproduce %s --data %s", err, set, args[0], set)
		}
		return err
	}
	return cmd
}
