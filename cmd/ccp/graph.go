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
		Args:    args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGraphBuild(s), newGraphStats(s))
	return cmd
}

func newGraphBuild(s *shared) *cobra.Command {
	var grid, points, random, edges, metric, out string
	var neighbours, k int
	var seed uint64
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "build --out FILE",
		Short: "Write a graph: a grid, nearest neighbours of points, a random one, or another file's",
		Long: `Build one graph and write it. The ending of FILE chooses the format: .npz (as scipy's
save_npz), .mtx (Matrix Market) or .csv, .tsv, .txt (edge list), each also with .gz but .npz.`,
		Example: "  ccp graph build --grid 32x32 --neighbours 8 --out grid.npz\n  ccp graph build --points coordinates.npy --knn 16 --metric cosine --out knn.mtx",
		Args:    args(cobra.NoArgs),
	}
	f := cmd.Flags()
	f.StringVar(&grid, "grid", "", "grid of HEIGHTxWIDTH nodes")
	f.IntVar(&neighbours, "neighbours", 8, "of a grid's node: 4 or 8")
	f.StringVar(&points, "points", "", ".npy file of points [nodes, dimensions] to join with their nearest neighbours")
	f.IntVar(&k, "knn", 16, "neighbours of each point")
	f.StringVar(&metric, "metric", "euclidean", "distance of points: euclidean or cosine")
	f.StringVar(&random, "random", "", "random connected graph of NODESxEDGES")
	f.Uint64Var(&seed, "seed", 1, "seed of a random graph")
	f.StringVar(&edges, "from", "", "graph file to convert")
	f.StringVar(&out, "out", "", "file to write")
	f.BoolVar(&overwrite, "overwrite", false, "replace the file if it exists")
	cmd.MarkFlagsMutuallyExclusive("grid", "points", "random", "from")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if out == "" {
			return usage(cmd, errors.New("--out FILE is needed"))
		}
		if _, err := os.Stat(out); err == nil && !overwrite {
			return fmt.Errorf("%s exists; --overwrite replaces it", out)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var m *affinity.Matrix
		var err error
		switch {
		case grid != "":
			var h, w int
			if h, w, err = parsePair(grid); err != nil {
				return usage(cmd, fmt.Errorf("--grid %w", err))
			}
			m, err = affinity.Grid(h, w, neighbours)
		case random != "":
			var n, e int
			if n, e, err = parsePair(random); err != nil {
				return usage(cmd, fmt.Errorf("--random %w", err))
			}
			m, err = affinity.RandomConnected(n, e, seed)
		case points != "":
			m, err = knnOf(points, k, metric)
		case edges != "":
			m, err = affinity.ReadFile(edges)
		default:
			return usage(cmd, errors.New("one of --grid, --points, --random, --from is needed"))
		}
		if err != nil {
			return err
		}
		if err := m.WriteFile(out); err != nil {
			return err
		}
		if s.json {
			return printJSON(cmd.OutOrStdout(), m.Stats())
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s nodes, %s edges\n", out, thousands(m.N()), thousands(m.Edges()))
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

func knnOf(path string, k int, metric string) (*affinity.Matrix, error) {
	kinds := map[string]affinity.Metric{"euclidean": affinity.Euclidean, "cosine": affinity.Cosine}
	kind, ok := kinds[metric]
	if !ok {
		return nil, fmt.Errorf("metric %q is neither euclidean nor cosine", metric)
	}
	array, err := npz.ReadNPYFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(array.Shape) != 2 {
		return nil, fmt.Errorf("%s: the array has shape %v; points are [nodes, dimensions]", path, array.Shape)
	}
	values, err := array.Floats()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return affinity.KNN(values, array.Shape[0], array.Shape[1], k, kind)
}

func newGraphStats(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "stats FILE",
		Short:   "Nodes, edges, degrees and components of a graph file",
		Example: "  ccp graph stats grid.npz",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, paths []string) error {
			m, err := affinity.ReadFile(paths[0])
			if err != nil {
				return err
			}
			if s.json {
				return printJSON(cmd.OutOrStdout(), m.Stats())
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), m.Stats())
			return err
		},
	}
}
