package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/export"
	"github.com/spf13/cobra"
)

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
		result := map[string]any{"file": out.path, "format": format, "bytes": info.Size(), // the rest is of a signal
			"nodes": network.Spec.Nodes, "channels": network.Spec.Channels, "class_names": network.ClassNames}
		return s.print(cmd, result, render("export", result))
	}
	return cmd
}
