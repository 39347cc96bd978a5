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
	out.flags(cmd.Flags(), "`FILE` to write", "the file if it exists")
	_ = cmd.MarkFlagRequired("out") // there is that flag
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		defer untilSignal(cmd, func() {})()
		if !strings.EqualFold(filepath.Ext(out.path), ".onnx") {
			return usage(cmd, fmt.Errorf("--out %q: the name must end in .onnx", out.path))
		}
		if err := out.free(); err != nil {
			return err
		}
		classifier, err := s.load(cmd, dir, true)
		if err != nil {
			return err
		}
		network, err := export.Fold(classifier)
		if err != nil {
			return inFile(dir, err)
		}
		if err := network.WriteONNX(out.path); err != nil {
			return err
		}
		info, err := os.Stat(out.path)
		if err != nil {
			return err
		}
		// nodes and channels are the shape of a signal
		result := map[string]any{"file": out.path, "format": "onnx", "bytes": info.Size(),
			"nodes": network.Spec.Nodes, "channels": network.Spec.Channels, "class_names": network.ClassNames}
		return s.print(cmd, result, render("export", result))
	}
	return cmd
}
