package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

// predictionJSON is a line of `ccp predict --json`.
type predictionJSON struct {
	Index       int     `json:"index"`
	Class       int     `json:"class"`
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
}

func newPredict(s *shared) *cobra.Command {
	var dir string
	cmd := command("predict", "FILE.npy or FILE.npz")
	checkpointFlag(cmd, &dir)
	cmd.RunE = func(cmd *cobra.Command, paths []string) error {
		classifier, err := s.load(cmd, dir)
		if err != nil {
			return err
		}
		signals, err := readSignals(paths[0], classifier.Spec)
		if err != nil {
			return inFile(paths[0], err)
		}
		predictions, err := classifier.Classify(cmd.Context(), signals)
		if err != nil {
			return inFile(paths[0], err)
		}
		for i, p := range predictions {
			text := fmt.Sprintf("%d\t%s\t%.4f\n", i, p.Name, p.Probability)
			if err := s.print(cmd, predictionJSON{i, p.Class, p.Name, p.Probability}, text); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// readSignals reads the signals of a file, each `[nodes, channels]` row-major. It checks that they fit the model.
func readSignals(path string, spec models.Spec) ([][]float32, error) {
	array, err := readFeatures(path)
	if err != nil {
		return nil, err
	}
	fits := len(array.Shape) == 3 && array.Shape[1] == spec.Nodes && array.Shape[2] == spec.Channels ||
		len(array.Shape) == 2 && array.Shape[1] == spec.Nodes && spec.Channels == 1
	if !fits {
		return nil, fmt.Errorf("array features has shape %v; the model needs [samples, %d, %d]", array.Shape, spec.Nodes,
			spec.Channels)
	}
	values, err := array.Float32s()
	if err != nil {
		return nil, fmt.Errorf("features: %w; store them as such (features.astype(numpy.float32))", err)
	}
	return slices.Collect(slices.Chunk(values, spec.Nodes*spec.Channels)), nil
}

func readFeatures(path string) (*npz.Array, error) {
	if !strings.HasSuffix(strings.ToLower(path), ".npz") {
		return npz.ReadNPYFile(path)
	}
	file, err := npz.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !file.Has("features") {
		return nil, fmt.Errorf("there is no array features; store the signals as features [samples, nodes, channels] "+
			"(the file has %s)", strings.Join(file.Names(), ", "))
	}
	return file.Array("features")
}
