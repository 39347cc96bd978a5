package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/spf13/cobra"
)

// largeExport is the size of the features from which on it is worth a warning.
const largeExport = 100_000_000

// exportJSON is what `ccp data export --json` prints.
type exportJSON struct {
	File    string `json:"file"`
	Samples int    `json:"samples"`
	Bytes   int64  `json:"bytes"`   // of the file
	Dense   int64  `json:"dense"`   // of the features in memory
	Command string `json:"command"` // to train on it
}

func newDataExport(s *shared) *cobra.Command {
	var o datasets.Options
	var dataDir string
	var out target
	cmd := &cobra.Command{
		Use:   "export NAME|FILE.npz --npz FILE",
		Short: "Write a prepared data set as an .npz file, for numpy and for ccp",
		Long: `Write a prepared data set as one .npz file: features [samples, nodes, channels] in raw
units, labels, split (0 train, 1 validation, 2 test), class_names, edges and weights of the
graph, and node_names, coordinates, grid and groups where there are any. numpy.load reads it,
and so does ccp train --data FILE.`,
		Example: "  ccp data export digits --npz digits.npz",
		Args:    oneArg("NAME or FILE.npz"),
	}
	out.fileFlags(cmd, "npz")
	dataDirFlag(cmd, &dataDir)
	graphFlags(cmd.Flags(), &o.KNN, &o.Seed, &o.Validation)
	formFlags(cmd.Flags(), &o.Protocol, &o.TFIDF, &o.Vectors)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if !strings.HasSuffix(strings.ToLower(out.path), ".npz") {
			return usage(cmd, fmt.Errorf("--npz %q: the name must end in .npz", out.path))
		}
		if err := out.free(); err != nil {
			return err
		}
		d, err := s.loadData(cmd, names[0], dataDir, o)
		if err != nil {
			return err
		}
		status := newStatusLine(cmd.ErrOrStderr())
		if size := d.ExportSize(); size >= largeExport {
			status.notice(fmt.Sprintf("the features are dense: %s in memory when they are read; the file is compressed", text.Megabytes(size)))
		}
		ctx, end := untilSignal(cmd, status.clear)
		defer end()
		err = d.Export(ctx, out.path, func(done float64) { status.loading("writing "+out.path, done) })
		if status.clear(); err != nil {
			return err
		}
		info, err := os.Stat(out.path)
		if err != nil {
			return err
		}
		result := exportJSON{out.path, len(d.Train) + len(d.Validation) + len(d.Test), info.Size(), d.ExportSize(), trainOn(out.path, "")}
		return s.print(cmd, result, fmt.Sprintf("%s: %s, %s; try: %s\n", out.path, samplesOf(result.Samples, d.Nodes, d.Channels), text.Megabytes(result.Bytes), result.Command))
	}
	return cmd
}
