package main

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/cmd/internal/clusters"
	"github.com/clusterpool/ccp/datasets"
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
	var dir, dataDir string
	var out target
	var which int
	cmd := command("clusters", "")
	checkpointFlag(cmd, &dir)
	out.folderFlags(cmd, "CSV files and pictures")
	numberVar(cmd.Flags(), &which, "hierarchy", 1, 1, math.MaxInt,
		"which hierarchy to show, counted from 1, of a model with several")
	dataDirFlag(cmd, &dataDir)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defer untilSignal(cmd, func() {})()
		if err := out.free(); err != nil {
			return err
		}
		c, err := s.load(cmd, dir, 0)
		if err != nil {
			return err
		}
		result := clustersJSON{Command: "clusters", Checkpoint: dir, Snapshot: c.Snapshot, Data: c.Data,
			Hierarchy: which, Hierarchies: c.Spec.Hierarchies(), Files: []string{}, Folder: out.path}
		if c.Spec.Clusters() && which > result.Hierarchies {
			return usage(cmd, fmt.Errorf("--hierarchy %d: %s has hierarchies 1 to %d", which, dir, result.Hierarchies))
		}
		levels, err := c.ClusterLevels(which - 1)
		if err != nil {
			return inFile(dir, err)
		}
		result.Levels, err = c.Health(which - 1)
		if err != nil {
			return inFile(dir, err)
		}
		var data *datasets.Dataset
		// Pixels have no names worth showing. The names of joints and sensors are shown in files only.
		if c.Spec.Grid == nil || out.path != "" && (datasets.IsFile(c.Data) || c.Spec.Parts != nil) {
			data, err = s.dataOf(cmd, c.Metadata, c.Graph, dir, dataDir, "")
			if err != nil {
				lack := "names"
				if c.Spec.NodeNames != nil {
					lack = "coordinates, if they had any"
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "nodes are shown without %s: %v\n", lack, err)
			}
		}
		view := clusters.New(c, levels, data)
		result.Words = view.Words()
		err = cmd.Context().Err()
		if err == nil && out.path != "" {
			result.Files, err = view.Write(out.path)
		}
		if err != nil {
			return err
		}
		return s.print(cmd, result, render("clusters", result))
	}
	return cmd
}
