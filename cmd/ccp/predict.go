//go:build !lean

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
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/support/xslices"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// predictCommand is `ccp predict` with the values of its flags.
type predictCommand struct {
	*shared
	checkpoint  string
	out, figure target
	top         int // how many classes to show of each prediction; 0: all
	skips       bool
	coverage    float64
	early       bool
	cut         recording.Cut
}

// newPredict returns `ccp predict`, which classifies files by a checkpoint.
func newPredict(s *shared) *cobra.Command {
	p := &predictCommand{shared: s}
	cmd := command("predict", "")
	cmd.Args = atLeastOne("INPUT is needed: a file or a folder of recordings, or a numpy file of features")
	checkpointFlag(cmd, &p.checkpoint)
	f := cmd.Flags()
	p.out.flags(f, "`FILE` to write (default: the standard output)", "the file if it exists")
	numberVar(f, &p.top, "top", 0, 1, math.MaxInt, "the `K` most probable classes of each, instead of all")
	coverageFlag(f, &p.coverage)
	f.BoolVar(&p.early, "early", false,
		"tell the class of each recording as soon as it is decided, and when that is (ccp train --early)")
	f.BoolVar(&p.skips, "skip", false,
		"leave out recordings that cannot be classified, and tell of them, instead of ending")
	cutFlags(f, &p.cut)
	figureVar(f, &p.figure.path, "`FILE.png` or .svg to draw into the probabilities of the windows by time")
	cmd.RunE = p.run
	return cmd
}

// run classifies the inputs and writes a prediction for each sample, recording or window.
func (p *predictCommand) run(cmd *cobra.Command, paths []string) error {
	if p.cut.Window.Length == 0 && p.figure.path != "" {
		return usage(cmd, errors.New("--figure is of windows; give --window, too"))
	}
	if p.early && (p.cut.Window.Length > 0 || p.coverage > 0) {
		return usage(cmd, errors.New("--early tells the class of each recording once, before its end: --window tells one "+
			"for each window, and the sets of --coverage are of recordings that have ended; leave one out"))
	}
	stopped := untilSignal(cmd, func() {})
	defer stopped()
	p.figure.overwrite = p.out.overwrite
	err := checkCut(cmd, p.cut)
	if err == nil {
		err = cmp.Or(p.out.free(), p.figure.free())
	}
	if err != nil {
		return err
	}
	metadata, graph, err := models.ReadMetadata(p.checkpoint)
	if err != nil {
		return err
	}
	r := &classification{command: p, cmd: cmd, paths: paths}
	each, signals, err := p.readInputs(cmd, metadata, paths, r.skip())
	if err != nil {
		return r.inOnlyFile(err)
	}
	if metadata.Form == nil && len(paths) == 1 && datasets.IsFile(paths[0]) {
		own, err := datasets.ReadGraph(paths[0], metadata.Nodes)
		if err == nil && own != nil { // else nothing is said of it
			warnOtherGraph(cmd, paths[0], own, graph)
		}
	}
	r.classifier, err = p.load(cmd, p.checkpoint, max(1, signals))
	if err != nil {
		return err
	}
	r.sets = classify.Sets{By: r.classifier.Conformal, Coverage: p.coverage}
	if err := checkCoverage(cmd, r.classifier, p.coverage, p.checkpoint); err != nil {
		return err
	}
	if err := checkEarly(cmd, r.classifier, p.early, p.checkpoint); err != nil {
		return err
	}
	r.along = watch.OfWindows(r.classifier, p.cut)
	err = r.write(each)
	if p.figure.path != "" && err == nil {
		err = drawWindows(p.figure.path, r.drawn, r.classifier.ClassNames)
	}
	r.tell(err)
	return err
}

