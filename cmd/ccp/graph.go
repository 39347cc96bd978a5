package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/spf13/cobra"
)

func newGraph(s *shared) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "graph",
		Short:   "Build graphs and look at them",
		Example: "  ccp graph build --grid 32x32 --out grid.npz\n  ccp graph stats grid.npz",
	}
	group(cmd)
	cmd.AddCommand(newGraphBuild(s), newGraphStats(s))
	return cmd
}

func newGraphBuild(s *shared) *cobra.Command {
	var grid, points, random, from, metric, out string
	var neighbours, k int
	var seed uint64
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "build --out FILE",
		Short: "Write a graph: a grid, nearest neighbours of points, a random one, or another file's",
		Long: `Build one graph and write it. The ending of FILE chooses the format: .npz (as scipy's
save_npz), .mtx (Matrix Market) or .csv, .tsv, .txt (edge list), each also with .gz but .npz.`,
		Example: "  ccp graph build --grid 32x32 --neighbours 8 --out grid.npz\n  ccp graph build --points coordinates.npy --knn 16 --metric cosine --out knn.mtx",
		Args:    noArgs,
	}
	f := cmd.Flags()
	f.StringVar(&grid, "grid", "", "grid of `HEIGHTxWIDTH` nodes")
	f.IntVar(&neighbours, "neighbours", 8, "`N` neighbours of a grid's node: 4 or 8")
	f.StringVar(&points, "points", "", "`FILE.npy` of points [nodes, dimensions] to join with their nearest neighbours")
	f.IntVar(&k, "knn", 16, "`K` neighbours of each point")
	f.StringVar(&metric, "metric", "euclidean", "`KIND` of distance between points: euclidean or cosine")
	f.StringVar(&random, "random", "", "random connected graph of `NODESxEDGES`")
	f.Uint64Var(&seed, "seed", 1, "`SEED` of a random graph")
	f.StringVar(&from, "from", "", "graph `FILE` to convert")
	f.StringVar(&out, "out", "", "`FILE` to write")
	f.BoolVar(&overwrite, "overwrite", false, "replace the file if it exists")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if out == "" {
			return usage(cmd, errors.New("--out FILE is needed"))
		}
		var asked []string
		for _, name := range []string{"grid", "points", "random", "from"} {
			if f.Changed(name) {
				asked = append(asked, "--"+name)
			}
		}
		if len(asked) != 1 {
			return usage(cmd, fmt.Errorf("one of --grid, --points, --random, --from is needed, there are %d", len(asked)))
		}
		var build func() (*affinity.Matrix, error)
		switch asked[0] {
		case "--grid":
			h, w, err := parsePair(grid)
			if err != nil {
				return usage(cmd, fmt.Errorf("--grid %w", err))
			}
			build = func() (*affinity.Matrix, error) { return affinity.Grid(h, w, neighbours) }
		case "--random":
			n, e, err := parsePair(random)
			if err != nil {
				return usage(cmd, fmt.Errorf("--random %w", err))
			}
			build = func() (*affinity.Matrix, error) { return affinity.RandomConnected(n, e, seed) }
		case "--points":
			kind, ok := map[string]affinity.Metric{"euclidean": affinity.Euclidean, "cosine": affinity.Cosine}[metric]
			if !ok {
				return usage(cmd, fmt.Errorf("--metric %q is neither euclidean nor cosine", metric))
			}
			build = func() (*affinity.Matrix, error) { return knnOf(points, k, kind) }
		case "--from":
			build = func() (*affinity.Matrix, error) { return affinity.ReadFile(from) }
		}
		if _, err := os.Stat(out); err == nil && !overwrite {
			return fmt.Errorf("%s exists; --overwrite replaces it", out)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		m, err := build()
		if err != nil {
			return err
		}
		if err := m.WriteFile(out); err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), m.Stats())
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s\n", out, count(m.N(), "node"), count(m.Edges(), "edge"))
		return err
	}
	return cmd
}

// parsePair reads two whole numbers written AxB.
func parsePair(text string) (a, b int, err error) {
	left, right, _ := strings.Cut(text, "x")
	a, errA := strconv.Atoi(left)
	b, errB := strconv.Atoi(right)
	if errA != nil || errB != nil || a < 1 || b < 0 {
		return 0, 0, fmt.Errorf("%q is not two whole numbers such as 32x32", text)
	}
	return a, b, nil
}

// knnOf joins the points of a numpy file, `[nodes, dimensions]`, with their nearest neighbours.
func knnOf(path string, k int, metric affinity.Metric) (*affinity.Matrix, error) {
	array, err := npz.ReadNPYFile(path)
	if err != nil {
		return nil, inFile(path, err)
	}
	if len(array.Shape) != 2 {
		return nil, fmt.Errorf("%s: the array has shape %v; points are [nodes, dimensions]", path, array.Shape)
	}
	values, err := array.Floats()
	if err != nil {
		return nil, inFile(path, err)
	}
	m, err := affinity.KNN(values, array.Shape[0], array.Shape[1], k, metric)
	if err != nil {
		return nil, inFile(path, err)
	}
	return m, nil
}

func newGraphStats(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "stats FILE",
		Short:   "Nodes, edges, degrees and components of a graph file",
		Example: "  ccp graph stats grid.npz",
		Args:    oneArg("FILE"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			m, err := affinity.ReadFile(paths[0])
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), m.Stats())
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), m.Stats())
			return err
		},
	}
}
