// Package explain says which nodes mattered to a classifier's predictions on a data set: in numbers, files and pictures.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

const (
	attributedAtOnce = 64 // samples whose contributions are in memory at a time
	mostNodes        = 10 // of a class in a Summary; the files hold all of them
)

// Explanation is what is to be explained, and how.
type Explanation struct {
	Classifier *models.Classifier
	Data       *datasets.Dataset
	Split      string
	Class      int // what speaks for it is explained, of its own samples; -1: what speaks for the predicted one, of all samples
	Options    models.AttributionOptions
	Progress   func(doing string, done float64)

	samples []int // indices in Data
}

// Prepare chooses n samples of the split, evenly spread because data is often sorted by class; 0 for all of them.
func (e *Explanation) Prepare(n int) error {
	split, err := training.SplitOf(e.Data, e.Split)
	if err != nil {
		return err
	}
	for _, i := range split {
		if e.Class < 0 || int(e.Data.Labels[i]) == e.Class {
			e.samples = append(e.samples, i)
		}
	}
	if len(e.samples) == 0 {
		return fmt.Errorf("the %s split of %s has no samples to explain; choose another with --split", e.Split, e.Data.Name)
	}
	e.samples = spread(e.samples, n)
	return nil
}

// spread takes n of the indices, evenly; all of them if n is 0.
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

// Subject says what an explanation is of.
type Subject struct {
	Command string `json:"command"`
	Data    string `json:"data"`
	Split   string `json:"split"`
	Samples int    `json:"samples"`
	Method  string `json:"method"`
	Steps   int    `json:"steps,omitempty"` // of integrated gradients
	Class   string `json:"-"`               // the only one explained; "": those predicted
}

func (e *Explanation) subject() Subject {
	s := Subject{Command: "explain", Data: e.Data.Name, Split: e.Split, Samples: len(e.samples), Method: e.Options.Method}
	if s.Method == models.IntegratedGradients {
		s.Steps = e.Options.Steps
	}
	if e.Class >= 0 {
		s.Class = e.Data.ClassNames[e.Class]
	}
	return s
}

// Summary is what mattered to each class that a sample was explained for.
type Summary struct {
	Subject
	Gap     float64 `json:"completeness_gap"` // Σ gaps / Σ |logit − baseline|
	Classes []Class `json:"classes"`
}

// Class is what mattered to one class, most first.
type Class struct {
	Name    string         `json:"name"`
	Samples int            `json:"samples"`
	Nodes   []Contribution `json:"nodes"`
	Joints  []Contribution `json:"joints,omitempty"` // sums over frames
	Frames  []Contribution `json:"frames,omitempty"` // sums over joints
}

// Contribution is the mean of a node, a joint or a frame over samples, in units of the logit.
type Contribution struct {
	Index    int     `json:"index"`
	Name     string  `json:"name"`
	Mean     float64 `json:"mean"`
	Absolute float64 `json:"mean_absolute"`
}

// Run attributes all samples. Into a folder, unless it is "", it writes the contributions of each sample and the means of each class
// as CSV, and pictures of both.
func (e *Explanation) Run(ctx context.Context, folder string) (Summary, error) {
	s := Summary{Subject: e.subject()}
	means, change := make([]models.MeanAttribution, e.Data.Classes()), math.SmallestNonzeroFloat64
	var drawn []drawnSample
	attribute := func(row func(cells ...any)) error {
		return e.each(ctx, func(sample int, signal []float32, a models.Attribution) error {
			means[a.Class].Add(a)
			s.Gap += a.Gap
			change += math.Abs(a.Logit - a.Baseline)
			if len(drawn) < mostSamplePictures {
				drawn = append(drawn, drawnSample{sample, signal, a})
			}
			for node, v := range a.Nodes {
				if v != 0 {
					row(sample, e.Data.ClassNames[e.Data.Labels[sample]], a.Prediction.Name, e.Data.ClassNames[a.Class], node, e.Data.NodeName(node), v)
				}
			}
			return nil
		})
	}
	if folder == "" {
		if err := attribute(func(...any) {}); err != nil {
			return s, err
		}
	} else {
		heading := []string{"sample", "true", "predicted", "explained", "node", "name", "contribution"}
		if err := text.WriteCSV(filepath.Join(folder, "contributions.csv"), heading, attribute); err != nil {
			return s, err
		}
		heading = []string{"class", "samples", "node", "name", "mean", "mean_absolute"}
		err := text.WriteCSV(filepath.Join(folder, "classes.csv"), heading, func(row func(cells ...any)) error {
			for k, mean := range means {
				for node, v := range mean.Signed {
					row(e.Data.ClassNames[k], mean.Samples, node, e.Data.NodeName(node), v, mean.Absolute[node])
				}
			}
			return nil
		})
		if err != nil {
			return s, err
		}
		if err := e.draw(folder, means, drawn); err != nil {
			return s, err
		}
	}
	s.Gap /= change
	for k, mean := range means {
		if mean.Samples > 0 {
			s.Classes = append(s.Classes, e.class(k, mean))
		}
	}
	return s, nil
}