// classification is one run of `ccp predict`: it classifies the parts of the inputs one after another, writes what they
// are, and gathers what to tell at the end.
type classification struct {
	command    *predictCommand
	cmd        *cobra.Command
	paths      []string
	classifier *models.Classifier
	sets       classify.Sets

	classified, several, none int      // samples, and those whose sets have several classes or none
	skipped                   []string // why each recording was left out
	warnings                  []told
	uncut                     bool     // a recording is much longer than the windows of the training
	drawn                     windowed // for --figure
	along                     *watch.Windows
}

// windowed are the windows of a recording with what each is predicted to be.
type windowed struct {
	recording   string
	written     recording.TimeForm // its times
	windows     []recording.Window
	predictions []models.Prediction
}

// skip returns what to do with a recording that cannot be classified: nil, so that it is an error, unless --skip is
// given.
func (r *classification) skip() classify.Skip {
	if !r.command.skips {
		return nil
	}
	return func(wrong *classify.RecordingError) { r.skipped = append(r.skipped, wrong.Error()) }
}

// inOnlyFile adds the name of the file to an error, if there is only one file. Of several, the reader has already named
// the one that is meant.
func (r *classification) inOnlyFile(err error) error {
	if len(r.paths) > 1 {
		return err
	}
	wrong, ok := errors.AsType[*classify.RecordingError](err)
	if ok && wrong.Name == filepath.Base(r.paths[0]) { // the file's only recording has its name
		err = wrong.Err
	}
	return inFile(r.paths[0], err)
}

// write classifies all parts and writes their predictions to the file of --out, or to the standard output.
func (r *classification) write(each parts) error {
	write := func(w io.Writer) error {
		show := r.printer(w)
		err := each(func(s classify.Samples) error { return r.classify(s, show) })
		if err == nil {
			err = r.along.Finish(show)
		}
		if err == nil && r.classified == 0 && r.skipped != nil {
			return fmt.Errorf("no recording can be classified; the first: %s", r.skipped[0])
		}
		return err
	}
	if r.command.out.path != "" {
		return files.Write(r.command.out.path, write)
	}
	return write(r.cmd.OutOrStdout())
}

// classify predicts one part of the samples and shows the predictions.
func (r *classification) classify(s classify.Samples, show func(classify.Samples, []models.Prediction) error) error {
	predicted, err := r.predict(&s)
	s, predicted, err = s.Without(predicted, err, r.skip())
	if err != nil {
		return r.inOnlyFile(err)
	}
	if len(predicted) == 0 {
		return nil
	}
	r.warnings = warn(r.warnings, s, predicted)
	if r.command.figure.path != "" {
		r.drawn.recording, r.drawn.written = s.Names[0], s.Written[0]
		r.drawn.windows = append(r.drawn.windows, s.Windows...)
		r.drawn.predictions = append(r.drawn.predictions, predicted...)
	}
	r.classified += len(predicted)
	r.uncut = r.uncut || r.areUncut(s)
	r.count(predicted)
	if s.Windows == nil {
		return show(s, predicted)
	}
	return r.along.Add(s, predicted, show)
}

// predict predicts samples, or recordings as early as they are decided if that is asked for.
func (r *classification) predict(s *classify.Samples) ([]models.Prediction, error) {
	if r.command.early {
		return s.PredictEarly(r.cmd.Context(), r.classifier)
	}
	return classify.Predict(r.cmd.Context(), r.classifier, s.Signals)
}

// count counts the sets of samples that have several classes, or none.
func (r *classification) count(predicted []models.Prediction) {
	if !r.sets.Asked() {
		return
	}
	for _, p := range predicted {
		switch _, _, set := r.sets.Of(p); len(set) {
		case 0:
			r.none++
		case 1:
		default:
			r.several++
		}
	}
}

