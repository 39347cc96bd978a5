package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

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
	// Outside counts the samples far outside the training data, of which predict warns; odd is the first one's warning.
	Outside int `json:"outside"`
	odd     string
	// Temperature is 1 if the training held no samples out. See models.Calibration.
	Temperature float64        `json:"temperature"`
	HeldOut     int            `json:"held_out"`
	Rejection   *rejectionJSON `json:"rejection,omitempty"` // by --reject
	// Mistakes are the samples with names that are taken for another class, the surest first.
	Mistakes []mistakeJSON `json:"mistakes,omitempty"`
	training.Evaluation
}

// rejectionJSON is what --reject does to a split.
type rejectionJSON struct {
	Asked     float64 `json:"asked"`     // share of the held-out samples
	Threshold float64 `json:"threshold"` // the least probability of a prediction
	Rejected  int     `json:"rejected"`
	Accuracy  float64 `json:"accuracy"` // of the predictions that are left; 0 for none
}

type mistakeJSON struct {
	Name        string  `json:"name"`
	Class       string  `json:"class"`
	Predicted   string  `json:"predicted"`
	Probability float64 `json:"probability"`
}

// Warnings say how many of the samples were trained on, and how many are far outside the training data.
func (e evalJSON) Warnings() (lines []string) {
	if e.TrainedOn != nil && *e.TrainedOn > 0 {
		lines = append(lines, fmt.Sprintf("warning: %s of %s samples were trained on, so that this accuracy says little about new samples",
			text.Thousands(*e.TrainedOn), text.Thousands(e.Samples)))
	}
	if e.Outside > 0 {
		lines = append(lines, fmt.Sprintf("warning: %s of %s samples are unlike the training data, the first, %s",
			text.Thousands(e.Outside), text.Thousands(e.Samples), e.odd))
	}
	return lines
}

func newEval(s *shared) *cobra.Command {
	var dir, data, dataDir, split string
	var reject float64
	var mirrored bool
	cmd := command("eval", "")
	checkpointFlag(cmd, &dir)
	otherDataFlags(cmd, &data, &dataDir)
	splitFlag(cmd, &split)
	rejectFlag(cmd.Flags(), &reject)
	cmd.Flags().BoolVar(&mirrored, "mirrored", false,
		"predict by the mean over each sample and its mirror image, of data whose classes stay the same in a mirror")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		m, graph, err := models.ReadMetadata(dir)
		if err != nil {
			return err
		}
		d, err := s.dataOf(cmd, m, graph, dir, dataDir, data)
		if err != nil {
			return err
		}
		if split == "test" && len(d.Train)+len(d.Validation) == 0 {
			split = training.All
		}
		indices, err := training.SplitOf(d, split)
		if err != nil {
			return err
		}
		classifier, err := s.load(cmd, dir, max(1, len(indices)))
		if err != nil {
			return err
		}
		rejection, right := rejectionJSON{Asked: reject}, 0
		if reject > 0 {
			rejection.Threshold, err = classifier.Calibration.Threshold(reject)
			if err != nil {
				return usage(cmd, fmt.Errorf("--reject %g: %s: %w", reject, dir, err))
			}
		}
		var mistakes []mistakeJSON
		outside, odd, buffer := 0, "", make([]float32, d.Nodes*d.Channels)
		evaluate, predictedBy := training.EvaluateEach, classifier.PredictedBy()
		if mirrored && d.Mirror == nil {
			return usage(cmd, fmt.Errorf("--mirrored: %s: its samples have no mirror images; leave it out", d.Name))
		} else if mirrored {
			evaluate, predictedBy = training.EvaluateMirrored, predictedBy+", the mean over each sample and its mirror image"
		}
		e, err := evaluate(classifier, d, indices, 64, func(i int, p []float64) {
			k, truth := floats.MaxIdx(p), int(d.Labels[i])
			if p[k] < rejection.Threshold {
				rejection.Rejected++
			} else if k == truth {
				right++
			}
			if warnings := m.Outside(d.Input(i, buffer)); warnings != nil {
				outside++
				odd = cmp.Or(odd, d.SampleName(i)+": "+strings.Join(warnings, "; "))
			}
			if d.SampleNames != nil && k != truth {
				mistakes = append(mistakes, mistakeJSON{d.SampleNames[i], d.ClassNames[truth], d.ClassNames[k], p[k]})
			}
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(mistakes, func(a, b mistakeJSON) int { return cmp.Compare(b.Probability, a.Probability) })
		result := evalJSON{Command: "eval", Data: d.Name, Split: split, PredictedBy: predictedBy,
			Temperature: 1, Outside: outside, odd: odd, Mistakes: mistakes, Evaluation: e}
		if c := classifier.Calibration; c != nil {
			result.Temperature, result.HeldOut = c.Temperature, c.Samples
		}
		if f, err := training.ReadFingerprint(dir); err == nil {
			result.TrainedOn = new(f.TrainedOn(d, indices))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		rejection.Accuracy = float64(right) / float64(max(1, e.Samples-rejection.Rejected))
		if reject > 0 {
			result.Rejection = &rejection
		}
		return s.print(cmd, result, render("eval", result))
	}
	return cmd
}

// At most so many columns and confused pairs of classes are printed. A longer line would wrap.
const (
	widestMatrix   = 80
	mostConfusions = 20
)

// confusion writes the confusion matrix. If the matrix is too wide to be read, it lists the largest entries off the
// diagonal.
func confusion(e training.Evaluation) string {
	names, width, cell := make([]string, len(e.PerClass)), len("class"), 1
	for k, c := range e.PerClass {
		names[k] = text.Shorten(c.Name, text.LongestName)
		width, cell = max(width, runewidth.StringWidth(names[k])), max(cell, len(fmt.Sprint(slices.Max(e.Confusion[k]))))
	}
	if width+len(names)*(cell+1) > widestMatrix {
		return confusions(e.Confusion, names)
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

// confusions lists the pairs of classes that are taken for each other most.
func confusions(matrix [][]int, names []string) string {
	type pair struct{ truth, predicted, samples int }
	var pairs []pair
	for i, row := range matrix {
		for j, n := range row {
			if i != j && n > 0 {
				pairs = append(pairs, pair{i, j, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.samples, a.samples) })
	shown := pairs[:min(len(pairs), mostConfusions)]
	table := "class\ttaken for\t samples\n"
	for _, p := range shown {
		table += fmt.Sprintf("%s\t%s\t%d\n", names[p.truth], names[p.predicted], p.samples)
	}
	return fmt.Sprintf("confused most: %d of %d pairs of classes (--json has the whole matrix)\n%s", len(shown), len(pairs), table)
}