// each attributes the samples and gives visit, in order, each one's index, raw signal and attribution.
func (e *Explanation) each(ctx context.Context, visit func(sample int, signal []float32, a models.Attribution) error) error {
	done := 0
	for chunk := range slices.Chunk(e.samples, attributedAtOnce) {
		signals := make([][]float32, len(chunk))
		for i, sample := range chunk {
			signals[i] = make([]float32, e.Data.Nodes*e.Data.Channels)
			e.Data.Signals.Read(sample, signals[i])
		}
		o := e.Options
		if e.Class >= 0 {
			o.Classes = slices.Repeat([]int{e.Class}, len(signals))
		}
		attributions, err := e.Classifier.Attribute(ctx, signals, o)
		if unusable := (*models.SignalError)(nil); errors.As(err, &unusable) {
			return fmt.Errorf("sample %d of %s: %s", chunk[unusable.Index], e.Data.Name, unusable.Reason)
		} else if err != nil {
			return err
		}
		for i, a := range attributions {
			if err := visit(chunk[i], signals[i], a); err != nil {
				return err
			}
		}
		done += len(chunk)
		e.Progress("explaining "+text.Count(len(e.samples), "sample"), float64(done)/float64(len(e.samples)))
	}
	return nil
}

func (e *Explanation) class(k int, mean models.MeanAttribution) Class {
	nodes := make([]Contribution, e.Data.Nodes)
	for i := range nodes {
		nodes[i] = Contribution{i, e.Data.NodeName(i), mean.Signed[i], mean.Absolute[i]}
	}
	c := Class{Name: e.Data.ClassNames[k], Samples: mean.Samples}
	if e.Data.Parts != nil {
		c.Joints, c.Frames = bodySums(nodes, e.Data.Grid, e.Data.JointNames())
	}
	c.Nodes = mostFirst(nodes)[:min(len(nodes), mostNodes)]
	return c
}

// bodySums adds up the nodes of a skeleton over the frames of each joint and over the joints of each frame. Absolute values are added,
// so that frames do not cancel each other.
func bodySums(nodes []Contribution, grid []int, names []string) (joints, frames []Contribution) {
	joints, frames = make([]Contribution, grid[1]), make([]Contribution, grid[0])
	for i, node := range nodes {
		frame, joint := i/grid[1], i%grid[1]
		joints[joint].Index, frames[frame].Index = joint, frame
		frames[frame].Name = fmt.Sprintf("frame %d", frame)
		if joints[joint].Name = fmt.Sprintf("joint %d", joint); names != nil {
			joints[joint].Name = names[joint]
		}
		for _, sum := range []*Contribution{&joints[joint], &frames[frame]} {
			sum.Mean += node.Mean
			sum.Absolute += node.Absolute
		}
	}
	return mostFirst(joints), mostFirst(frames)
}

func mostFirst(contributions []Contribution) []Contribution {
	slices.SortStableFunc(contributions, func(a, b Contribution) int { return cmp.Compare(b.Absolute, a.Absolute) })
	return contributions
}
