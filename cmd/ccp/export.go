package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/export"
	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/spf13/cobra"
)

// networkJSON is what `ccp export --json` prints.
type networkJSON struct {
	File       string   `json:"file"`
	Format     string   `json:"format"`
	Bytes      int64    `json:"bytes"`
	Nodes      int      `json:"nodes"`    // of a signal
	Channels   int      `json:"channels"` // of a signal
	ClassNames []string `json:"class_names"`
}

func newExport(s *shared) *cobra.Command {
	var dir, format string
	var out target
	cmd := command("export", "")
	checkpointFlag(cmd, &dir)
	out.fileFlags(cmd, "out")
	formats := []string{"onnx", "npz"}
	choiceVar(cmd.Flags(), &format, "format", "", "`NAME` of the format: onnx or npz (default: the ending of FILE)", formats...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if format == "" {
			format = strings.TrimPrefix(strings.ToLower(filepath.Ext(out.path)), ".")
		}
		if !slices.Contains(formats, format) {
			return usage(cmd, fmt.Errorf("--out %q ends in neither .onnx nor .npz; give --format onnx or npz", out.path))
		}
		if err := out.free(); err != nil {
			return err
		}
		classifier, err := s.load(cmd, dir)
		if err != nil {
			return err
		}
		network, err := export.Fold(classifier)
		if err != nil {
			return inFile(dir, err)
		}
		write := network.WriteONNX
		if format == "npz" {
			write = network.WriteNPZ
		}
		if err := write(out.path); err != nil {
			return err
		}
		info, err := os.Stat(out.path)
		if err != nil {
			return err
		}
		return s.print(cmd, networkJSON{out.path, format, info.Size(), network.Nodes, network.Channels, network.ClassNames},
			fmt.Sprintf("%s: %s, signals [batch, %d, %d], %d classes, %s\n", out.path, format, network.Nodes, network.Channels, network.Classes(), text.Megabytes(info.Size())))
	}
	return cmd
}
