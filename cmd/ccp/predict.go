package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

func newPredict(s *shared) *cobra.Command {
	var dir string
	var out target
	var top int
	cmd := command("predict", "")
	cmd.Args = atLeastOne("INPUT is needed: a file or a folder of recordings, or a numpy file of features")
	checkpointFlag(cmd, &dir)
	out.flags(cmd, "out", "`FILE` to write (default: the standard output)", "the file if it exists")
	numberVar(cmd.Flags(), &top, "top", 0, 0, math.MaxInt, "the `K` most probable classes of each, instead of all")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		if err := out.free(); err != nil {
			return err
		}
		classifier, err := s.load(cmd, dir)
		if err != nil {
			return err
		}
		names, predictions, err := predict(cmd, classifier, inputs)
		if err != nil {
			return inFile(inputs[0], err)
		}
		var warnings []string
		for i, p := range predictions {
			if p.Warnings != nil {
				warnings = append(warnings, names[i]+": "+strings.Join(p.Warnings, "; "))
			}
		}
		tell(cmd, "warning", warnings)
		write := predictionTable
		if s.json {
			write = predictionLines
		}
		text, err := write(names, classifier.ClassNames, predictions, top)
		if err != nil {
			return err
		}
		if out.path != "" {
			return files.WriteBytes(out.path, text)
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}
	return cmd
}

// atLeastOne lets a command take arguments, and says what is missing if there are none.
func atLeastOne(missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(cmd, fmt.Errorf("%s", missing))
		}
		return nil
	}
}

// predict reads and classifies features in a numpy file, or else recordings. It returns the name of each.
func predict(cmd *cobra.Command, c *models.Classifier, inputs []string) (names []string, _ []models.Prediction, _ error) {
	extension := strings.ToLower(filepath.Ext(inputs[0]))
	if len(inputs) == 1 && (extension == ".npz" || extension == ".npy") {
		names, signals, err := readSignals(inputs[0], c.Spec)
		if err == nil {
			predictions, err := c.Classify(cmd.Context(), signals)
			return names, predictions, err
		}
		if extension == ".npz" || c.Form == nil {
			return nil, nil, err
		}
	}
	if c.Form == nil {
		return nil, nil, models.ErrNoForm
	}
	all, notes, err := recordings.ReadUnlabelled(cmd.Context(), inputs, c.Form, cmd.InOrStdin())
	if err != nil {
		return nil, nil, err
	}
	tell(cmd, "note", notes)
	for _, r := range all {
		names = append(names, r.Name)
	}
	predictions, err := c.ClassifyRecording(cmd.Context(), all...)
	return names, predictions, err
}

// tell writes the first few of some lines to stderr.
func tell(cmd *cobra.Command, kind string, lines []string) {
	const most = 5
	for _, line := range lines[:min(most, len(lines))] {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", kind, line)
	}
	if len(lines) > most {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: and %d more such lines\n", kind, len(lines)-most)
	}
}

// predictionLines writes a line of JSON for each prediction.
func predictionLines(names, classes []string, predictions []models.Prediction, top int) (text []byte, err error) {
	for i, p := range predictions {
		raw, err := json.Marshal(serve.AnswerOf(names[i], p, classes, top))
		if err != nil {
			return nil, err
		}
		text = append(append(text, raw...), '\n')
	}
	return text, nil
}

// predictionTable writes a CSV: the name, the class, its probability, and a column for each class. With top it has two
// columns for each further place instead: the class and its probability.
func predictionTable(names, classes []string, predictions []models.Prediction, top int) ([]byte, error) {
	head := []string{"name", "class", "probability"}
	if top == 0 {
		head = append(head, classes...)
	}
	for place := 2; place <= min(top, len(classes)); place++ {
		head = append(head, fmt.Sprintf("class_%d", place), fmt.Sprintf("probability_%d", place))
	}
	rows := [][]string{head}
	share := func(p float64) string { return strconv.FormatFloat(p, 'g', 7, 64) }
	for i, p := range predictions {
		row := []string{names[i], p.Name, share(p.Probability)}
		if top == 0 {
			for _, probability := range p.Probabilities {
				row = append(row, share(probability))
			}
		} else {
			for _, class := range serve.Ranked(p.Probabilities, top)[1:] {
				row = append(row, classes[class], share(p.Probabilities[class]))
			}
		}
		rows = append(rows, row)
	}
	var text bytes.Buffer
	err := csv.NewWriter(&text).WriteAll(rows)
	return text.Bytes(), err
}

// readSignals reads the signals of a file, each `[nodes, channels]` row-major, and their names. It checks that they fit
// the model.
func readSignals(path string, spec models.Spec) (names []string, signals [][]float32, err error) {
	array, names, err := readFeatures(path)
	if err != nil {
		return nil, nil, err
	}
	fits := len(array.Shape) == 3 && array.Shape[1] == spec.Nodes && array.Shape[2] == spec.Channels ||
		len(array.Shape) == 2 && array.Shape[1] == spec.Nodes && spec.Channels == 1
	if !fits {
		return nil, nil, fmt.Errorf("array features has shape %v; the model needs [samples, %d, %d]", array.Shape, spec.Nodes,
			spec.Channels)
	}
	values, err := array.Float32s()
	if err != nil {
		return nil, nil, fmt.Errorf("features: %w; store them as such (features.astype(numpy.float32))", err)
	}
	signals = slices.Collect(slices.Chunk(values, spec.Nodes*spec.Channels))
	if len(names) != len(signals) {
		names = nil
		for i := range signals {
			names = append(names, strconv.Itoa(i))
		}
	}
	return names, signals, nil
}

// readFeatures reads the array of an .npy file, or features and sample_names of an .npz file.
func readFeatures(path string) (features *npz.Array, names []string, err error) {
	if !strings.HasSuffix(strings.ToLower(path), ".npz") {
		features, err = npz.ReadNPYFile(path)
		return features, nil, err
	}
	file, err := npz.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if !file.Has("features") {
		return nil, nil, fmt.Errorf("there is no array features; store the signals as features [samples, nodes, channels] "+
			"(the file has %s)", strings.Join(file.Names(), ", "))
	}
	if file.Has("sample_names") {
		if array, err := file.Array("sample_names"); err == nil {
			names, _ = array.Strings() // else their numbers do
		}
	}
	features, err = file.Array("features")
	return features, names, err
}
