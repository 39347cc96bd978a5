package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/cmd/internal/clusters"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/spf13/cobra"
)

// clustersJSON is what `ccp clusters --json` prints.
type clustersJSON struct {
	Command     string             `json:"command"`
	Checkpoint  string             `json:"checkpoint"`
	Snapshot    string             `json:"snapshot"`
	Data        string             `json:"data"`
	Hierarchy   int                `json:"hierarchy"`   // shown, from 1
	Hierarchies int                `json:"hierarchies"` // of the model
	Levels      []hierarchy.Health `json:"levels"`
	Words       []clusters.Cluster `json:"words"` // empty where nodes have no names, or lie on a grid
	Files       []string           `json:"files"` // that were written, in Folder
	Folder      string             `json:"-"`
}

func newClusters(s *shared) *cobra.Command {
	var dir, dataDir, values string
	var out target
	var view clusters.View
	var level, which int
	cmd := command("clusters", "")
	checkpointFlag(cmd, &dir)
	out.folderFlags(cmd, "CSV files and pictures")
	f := cmd.Flags()
	f.Float64Var(&view.Least, "least", 0.01, "least membership to write, beside each node's largest")
	numberVar(f, &which, "hierarchy", 1, 1, math.MaxInt, "which hierarchy to show, counted from 1, of a model with several")
	f.StringVar(&values, "spread", "", "`FILE.npy` with a value, or a row of values, for each cluster of --level, to print for each node")
	f.IntVar(&level, "level", 1, "level of --spread, counted from 1")
	dataDirFlag(cmd, &dataDir)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		switch {
		case !(view.Least >= 0 && view.Least <= 1):
			return usage(cmd, fmt.Errorf("--least %g is outside [0, 1]", view.Least))
		case values != "" && out.path != "":
			return usage(cmd, errors.New("--spread and --out are two different things to do; give one of them"))
		case values == "" && f.Changed("level"):
			return usage(cmd, errors.New("--level is for --spread; all levels are shown without it"))
		}
		if err := out.free(); err != nil {
			return err
		}
		if view.Classifier, err = s.load(cmd, dir); err != nil {
			return err
		}
		hierarchies := view.Spec.Hierarchies()
		if view.Spec.Clusters() && which > hierarchies {
			return inFile(dir, fmt.Errorf("there is no hierarchy %d; hierarchies go from 1 to %d", which, hierarchies))
		}
		if view.Levels, err = view.ClusterLevels(which - 1); err != nil {
			return inFile(dir, err)
		}
		if values != "" {
			return s.spread(cmd, view.Levels, level, values)
		}
		result := clustersJSON{Command: "clusters", Checkpoint: dir, Snapshot: view.Snapshot, Data: view.Classifier.Data,
			Hierarchy: which, Hierarchies: hierarchies, Files: []string{}, Folder: out.path}
		if result.Levels, err = view.Health(which - 1); err != nil {
			return inFile(dir, err)
		}
		// The names of pixels are never shown, those of joints in files only.
		if view.Spec.Grid == nil || out.path != "" && view.Spec.Parts != nil {
			if view.Data, err = s.dataOf(cmd, view.Metadata, dir, dataDir, ""); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "nodes are shown without names: %v\n", err)
			}
		}
		view.Prepare()
		result.Words = view.Words()
		if out.path != "" {
			if result.Files, err = view.Write(out.path); err != nil {
				return err
			}
		}
		return s.print(cmd, result, render("clusters", result))
	}
	return cmd
}

// spread prints what the values in a file, of a level's clusters, are at the input nodes.
func (s *shared) spread(cmd *cobra.Command, levels hierarchy.Levels, level int, path string) error {
	array, err := npz.ReadNPYFile(path)
	if err != nil {
		return inFile(path, err)
	}
	nodes, err := clusters.Spread(levels, level, array)
	if err != nil {
		return inFile(path, err)
	}
	return s.print(cmd, nodes, render("clusters-spread", nodes))
}
