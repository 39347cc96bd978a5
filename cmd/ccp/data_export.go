package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

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
	var dataDir, file string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "export NAME|FILE.npz --npz FILE",
		Short: "Write a prepared data set as an .npz file, for numpy and for ccp",
		Long: `Write a prepared data set as one .npz file: features [samples, nodes, channels] in raw
units, labels, split (0 train, 1 validation, 2 test), class_names, edges and weights of the
graph, node_names and coordinates. numpy.load reads it, and so does ccp train --data FILE.`,
		Example: "  ccp data export digits --npz digits.npz",
		Args:    oneArg("NAME or FILE.npz"),
	}
	f := cmd.Flags()
	f.StringVar(&file, "npz", "", "`FILE` to write")
	f.BoolVar(&overwrite, "overwrite", false, "replace the file if it exists")
	dataDirFlag(cmd, &dataDir)
	addSplitFlags(f, &o)
	addDataFlags(f, &o.Protocol, &o.TFIDF, &o.Vectors)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		switch {
		case file == "":
			return usage(cmd, errors.New("--npz FILE is needed"))
		case !strings.HasSuffix(strings.ToLower(file), ".npz"):
			return usage(cmd, fmt.Errorf("--npz %q: the name must end in .npz", file))
		}
		if _, err := os.Stat(file); err == nil && !overwrite {
			return fmt.Errorf("%s exists; --overwrite replaces it", file)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		o.DataDir = dataFolder(dataDir)
		d, err := s.loadData(cmd, names[0], o)
		if err != nil {
			return err
		}
		status := newStatusLine(cmd.ErrOrStderr())
		if size := d.ExportSize(); size >= largeExport {
			status.notice(fmt.Sprintf("the features are dense: %s in memory when they are read; the file is packed", megabytes(size)))
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = d.Export(ctx, file, func(done float64) { status.progress("writing "+file, done, "") })
		status.clear()
		if err != nil {
			return err
		}
		return s.printExport(cmd, file, d)
	}
	return cmd
}

func (s *shared) printExport(cmd *cobra.Command, file string, d *datasets.Dataset) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	result := exportJSON{File: file, Samples: len(d.Train) + len(d.Validation) + len(d.Test), Bytes: info.Size(),
		Dense: d.ExportSize(), Command: self() + " " + commandLine("train", "--data", file)}
	if s.json {
		return printJSON(cmd.OutOrStdout(), result)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s of %s x %s, %s; try: %s\n", file, count(result.Samples, "sample"),
		count(d.Nodes, "node"), count(d.Channels, "channel"), megabytes(result.Bytes), result.Command)
	return err
}
