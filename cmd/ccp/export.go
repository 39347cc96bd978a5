package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/export"
	"github.com/spf13/cobra"
)

func newExport(s *shared) *cobra.Command {
	var dir string
	var out target
	cmd := command("export", "")
	checkpointFlag(cmd, &dir)
	out.fileFlags(cmd, "out")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		format := strings.TrimPrefix(strings.ToLower(filepath.Ext(out.path)), ".")
		if format != "onnx" && format != "npz" {
			return usage(cmd, fmt.Errorf("--out %q ends in neither .onnx nor .npz", out.path))
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
		// nodes and channels are the shape of a signal
		result := map[string]any{"file": out.path, "format": format, "bytes": info.Size(),
			"nodes": network.Spec.Nodes, "channels": network.Spec.Channels, "class_names": network.ClassNames}
		return s.print(cmd, result, render("export", result))
	}
	return cmd
}
