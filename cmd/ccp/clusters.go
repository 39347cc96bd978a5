//go:build !lean

package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
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
	Words       []clusterWords     `json:"words"` // empty where nodes have no names, or lie on a grid
	Files       []string           `json:"files"` // that were written, in Folder
	Folder      string             `json:"-"`
}

// clustersCommand is `ccp clusters` with the values of its flags.
type clustersCommand struct {
	*shared
	checkpoint, dataDir string
	out                 target
	hierarchy           int // which to show, from 1
}

// newClusters returns `ccp clusters`, which shows the clusters that a checkpoint has learned.
func newClusters(s *shared) *cobra.Command {
	c := &clustersCommand{shared: s}
	cmd := command("clusters", "")
	checkpointFlag(cmd, &c.checkpoint)
	c.out.folderFlags(cmd, "CSV files and pictures")
	numberVar(cmd.Flags(), &c.hierarchy, "hierarchy", 1, 1, math.MaxInt,
		"which hierarchy to show, counted from 1, of a model with several")
	dataDirFlag(cmd, &c.dataDir)
	cmd.RunE = c.run
	return cmd
}

// run prints the clusters of a checkpoint and, if a folder is named, writes them as tables and pictures.
func (c *clustersCommand) run(cmd *cobra.Command, _ []string) error {
	stopped := untilSignal(cmd, func() {})
	defer stopped()
	err := c.out.free()
	if err != nil {
		return err
	}
	classifier, err := c.load(cmd, c.checkpoint, 0)
	if err != nil {
		return err
	}
	result := clustersJSON{Command: "clusters", Checkpoint: c.checkpoint, Snapshot: classifier.Snapshot,
		Data:      classifier.Data,
		Hierarchy: c.hierarchy, Hierarchies: classifier.Spec.Hierarchies(), Files: []string{}, Folder: c.out.path}
	if classifier.Spec.Clusters() && c.hierarchy > result.Hierarchies {
		return usage(cmd, fmt.Errorf("--hierarchy %d: %s has hierarchies 1 to %d", c.hierarchy, c.checkpoint,
			result.Hierarchies))
	}
	levels, err := classifier.ClusterLevels(c.hierarchy - 1)
	if err != nil {
		return inFile(c.checkpoint, withReason(c.checkpoint, err))
	}
	result.Levels, err = classifier.Health(c.hierarchy - 1)
	if err != nil {
		return inFile(c.checkpoint, err)
	}
	view := viewClusters(classifier, levels, c.nodes(cmd, classifier))
	result.Words = view.listed()
	err = cmd.Context().Err()
	if err == nil && c.out.path != "" {
		result.Files, err = view.write(c.out.path)
	}
	if err != nil {
		return err
	}
	return c.print(cmd, result, render("clusters", result))
}

// withReason adds to an error why a checkpoint has no network, if it is that and the training says why.
func withReason(dir string, err error) error {
	result, unread := training.ReadResult(dir)
	if unread != nil || result.NoNetwork == "" || !errors.Is(err, models.ErrNoNetwork) {
		return err
	}
	return fmt.Errorf("%w; %s", err, result.NoNetwork)
}

// nodes returns the data set that the names and places of the nodes are taken from, or nil: pixels have no names worth
// showing, and those of joints and sensors are shown in files only.
func (c *clustersCommand) nodes(cmd *cobra.Command, classifier *models.Classifier) *datasets.Dataset {
	spec := classifier.Spec
	inFiles := c.out.path != "" && (datasets.IsFile(classifier.Data) || spec.Parts != nil)
	if spec.Grid != nil && !inFiles {
		return nil
	}
	data, err := c.dataOf(cmd, classifier.Metadata, classifier.Graph, c.checkpoint, c.dataDir, "")
	if err != nil {
		lack := "names"
		if spec.NodeNames != nil {
			lack = "coordinates, if they had any"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "nodes are shown without %s: %v\n", lack, err)
	}
	return data
}
