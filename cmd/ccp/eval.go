package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"
)

// evalJSON is what `ccp eval --json` prints.
type evalJSON struct {
	Command     string `json:"command"`
	Data        string `json:"data"`
	Split       string `json:"split"`
	PredictedBy string `json:"predicted_by"` // see models.Classifier.PredictedBy
	// TrainedOn counts the samples that were trained on; nil if the run does not tell.
	TrainedOn *int `json:"trained_on"`
	// ChosenBy counts the samples by which the training found the temperature and, of a network, its best epoch; nil if
	// the data is not the training's.
	ChosenBy *int `json:"chosen_by"`
	// Outside counts the samples far outside the training data, of which predict warns; odd is the first one's warning.
	Outside int `json:"outside"`
	odd     string
	// Temperature is 1 if the training held no samples out. See models.Calibration.
	Temperature float64   `json:"temperature"`
	HeldOut     int       `json:"held_out"`
	Sets        *setsJSON `json:"sets,omitempty"` // by --coverage
	// Recordings are those that the samples are windows of; nil if none has windows of one class alone.
	Recordings *recordingsJSON `json:"recordings,omitempty"`
	// Mistakes are the samples with names that are taken for another class, the surest first.
	Mistakes []mistakeJSON `json:"mistakes,omitempty"`
	training.Evaluation
}

// setsJSON says how sets of classes of a coverage fare on a split, see conformal.Predictor.
type setsJSON struct {
	Coverage float64 `json:"coverage"` // that was asked for
	Samples  int     `json:"samples"`
	Held     int     `json:"held"`    // sets that hold the truth
	None     int     `json:"none"`    // sets without a class
	Several  int     `json:"several"` // sets of more than one class
	Classes  int     `json:"classes"` // in all sets together
	HeldOut  int     `json:"held_out"`
	Groups   int     `json:"groups,omitempty"`
	// Chance is between what shares Held lies in nine of ten draws of so few samples, see conformal.Predictor.Chance; nil
	// where that is unknown.
	Chance  []float64 `json:"chance,omitempty"`
	Remarks []string  `json:"remarks,omitempty"`
}

// add counts the set of a sample.
func (s *setsJSON) add(set []int, truth int) {
	s.Samples++
	s.Classes += len(set)
	if slices.Contains(set, truth) {
		s.Held++
	}
	switch {
	case len(set) == 0:
		s.None++
	case len(set) > 1:
		s.Several++
	}
}

type mistakeJSON struct {
	Name        string  `json:"name"`
	Class       string  `json:"class"`
	Predicted   string  `json:"predicted"`
	Probability float64 `json:"probability"`
}

// onlyClass returns the class of all samples; "" if they have several, or the classifier knows one alone.
func (e evalJSON) onlyClass() (name string) {
	for _, class := range e.PerClass {
		if class.Samples == e.Samples && len(e.PerClass) > 1 && e.Samples > 1 {
			return class.Name
		}
	}
	return ""
}

// Warnings say how many of the samples were trained on or chose what is tested, and how many are far outside the
// training data.
func (e evalJSON) Warnings() (lines []string) {
	if name := e.onlyClass(); name != "" {
		lines = append(lines, fmt.Sprintf("all samples here are of class %s: the accuracy is its recall, and says nothing "+
			"of other classes; ccp compare --folds groups pools folds", suggest.Clip(name)))
	}
	if e.TrainedOn != nil && *e.TrainedOn > 0 {
		lines = append(lines,
			fmt.Sprintf("warning: %s of %s samples were trained on, so that this accuracy says little about new samples",
				text.Thousands(*e.TrainedOn), text.Thousands(e.Samples)))
	}
	if e.ChosenBy != nil && *e.ChosenBy > 0 {
		lines = append(lines,
			fmt.Sprintf("warning: by %s of %s samples the training found the temperature and the best epoch of a network, "+
				"so that new samples may fare worse, above all in calibration", text.Thousands(*e.ChosenBy),
				text.Thousands(e.Samples)))
	}
	if e.Outside > 0 {
		lines = append(lines, fmt.Sprintf("warning: %s of %s samples are unlike the training data, the first, %s",
			text.Thousands(e.Outside), text.Thousands(e.Samples), e.odd))
	}
	return lines
}

