package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/support/xslices"
	"github.com/spf13/cobra"
)

func newPredict(s *shared) *cobra.Command {
	var dir string
	var out, figure target
	var top int
	var skips bool
	var reject float64
	var cut recording.Cut
	cmd := command("predict", "")
	cmd.Args = atLeastOne("INPUT is needed: a file or a folder of recordings, or a numpy file of features")
	checkpointFlag(cmd, &dir)
	out.flags(cmd.Flags(), "`FILE` to write (default: the standard output)", "the file if it exists")
	numberVar(cmd.Flags(), &top, "top", 0, 1, math.MaxInt, "the `K` most probable classes of each, instead of all")
	rejectFlag(cmd.Flags(), &reject)
	cmd.Flags().BoolVar(&skips, "skip", false, "leave out recordings that cannot be classified, and tell of them, instead of ending")
	cutFlags(cmd.Flags(), &cut)
	figureVar(cmd.Flags(), &figure.path, "`FILE.png` or .svg to draw into the probabilities of the windows by time")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		if cut.Window.Length == 0 && figure.path != "" {
			return usage(cmd, errors.New("--figure is of windows; give --window, too"))
		}
		defer untilSignal(cmd, func() {})()
		figure.overwrite = out.overwrite
		if err := cmp.Or(checkCut(cmd, cut), out.free(), figure.free()); err != nil {
			return err
		}
		about := func(err error) error { // one of several files is in the error
			if wrong, ok := errors.AsType[*serve.RecordingError](err); len(inputs) > 1 {
				return err
			} else if ok && wrong.Name == filepath.Base(inputs[0]) { // its only one
				err = wrong.Err
			}
			return inFile(inputs[0], err)
		}
		m, _, err := models.ReadMetadata(dir)
		if err != nil {
			return err
		}
		var skipped []string
		var skip serve.Skip
		if skips {
			skip = func(wrong *serve.RecordingError) { skipped = append(skipped, wrong.Error()) }
		}
		each, signals, err := readInputs(cmd, m, inputs, cut, figure.path != "", skip)
		if err != nil {
			return about(err)
		}
		classifier, err := s.load(cmd, dir, max(1, signals))
		if err != nil {
			return err
		}
		threshold := 0.
		if reject > 0 {
			threshold, err = classifier.Calibration.Threshold(reject)
			if err != nil {
				return usage(cmd, fmt.Errorf("--reject %g: %s: %w", reject, dir, err))
			}
		}
		var warnings []told
		rejected, classified := 0, 0
		var recorded string // what is drawn, its windows and their predictions
		var windows []recording.Window
		var drawn []models.Prediction
		screen := out.path == "" && newStatusLine(cmd.OutOrStdout()).screen != nil
		write := func(w io.Writer) error {
			rows, lines := csv.NewWriter(w), json.NewEncoder(w)
			err := each(func(p serve.Samples) error {
				predictions, err := serve.Classify(cmd.Context(), classifier, p.Signals)
				p, predictions, err = p.Without(predictions, err, skip)
				if err != nil || len(predictions) == 0 {
					return about(err)
				}
				warnings = warn(warnings, p, predictions)
				if figure.path != "" {
					recorded, windows, drawn = p.Names[0], append(windows, p.Windows...), append(drawn, predictions...)
				}
				rejected += serve.Reject(predictions, threshold)
				classified += len(predictions)
				if s.json {
					for i, one := range predictions {
						err = cmp.Or(err, lines.Encode(p.Prediction(i, one, classifier.ClassNames, top)))
					}
					return err
				}
				table := table(p, classifier.ClassNames, predictions, top)[min(1, classified-len(predictions)):] // one heading
				for i := 0; i < len(table) && screen; i++ {
					for k, cell := range table[i] {
						table[i][k] = text.Plain(cell)
					}
				}
				return rows.WriteAll(table)
			})
			if classified == 0 && skipped != nil && err == nil {
				err = fmt.Errorf("no recording can be classified; the first: %s", skipped[0])
			}
			return err
		}
		if out.path != "" {
			err = files.Write(out.path, write)
		} else {
			err = write(cmd.OutOrStdout())
		}
		if figure.path != "" && err == nil {
			err = drawWindows(figure.path, recorded, classifier.ClassNames, windows, drawn)
		}
		tell(cmd, "left out", skipped)
		tell(cmd, "warning", xslices.Map(warnings, told.String))
		if reject > 0 && err == nil {
			tell(cmd, "note", []string{fmt.Sprintf("%d of %d predictions are withheld, with probabilities below %.7g", rejected,
				classified, threshold)})
		}
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

// tell writes the first few of some lines to stderr.
func tell(cmd *cobra.Command, kind string, lines []string) {
	const most = 5
	for _, line := range lines[:min(most, len(lines))] {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", kind, text.Plain(line))
	}
	if len(lines) > most {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: and %d more such lines\n", kind, len(lines)-most)
	}
}

// table returns a heading and a row for each prediction: the name, start and end of a window, the class, its
// probability, and the probabilities of all classes. If top is set, the row ends with the class and the probability of
// each further place.
func table(inputs serve.Samples, classes []string, predictions []models.Prediction, top int) [][]string {
	rows := [][]string{{"name", "class", "probability"}}
	if inputs.Windows != nil {
		rows[0] = slices.Insert(rows[0], 1, "start", "end")
	}
	for _, class := range classes {
		if slices.Contains([]string{"name", "start", "end", "class", "probability"}, class) { // two columns would have one name
			class = "probability of " + class
		}
		if top == 0 {
			rows[0] = append(rows[0], class)
		}
	}
	for place := 2; place <= min(top, len(classes)); place++ {
		rows[0] = append(rows[0], fmt.Sprintf("class_%d", place), fmt.Sprintf("probability_%d", place))
	}
	share := func(p float64) string { return strconv.FormatFloat(p, 'g', 7, 64) }
	for i, p := range predictions {
		row := []string{inputs.Names[i]}
		if inputs.Windows != nil {
			w := inputs.Windows[i]
			row = append(row, recording.TimeText(w.Start), recording.TimeText(w.End))
		}
		row = append(row, p.Name, share(p.Probability))
		for place, k := range serve.Ranked(p.Probabilities, top) {
			switch {
			case top == 0:
				row = append(row, share(p.Probabilities[place]))
			case place > 0:
				row = append(row, classes[k], share(p.Probabilities[k]))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// readSignals reads signals on a graph in a numpy file, and their names. It checks that they fit the model.
func readSignals(path string, m models.Metadata) (names []string, signals [][]float32, err error) {
	var array *npz.Array
	if datasets.IsFile(path) {
		array, names, err = readFeatures(path, m)
	} else {
		array, err = npz.ReadNPYFile(path)
	}
	if err != nil {
		return nil, nil, err
	}
	shape, nodes, channels := array.Shape, m.Spec.Nodes, m.Spec.Channels
	fits := slices.Equal(shape[min(1, len(shape)):], []int{nodes, channels}) ||
		len(shape) == 2 && shape[1] == nodes && channels == 1
	if !fits {
		return nil, nil, fmt.Errorf("array features has shape %v; the model needs [samples, %d, %d]", shape, nodes, channels)
	}
	values, err := array.Float32s()
	if err != nil {
		return nil, nil, fmt.Errorf("features: %w; store them as such (features.astype(numpy.float32))", err)
	}
	signals = slices.Collect(slices.Chunk(values, nodes*channels))
	return numbered(names, len(signals)), signals, nil
}

// numbered completes names by numbers.
func numbered(names []string, n int) []string {
	for i := len(names); i < n; i++ {
		names = append(names, strconv.Itoa(i))
	}
	return names
}

// readFeatures reads features of an .npz file, and the names of the samples if they are there. Its nodes must be the model's.
func readFeatures(path string, m models.Metadata) (array *npz.Array, names []string, err error) {
	file, err := npz.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if !file.Has("features") {
		return nil, nil, fmt.Errorf("there is no array features; store the signals as features [samples, nodes, "+
			"channels] (the file has %s)", strings.Join(file.Names(), ", "))
	}
	if file.Has("node_names") {
		nodes, err := npz.Elements(file, "node_names", m.Spec.Nodes, "nodes of the model", (*npz.Array).Strings)
		err = cmp.Or(err, m.CheckNames(nodes))
		if err != nil {
			return nil, nil, inFile(path, err)
		}
	}
	array, err = file.Array("features")
	if err == nil && file.Has("sample_names") && len(array.Shape) > 0 {
		names, err = npz.Elements(file, "sample_names", array.Shape[0], "samples of features", (*npz.Array).Texts)
	}
	return array, names, err
}

// drawWindows draws the probabilities of the classes that some window of a recording is predicted to have, at the middle
// of each window.
func drawWindows(path, recorded string, classes []string, windows []recording.Window, predictions []models.Prediction) error {
	curves := picture.Curves{Title: recorded, XLabel: "time", YLabel: "probability"}
	for k, class := range classes {
		if !slices.ContainsFunc(predictions, func(p models.Prediction) bool { return p.Class == k }) {
			continue
		}
		line := picture.Curve{Name: class}
		for i, w := range windows {
			line.X, line.Y = append(line.X, (w.Start+w.End)/2), append(line.Y, predictions[i].Probabilities[k])
		}
		curves.Lines = append(curves.Lines, line)
	}
	p := curves.Plot()
	p.X.Max += (p.X.Max - p.X.Min) / 8 // for the names
	p.Y.Min, p.Y.Max = 0, 1
	return picture.Save(p, 560, 150, path)
}
