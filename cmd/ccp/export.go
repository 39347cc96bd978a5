package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/export"
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
	var dir, format, file string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "export --checkpoint DIR --out FILE.onnx|FILE.npz",
		Short: "Write a trained classifier for programs that know nothing of ccp",
		Long: `Write the frozen classifier as constants: an ONNX model, which makes "probabilities" and
"logits" [batch, classes] of "signals" [batch, nodes, channels] in raw units, or an .npz of
numpy arrays, with which examples/predict.py classifies in 30 lines. docs/export.md describes
both.`,
		Example: "  ccp export --checkpoint runs/digits-ccp-1 --out digits.onnx",
		Args:    noArgs,
	}
	checkpointFlag(cmd, &dir)
	f := cmd.Flags()
	f.StringVar(&file, "out", "", "`FILE` to write")
	f.StringVar(&format, "format", "", "`NAME` of the format: onnx or npz (default: the ending of FILE)")
	f.BoolVar(&overwrite, "overwrite", false, "replace the file if it exists")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if file == "" {
			return usage(cmd, errors.New("--out FILE is needed"))
		}
		formats := []string{"onnx", "npz"}
		if ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), "."); format == "" && slices.Contains(formats, ending) {
			format = ending
		} else if format == "" {
			return usage(cmd, fmt.Errorf("--out %q ends in neither .onnx nor .npz; give --format onnx or npz", file))
		} else if !slices.Contains(formats, format) {
			return usage(cmd, fmt.Errorf("--format %q is neither onnx nor npz", format))
		}
		if _, err := os.Stat(file); err == nil && !overwrite {
			return fmt.Errorf("%s exists; --overwrite replaces it", file)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
		if err := write(file); err != nil {
			return err
		}
		return s.printNetwork(cmd, file, format, network)
	}
	return cmd
}

func (s *shared) printNetwork(cmd *cobra.Command, file, format string, n *export.Network) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if s.json {
		return printJSON(cmd.OutOrStdout(), networkJSON{file, format, info.Size(), n.Nodes, n.Channels, n.ClassNames})
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, signals [batch, %d, %d], %d classes, %s\n", file, format, n.Nodes, n.Channels,
		n.Classes(), megabytes(info.Size()))
	return err
}