// printer returns what prints predictions: lines of JSON for --json, else the rows of one CSV table.
func (r *classification) printer(w io.Writer) func(classify.Samples, []models.Prediction) error {
	classes, top := r.classifier.ClassNames, r.command.top
	if r.command.json {
		lines := json.NewEncoder(w)
		return func(s classify.Samples, predicted []models.Prediction) error {
			for i, prediction := range predicted {
				err := lines.Encode(s.Prediction(i, prediction, classes, top, r.sets))
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	rows := csv.NewWriter(w)
	onScreen := r.command.out.path == "" && newStatusLine(r.cmd.OutOrStdout()).screen != nil
	headed := false
	return func(s classify.Samples, predicted []models.Prediction) error {
		table := s.Table(predicted, classes, top, r.sets)
		if headed {
			table = table[1:]
		}
		headed = true
		if onScreen {
			withoutControls(table)
		}
		return rows.WriteAll(table)
	}
}

// withoutControls makes cells fit for a terminal: a name must not move its cursor or change its colours.
func withoutControls(table [][]string) {
	for _, row := range table {
		for k, cell := range row {
			row[k] = text.Plain(cell)
		}
	}
}

// areUncut reports that a whole recording is much longer than the windows that the training's samples are.
func (r *classification) areUncut(s classify.Samples) bool {
	form := r.classifier.Form
	return s.Windows == nil && form != nil && form.Cut != nil && form.Ahead.Length == 0 && slices.ContainsFunc(s.Signals,
		func(signal []float32) bool { return len(signal)/form.Width() >= 2*form.Longest })
}

// tell writes to stderr what was left out, what to know of the predictions, and how many suit several classes or none.
func (r *classification) tell(err error) {
	tell(r.cmd, "left out", r.skipped)
	tell(r.cmd, "warning", xslices.Map(r.warnings, told.String))
	if r.uncut {
		cut := r.classifier.Form.Cut
		tell(r.cmd, "note", []string{fmt.Sprintf("the training's samples are windows: --window %s --step %s tells the class "+
			"along time", cut.Window, cmp.Or(cut.Step, cut.Window))})
	}
	if r.command.early && !r.command.json && err == nil { // with --json each has the unit
		tell(r.cmd, "note", []string{"decided is how long a recording had lasted then, in " +
			classify.UnitOf(r.classifier.Form)})
	}
	if r.sets.Asked() && err == nil {
		tell(r.cmd, "note", append(r.sets.By.Remarks(r.classifier.ClassNames), fmt.Sprintf(
			"of %s at a coverage of %g, %d suit several classes and %d none (p-value at most %.4g)",
			text.Count(r.classified, "sample"), r.sets.Coverage, r.several, r.none, 1-r.sets.Coverage)))
	}
}

// drawWindows draws the probabilities of the classes that some window of a recording is predicted to have, at the
// middle of each window. Where times are dates, they count from the begin.
func drawWindows(path string, of windowed, classes []string) error {
	curves := picture.Curves{Title: of.recording, XLabel: "time", YLabel: "probability"}
	begin := 0.0
	if !of.written.IsNumber() {
		begin = of.windows[0].Start
		curves.XLabel = "seconds since " + of.written.Text(begin)
	}
	for k, class := range classes {
		if !slices.ContainsFunc(of.predictions, func(p models.Prediction) bool { return p.Class == k }) {
			continue
		}
		line := picture.Curve{Name: class}
		for i, w := range of.windows {
			line.X = append(line.X, (w.Start+w.End)/2-begin)
			line.Y = append(line.Y, of.predictions[i].Probabilities[k])
		}
		curves.Lines = append(curves.Lines, line)
	}
	p := curves.Plot()
	p.X.Max += (p.X.Max - p.X.Min) / 8 // for the names
	p.Y.Min, p.Y.Max = 0, 1
	return picture.Save(p, 560, 150, path)
}

// figureVar adds the flag --figure, which names a picture to draw.
func figureVar(f *pflag.FlagSet, path *string, usage string) {
	f.Var(&checked{kind: "string", set: func(text string) error {
		*path = text
		if !slices.Contains(picture.Endings, filepath.Ext(text)) {
			return fmt.Errorf("ends in none of %s", strings.Join(picture.Endings, ", "))
		}
		return nil
	}}, "figure", usage)
}
