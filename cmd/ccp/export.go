package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/export"
	"github.com/spf13/cobra"
)

// newExport returns `ccp export`, which writes a checkpoint as ONNX with programs that use it.
func newExport(s *shared) *cobra.Command {
	var dir string
	var out target
	cmd := command("export", "")
	checkpointFlag(cmd, &dir)
	out.flags(cmd.Flags(), "`FILE` to write", "the file if it exists")
	_ = cmd.MarkFlagRequired("out") // there is that flag
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		stopped := untilSignal(cmd, func() {})
		defer stopped()
		format := strings.ToLower(strings.TrimPrefix(filepath.Ext(out.path), "."))
		if format != "onnx" && format != "c" {
			return usage(cmd, fmt.Errorf("--out %q: the name must end in .onnx or .c", out.path))
		}
		if err := out.free(); err != nil {
			return err
		}
		classifier, err := s.load(cmd, dir, 1)
		if err != nil {
			return err
		}
		if err := export.Write(out.path, classifier); err != nil {
			return inFile(dir, err)
		}
		info, err := os.Stat(out.path)
		if err != nil {
			return err
		}
		if classifier.Early != nil {
			tell(cmd, "note", []string{"early decisions stay in the checkpoint: what is exported predicts whole recordings"})
		}
		name, shape := export.Input(classifier)
		if format == "c" { // which takes one sample
			shape = shape[1:]
		}
		result := map[string]any{"file": out.path, "format": format, "bytes": info.Size(), "input": name, "shape": shape,
			"class_names": classifier.ClassNames}
		return s.print(cmd, result, render("export", result))
	}
	return cmd
}