// evalCommand is `ccp eval` with the values of its flags.
type evalCommand struct {
	*shared
	checkpoint, data, dataDir, split string
	coverage                         float64
	mirrored, early                  bool
	streams                          evalStreams
}

// newEval returns `ccp eval`, which tests a checkpoint on a split of a data set.
func newEval(s *shared) *cobra.Command {
	e := &evalCommand{shared: s}
	cmd := command("eval", "")
	checkpointFlag(cmd, &e.checkpoint)
	otherDataFlags(cmd, &e.data, &e.dataDir)
	splitFlag(cmd, &e.split)
	coverageFlag(cmd.Flags(), &e.coverage)
	cmd.Flags().BoolVar(&e.mirrored, "mirrored", false,
		"predict by the mean over each sample and its mirror image, of data whose classes stay the same in a mirror")
	cmd.Flags().BoolVar(&e.early, "early", false,
		"test decisions before a recording ends (ccp train --early): how right and how early they are")
	e.streams.flags(cmd.Flags())
	cmd.RunE = e.run
	return cmd
}

// run classifies a split of a data set by a checkpoint and prints how right it is.
func (e *evalCommand) run(cmd *cobra.Command, _ []string) error {
	if e.streams.asked() {
		return e.streams.run(e.shared, cmd, e.checkpoint, e.data)
	}
	err := e.streams.unasked(cmd)
	if err != nil {
		return err
	}
	metadata, graph, err := models.ReadMetadata(e.checkpoint)
	if err != nil {
		return err
	}
	d, err := e.dataOf(cmd, metadata, graph, e.checkpoint, e.dataDir, e.data)
	if err != nil {
		return e.streams.ofTable(e.data, err)
	}
	if e.split == "test" && len(d.Train)+len(d.Validation) == 0 { // all samples are the test: call the split all
		e.split = training.All
	}
	indices, err := training.SplitOf(d, e.split)
	if err != nil {
		return err
	}
	classifier, err := e.load(cmd, e.checkpoint, len(indices))
	if err != nil {
		return err
	}
	if e.early {
		return e.evaluateEarly(cmd, classifier, d, indices)
	}
	result, err := e.evaluate(cmd, classifier, d, indices)
	if err != nil {
		return err
	}
	fingerprint, err := training.ReadFingerprint(e.checkpoint)
	switch {
	case err == nil:
		result.TrainedOn = new(fingerprint.TrainedOn(d, indices))
		if classifier.Calibration != nil && len(fingerprint.Differences(d.Fingerprint())) == 0 {
			result.ChosenBy = new(overlap(indices, d.Validation))
		}
	case !errors.Is(err, fs.ErrNotExist): // without a fingerprint, as of an old run, TrainedOn and ChosenBy stay nil
		return err
	}
	return e.print(cmd, result, render("eval", result))
}

// overlap counts the samples that are in both lists.
func overlap(a, b []int) (count int) {
	inB := map[int]struct{}{}
	for _, i := range b {
		inB[i] = struct{}{}
	}
	for _, i := range a {
		if _, both := inB[i]; both {
			count++
		}
	}
	return count
}

