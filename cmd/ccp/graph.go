package main

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/spf13/cobra"
)

func newGraphBuild(s *shared) *cobra.Command {
	var points, from, metric string
	var out target
	var height, width, nodes, edges, neighbours, k int
	var seed uint64
	cmd := command("graph build", "")
	f := cmd.Flags()
	pairVar(f, &height, &width, "grid", "grid of `HEIGHTxWIDTH` nodes")
	f.IntVar(&neighbours, "neighbours", 8, "`N` neighbours of a grid's node: 4 or 8")
	f.StringVar(&points, "points", "", "`FILE.npy` of points [nodes, dimensions] to join with their nearest neighbours")
	f.IntVar(&k, "knn", 16, "`K` neighbours of each point")
	choiceVar(f, &metric, "metric", "euclidean", "`KIND` of distance between points: euclidean or cosine", "euclidean", "cosine")
	pairVar(f, &nodes, &edges, "random", "random connected graph of `NODESxEDGES`")
	f.Uint64Var(&seed, "seed", 1, "`SEED` of a random graph")
	f.StringVar(&from, "from", "", "graph `FILE` to convert")
	out.fileFlags(cmd, "out")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		kind := map[string]affinity.Metric{"euclidean": affinity.Euclidean, "cosine": affinity.Cosine}[metric]
		var asked []func() (*affinity.Matrix, error)
		for name, build := range map[string]func() (*affinity.Matrix, error){
			"grid":   func() (*affinity.Matrix, error) { return affinity.Grid(height, width, neighbours) },
			"random": func() (*affinity.Matrix, error) { return affinity.RandomConnected(nodes, edges, seed) },
			"points": func() (*affinity.Matrix, error) { return knnOf(points, k, kind) },
			"from":   func() (*affinity.Matrix, error) { return affinity.ReadFile(from) },
		} {
			if f.Changed(name) {
				asked = append(asked, build)
			}
		}
		if len(asked) != 1 {
			return usage(cmd, fmt.Errorf("one of --grid, --points, --random, --from is needed, there are %d", len(asked)))
		}
		if err := out.free(); err != nil {
			return err
		}
		m, err := asked[0]()
		if err != nil {
			return err
		}
		if err := m.WriteFile(out.path); err != nil {
			return err
		}
		return s.print(cmd, m.Stats(), fmt.Sprintf("%s: %s, %s\n", out.path, text.Count(m.N(), "node"), text.Count(m.Edges(), "edge")))
	}
	return cmd
}

// knnOf joins the points of a numpy file, `[nodes, dimensions]`, with their nearest neighbours.
func knnOf(path string, k int, metric affinity.Metric) (_ *affinity.Matrix, err error) {
	defer func() { err = inFile(path, err) }()
	array, err := npz.ReadNPYFile(path)
	if err != nil {
		return nil, err
	}
	if len(array.Shape) != 2 {
		return nil, fmt.Errorf("the array has shape %v; points are [nodes, dimensions]", array.Shape)
	}
	values, err := array.Floats()
	if err != nil {
		return nil, err
	}
	return affinity.KNN(values, array.Shape[0], array.Shape[1], k, metric)
}

func newGraphStats(s *shared) *cobra.Command {
	cmd := command("graph stats", "FILE")
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		m, err := affinity.ReadFile(paths[0])
		if err != nil {
			return err
		}
		return s.print(cmd, m.Stats(), fmt.Sprint(m.Stats()))
	}
	return cmd
}
