package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/spf13/cobra"
)

// largeExport is the least size of the features, in bytes, that is worth a warning.
const largeExport = 100_000_000

func newDataExport(s *shared) *cobra.Command {
	var o datasets.Options
	var dataDir string
	var out target
	cmd := command("data export", "NAME or FILE.npz")
	out.fileFlags(cmd, "npz")
	dataDirFlag(cmd, &dataDir)
	graphFlags(cmd.Flags(), &o.KNN, &o.Seed, &o.Validation)
	formFlags(cmd.Flags(), &o.Protocol, &o.TFIDF)
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
			status.notice(fmt.Sprintf("the features are dense: %s in memory when they are read; the file is compressed",
				text.Megabytes(size)))
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
		samples, next := len(d.Train)+len(d.Validation)+len(d.Test), trainOn(out.path, "")
		result := map[string]any{"file": out.path, "samples": samples, "bytes": info.Size(), "dense": d.ExportSize(),
			"command": next}
		return s.print(cmd, result, fmt.Sprintf("%s: %s, %s; try: %s\n", out.path, samplesOf(samples, d.Nodes, d.Channels),
			text.Megabytes(info.Size()), next))
	}
	return cmd
}