// evaluate classifies samples of a data set and sums up how it went.
func (e *evalCommand) evaluate(cmd *cobra.Command, classifier *models.Classifier, d *datasets.Dataset,
	indices []int) (evalJSON, error) {
	result := evalJSON{Command: "eval", Data: d.Name, Split: e.split, PredictedBy: classifier.PredictedBy(),
		Temperature: 1}
	evaluate := training.EvaluateEach
	if e.mirrored {
		if d.Mirror == nil {
			return result, usage(cmd, fmt.Errorf("--mirrored: %s: its samples have no mirror images; leave it out", d.Name))
		}
		evaluate = training.EvaluateMirrored
		result.PredictedBy += ", the mean over each sample and its mirror image"
	}
	if err := checkCoverage(cmd, classifier, e.coverage, e.checkpoint); err != nil {
		return result, err
	}
	if e.coverage > 0 {
		result.Sets = &setsJSON{Coverage: e.coverage, HeldOut: len(classifier.Conformal.Scores),
			Groups: classifier.Conformal.Groups, Remarks: classifier.Conformal.Remarks(classifier.ClassNames)}
	}
	buffer, whole := make([]float32, d.Nodes*d.Channels), wholeRecordings{d, map[int]*wholeRecording{}}
	evaluation, err := evaluate(classifier, d, indices, 64, func(i int, probabilities []float64) {
		predicted, truth := floats.MaxIdx(probabilities), int(d.Labels[i])
		whole.add(i, truth, probabilities)
		if result.Sets != nil {
			result.Sets.add(classifier.Conformal.Set(classifier.Conformal.PValues(probabilities), e.coverage), truth)
		}
		if warnings := classifier.Outside(d.Input(i, buffer)); warnings != nil {
			result.Outside++
			result.odd = cmp.Or(result.odd, d.SampleName(i)+": "+strings.Join(warnings, "; "))
		}
		if d.SampleNames != nil && predicted != truth {
			result.Mistakes = append(result.Mistakes, mistakeJSON{d.SampleNames[i], d.ClassNames[truth], d.ClassNames[predicted],
				probabilities[predicted]})
		}
	})
	if err != nil {
		return result, err
	}
	result.Evaluation, result.Recordings = evaluation, whole.result()
	slices.SortStableFunc(result.Mistakes, func(a, b mistakeJSON) int { return cmp.Compare(b.Probability, a.Probability) })
	if result.Sets != nil {
		least, largest, known := classifier.Conformal.Chance(e.coverage, result.Sets.Samples)
		if known {
			result.Sets.Chance = []float64{least, largest}
		}
	}
	if c := classifier.Calibration; c != nil {
		result.Temperature, result.HeldOut = c.Temperature, c.Samples
	}
	return result, nil
}

const (
	widestMatrix   = 80 // characters in a line of a confusion matrix; a longer one would wrap
	mostConfusions = 20 // pairs of classes in a list
)

// confusion writes the confusion matrix. If that is too wide to be read, or there is none, it lists the pairs of
// classes that are confused most.
func confusion(e training.Evaluation) string {
	names, width, cell := make([]string, len(e.PerClass)), len("class"), 1
	for k, c := range e.PerClass {
		names[k] = text.Shorten(c.Name, text.LongestName)
		width = max(width, runewidth.StringWidth(names[k]))
	}
	for _, row := range e.Confusion {
		cell = max(cell, len(fmt.Sprint(slices.Max(row))))
	}
	if e.Confusion == nil { // of very many classes, an evaluation has a list of pairs and no matrix
		return confusions(slices.Clone(e.Confused), names, "all")
	}
	if width+1+len(names)*(1+cell) > widestMatrix {
		return confusions(mistaken(e.Confusion), names, "the whole matrix")
	}
	var b strings.Builder
	fmt.Fprintln(&b, "confusion: a row for each true class, a column for each predicted one, as above")
	for k, row := range e.Confusion {
		b.WriteString(runewidth.FillRight(names[k], width+1))
		for _, n := range row {
			entry := "."
			if n > 0 {
				entry = fmt.Sprint(n)
			}
			fmt.Fprintf(&b, " %*s", cell, entry)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// mistaken lists the entries of a confusion matrix off the diagonal that are not 0.
func mistaken(matrix [][]int) (list []training.Confused) {
	for i, row := range matrix {
		for j, n := range row {
			if i != j && n > 0 {
				list = append(list, training.Confused{Class: i, Predicted: j, Samples: n})
			}
		}
	}
	return list
}

// confusions lists which class is most often taken for which other one. inJSON says what --json has in place of the
// list. It sorts pairs.
func confusions(pairs []training.Confused, names []string, inJSON string) string {
	slices.SortStableFunc(pairs, func(a, b training.Confused) int { return cmp.Compare(b.Samples, a.Samples) })
	shown := pairs[:min(len(pairs), mostConfusions)]
	table := "class\ttaken for\t samples\n"
	for _, p := range shown {
		table += fmt.Sprintf("%s\t%s\t%d\n", names[p.Class], names[p.Predicted], p.Samples)
	}
	return fmt.Sprintf("confused most: %d of %d pairs of classes (--json has %s)\n%s", len(shown), len(pairs), inJSON,
		table)
}
