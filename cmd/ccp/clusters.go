package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

// clustersJSON is what `ccp clusters --json` prints.
type clustersJSON struct {
	Command    string               `json:"command"`
	Checkpoint string               `json:"checkpoint"`
	Snapshot   string               `json:"snapshot"`
	Data       string               `json:"data"`
	Levels     []models.LevelHealth `json:"levels"`
	Words      []clusterWords       `json:"words"` // empty where nodes have no names, or lie on a grid
	Files      []string             `json:"files"` // that were written
}

// clusterWords are the names of a cluster's most central nodes.
type clusterWords struct {
	Level   int      `json:"level"`
	Cluster int      `json:"cluster"`
	Nodes   int      `json:"nodes"`
	Words   []string `json:"words"`
}

// hierarchyView is a classifier's hierarchy with what is needed to show it.
type hierarchyView struct {
	*models.Classifier
	levels models.ClusterLevels
	inputs []models.Memberships // of the input nodes, by level
	grid   []int                // see models.Spec
	parts  [][]int
	names  []string  // of the input nodes; nil if they have none
	places []float64 // coordinates of the input nodes; nil if they have none
	least  float64   // membership that is written
}

func newClusters(s *shared) *cobra.Command {
	var dir, out, dataDir, values string
	var overwrite bool
	var least float64
	var level int
	cmd := &cobra.Command{
		Use:   "clusters --checkpoint DIR",
		Short: "Show the hierarchy of a trained classifier: its health, pictures, memberships",
		Long: `Print how each level of the hierarchy does, with a warning where clusters have collapsed. With
--out, write memberships and neighbourhoods as CSV, and pictures of the clusters over the image,
the skeleton or the graph. With --spread, map values of a level's clusters back to the input
nodes in place of that. docs/clusters.md explains the columns.`,
		Example: `  ccp clusters --checkpoint runs/digits-ccp-1
  ccp clusters --checkpoint runs/digits-ccp-1 --out clusters
  ccp clusters --checkpoint runs/digits-ccp-1 --spread values.npy --level 2 > nodes.csv`,
		Args: noArgs,
	}
	checkpointFlag(cmd, &dir)
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "`FOLDER` to write CSV files and pictures to")
	f.BoolVar(&overwrite, "overwrite", false, "replace files in the folder if it exists")
	f.Float64Var(&least, "least", 0.01, "least membership to write, beside each node's largest")
	f.StringVar(&values, "spread", "", "`FILE.npy` with a value, or a row of values, for each cluster of --level, to print for each node")
	f.IntVar(&level, "level", 1, "level of --spread, counted from 1")
	dataDirFlag(cmd, &dataDir)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !(least >= 0 && least <= 1) {
			return usage(cmd, fmt.Errorf("--least %g is outside [0, 1]", least))
		}
		if values != "" && out != "" {
			return usage(cmd, errors.New("--spread and --out are two different things to do; give one of them"))
		}
		if values == "" && cmd.Flags().Changed("level") {
			return usage(cmd, errors.New("--level is for --spread; all levels are shown without it"))
		}
		if err := freeFolder(out, overwrite); err != nil {
			return err
		}
		classifier, err := s.load(cmd, dir)
		if err != nil {
			return err
		}
		levels, err := classifier.ClusterLevels()
		if err != nil {
			return inFile(dir, err)
		}
		if values != "" {
			return s.spread(cmd, levels, level, values)
		}
		health, err := classifier.Health()
		if err != nil {
			return inFile(dir, err)
		}
		view := hierarchyView{Classifier: classifier, levels: levels, inputs: levels.Inputs(), grid: classifier.Spec.Grid, parts: classifier.Spec.Parts, least: least}
		if view.wantsNames(out != "") {
			view.describe(s, cmd, dir, dataDir)
		}
		result := clustersJSON{"clusters", dir, classifier.Snapshot, classifier.Data, health, view.words(), []string{}}
		if out != "" {
			if result.Files, err = view.write(out); err != nil {
				return err
			}
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), result)
		}
		result.print(cmd.OutOrStdout(), out)
		return nil
	}
	return cmd
}

// freeFolder says what stands in the way of writing into a folder; it need not exist.
func freeFolder(path string, overwrite bool) error {
	if path == "" {
		return nil
	}
	if err := files.CheckDirectory(path); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 && !overwrite {
		return fmt.Errorf("%s exists; --overwrite replaces its files", path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// wantsNames says whether the nodes' names would be shown: a pixel has none, and a joint's are for files only.
func (v hierarchyView) wantsNames(files bool) bool {
	return v.grid == nil || files && v.parts != nil
}

// describe takes what the checkpoint does not have from the data set: the nodes' names and coordinates, and their grid where the checkpoint is
// older than grids. Where the data set is not to be found there is a notice in place of it.
func (v *hierarchyView) describe(s *shared, cmd *cobra.Command, dir, dataDir string) {
	d, err := s.dataOf(cmd, v.Metadata, dir, dataDir)
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "nodes are shown without names: %v\n", err)
		return
	}
	v.names, v.grid, v.parts, v.places = d.NodeNames, d.Grid, d.Parts, d.Coordinates
}

func (r clustersJSON) print(w io.Writer, out string) {
	fmt.Fprintf(w, "%s, %s\n\n", r.Data, r.Snapshot)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "level\tnodes\tclusters\tin use\tL\tunselected\toverlap\tentropy\tC\tof\tgates\t")
	for _, l := range r.Levels {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d\t%.1f%%\t%.2f\t%.2f\t%.2f\t%g\t%.2f-%.2f\t\n", l.Level, l.Nodes, l.Clusters, l.InUse, l.Neighbours,
			100*l.Unselected, l.Overlap, l.Entropy, l.Objective, float64(l.Clusters)/2, l.GateLow, l.GateHigh)
	}
	table.Flush()
	fmt.Fprintln(w)
	healthy := true
	for _, l := range r.Levels {
		for _, warning := range l.Warnings {
			fmt.Fprintf(w, "warning: %s\n", warning)
			healthy = false
		}
	}
	if healthy {
		fmt.Fprintln(w, "No level has collapsed.")
	}
	for i, c := range r.Words {
		if i == 0 || r.Words[i-1].Level != c.Level {
			fmt.Fprintf(w, "\nmost central nodes of the clusters of level %d\n", c.Level)
		}
		fmt.Fprintf(w, "%4d  %s, of %d\n", c.Cluster, strings.Join(c.Words, " "), c.Nodes)
	}
	if len(r.Files) > 0 {
		fmt.Fprintf(w, "\n%s: %s\n", out, count(len(r.Files), "file"))
	}
}
