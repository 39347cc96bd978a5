package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/cobra"
)

// attributedAtOnce is how many samples' contributions are in memory at a time.
const attributedAtOnce = 64

func newExplain(s *shared) *cobra.Command {
	var dir, dataDir, split, class, out string
	var samples int
	var deletion bool
	var options models.AttributionOptions
	cmd := &cobra.Command{
		Use:   "explain --checkpoint DIR",
		Short: "The nodes that mattered to a trained classifier, for each class and each sample",
		Long: `Attribute predictions to the input nodes: how much each contributed to the logit of the
class predicted, compared with the baseline in its place, which is 0 in normalised units:
the training mean, or 0 where the data has no mean taken off. Printed are the nodes that
mattered most to each class; --out writes those of each sample, and pictures of them.`,
		Example: "  ccp explain --checkpoint runs/digits-ccp-1\n  ccp explain --checkpoint runs/digits-ccp-1 --method integrated --class 7 --out why",
		Args:    noArgs,
	}
	f := cmd.Flags()
	checkpointFlag(cmd, &dir)
	dataDirFlag(cmd, &dataDir)
	f.StringVar(&split, "split", "test", "`NAME` of the split: train, validation or test")
	f.IntVar(&samples, "samples", 500, "how many samples of the split to explain, evenly spread; 0 for all")
	f.StringVar(&class, "class", "", "only the samples of the class `NAME`, and what speaks for it whatever was predicted")
	f.StringVar(&options.Method, "method", models.GradientInput, "gradient (times input) or integrated (gradients)")
	f.IntVar(&options.Steps, "steps", models.DefaultSteps, "gradients to a sample, with --method integrated")
	f.StringVar(&out, "out", "", "`FOLDER` to write contributions.csv, classes.csv and pictures to")
	f.BoolVar(&deletion, "deletion", false, "check the contributions: accuracy without the nodes that contributed most")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case !slices.Contains([]string{"train", "validation", "test"}, split):
			return usage(cmd, fmt.Errorf("--split %q is none of train, validation, test", split))
		case options.Method != models.GradientInput && options.Method != models.IntegratedGradients:
			return usage(cmd, fmt.Errorf("--method %q is neither %s nor %s", options.Method, models.GradientInput, models.IntegratedGradients))
		case options.Steps < 1:
			return usage(cmd, fmt.Errorf("--steps %d; there must be at least 1", options.Steps))
		case samples < 0:
			return usage(cmd, fmt.Errorf("--samples %d; it must not be negative", samples))
		case deletion && out != "":
			return usage(cmd, errors.New("--deletion writes no files; leave --out out"))
		}
		e, err := s.explanation(cmd, dir, dataDir, split, class, samples)
		if err != nil {
			return err
		}
		e.options = options
		if deletion {
			return e.checkByDeletion(cmd, s.json)
		}
		return e.explain(cmd, out, s.json)
	}
	return cmd
}

// explanation is what attributions of the samples of a split come to.
type explanation struct {
	classifier *models.Classifier
	data       *datasets.Dataset
	split      string
	samples    []int // indices in data
	class      int   // the only one, or -1
	options    models.AttributionOptions

	means       []models.MeanAttribution // by the class explained
	gap, change float64                  // sums of the attributions' Gap, and of |Logit − Baseline|
}

// explanation loads what is to be explained.
func (s *shared) explanation(cmd *cobra.Command, dir, dataDir, split, class string, n int) (*explanation, error) {
	classifier, err := s.load(cmd, dir)
	if err != nil {
		return nil, err
	}
	e := &explanation{classifier: classifier, split: split, class: -1}
	if class != "" {
		if e.class = slices.Index(classifier.ClassNames, class); e.class < 0 {
			return nil, usage(cmd, fmt.Errorf("--class %q is none of %q", class, classifier.ClassNames))
		}
	}
	if e.data, err = s.dataOf(cmd, classifier.Metadata, dir, dataDir); err != nil {
		return nil, err
	}
	indices, err := training.SplitOf(e.data, split)
	if err != nil {
		return nil, err
	}
	indices = slices.DeleteFunc(slices.Clone(indices), func(i int) bool { return e.class >= 0 && int(e.data.Labels[i]) != e.class })
	if len(indices) == 0 {
		return nil, fmt.Errorf("the %s split of %s has no samples to explain; choose another with --split", split, e.data.Name)
	}
	e.samples = spread(indices, n)
	e.means = make([]models.MeanAttribution, e.data.Classes())
	return e, nil
}

// spread takes n of the indices, evenly, for data is often sorted by class; all of them if n is 0.
func spread(indices []int, n int) []int {
	if n == 0 || n >= len(indices) {
		return indices
	}
	taken := make([]int, n)
	for i := range taken {
		taken[i] = indices[i*len(indices)/n]
	}
	return taken
}

// explain attributes all samples, prints what they have in common and, with a folder, writes them.
func (e *explanation) explain(cmd *cobra.Command, folder string, asJSON bool) (err error) {
	names := nodeNames(e.data)
	visit := func(int, []float32, models.Attribution) error { return nil }
	pictures := explanationPictures{folder: folder, data: e.data, graph: e.classifier.Graph}
	if folder != "" {
		file, err := newContributionsFile(folder)
		if err != nil {
			return err
		}
		defer file.close()
		visit = func(sample int, signal []float32, a models.Attribution) error {
			pictures.keep(sample, signal, a)
			return file.add(e.data, names, sample, a)
		}
	}
	err = e.each(cmd, func(sample int, signal []float32, a models.Attribution) error {
		e.means[a.Class].Add(a)
		e.gap += a.Gap
		e.change += math.Abs(a.Logit - a.Baseline)
		return visit(sample, signal, a)
	})
	if err == nil && folder != "" {
		if err = writeClassContributions(folder, e.data, names, e.means); err == nil {
			err = pictures.write(e.means)
		}
	}
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), e.json(names))
	}
	e.print(cmd.OutOrStdout(), names)
	return nil
}

// each attributes the samples and gives visit, in order, each one's index, raw signal and attribution.
func (e *explanation) each(cmd *cobra.Command, visit func(sample int, signal []float32, a models.Attribution) error) error {
	status := newStatusLine(cmd.ErrOrStderr())
	defer status.clear()
	done := 0
	for chunk := range slices.Chunk(e.samples, attributedAtOnce) {
		signals := make([][]float32, len(chunk))
		for i, sample := range chunk {
			signals[i] = make([]float32, e.data.Nodes*e.data.Channels)
			e.data.Signals.Read(sample, signals[i])
		}
		attributions, err := e.attribute(cmd.Context(), signals)
		if unusable := (*models.SignalError)(nil); errors.As(err, &unusable) {
			return fmt.Errorf("sample %d of %s: %s", chunk[unusable.Index], e.data.Name, unusable.Reason)
		} else if err != nil {
			return err
		}
		for i, a := range attributions {
			if err := visit(chunk[i], signals[i], a); err != nil {
				return err
			}
		}
		if done += len(chunk); status.screen != nil {
			status.progress("explaining", float64(done)/float64(len(e.samples)), " of "+count(len(e.samples), "sample"))
		}
	}
	return nil
}

func (e *explanation) attribute(ctx context.Context, signals [][]float32) ([]models.Attribution, error) {
	o := e.options
	if e.class >= 0 {
		o.Classes = slices.Repeat([]int{e.class}, len(signals))
	}
	return e.classifier.Attribute(ctx, signals, o)
}
