// Package explain says which nodes mattered to a classifier's predictions on a data set: in numbers, files and
// pictures.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

const (
	attributedAtOnce = 64 // samples whose contributions are in memory at a time
	hiddenAtOnce     = 4  // if parts are hidden, which takes longer, so that progress is seen
	mostNodes        = 10 // of a class in a Summary; the files hold all of them
	// Auto stands for as many samples as are explained in less time than the training took. These are at most mostSamples.
	// Where parts are hidden, each sample takes many passes; the training reads each of its samples more than
	// passesPerTrained times, so that many passes for each training sample may be spent.
	Auto             = -1
	mostSamples      = 500
	passesPerTrained = 6
)

// Explanation says what to explain, and how.
type Explanation struct {
	Classifier *models.Classifier
	Data       *datasets.Dataset
	Split      string
	// Class limits the explanation to the samples of a class, and to what speaks for it. If it is -1, all samples are
	// explained by what speaks for the class predicted.
	Class    int
	Options  models.AttributionOptions
	Samples  []int                            // indices in Data
	Of       int                              // of so many they are chosen
	Progress func(doing string, done float64) // nil for none
}

// Prepare chooses n samples of the split, all of them if n is 0, or Auto. They are evenly spread, because data is often
// sorted by class.
func (e *Explanation) Prepare(n int) error {
	split, err := training.SplitOf(e.Data, e.Split)
	if err != nil {
		return err
	}
	for _, i := range split {
		if e.Class < 0 || int(e.Data.Labels[i]) == e.Class {
			e.Samples = append(e.Samples, i)
		}
	}
	if len(e.Samples) == 0 && e.Class >= 0 {
		return params.Sentencef("split", "the %s split of %s has no samples of class %q to explain; choose another %v, "+
			"such as all", e.Split, e.Data.Name, e.Classifier.ClassNames[e.Class], params.Named("split"))
	} else if len(e.Samples) == 0 {
		return params.Sentencef("split", "the %s split of %s has no samples to explain; choose another %v", e.Split,
			e.Data.Name, params.Named("split"))
	}
	e.Of = len(e.Samples)
	if n == Auto {
		n = e.Quick()
	}
	e.Samples = spread(e.Samples, n)
	return nil
}

// Quick is how many samples Auto stands for.
func (e *Explanation) Quick() int {
	passes := e.Classifier.Passes(e.Options)
	if passes == 0 {
		return mostSamples
	}
	return max(1, min(mostSamples, passesPerTrained*len(e.Data.Train)/passes))
}

// spread takes n of the indices, evenly; all of them if n is 0.
func spread(indices []int, n int) []int { return loop.Spread(indices, cmp.Or(n, len(indices))) }

// Summary says what mattered to each class that samples were explained for.
type Summary struct {
	Command string `json:"command"`
	Data    string `json:"data"`
	Split   string `json:"split"`
	Samples int    `json:"samples"`
	Of      int    `json:"of"` // samples of the split, or of its class
	Method  string `json:"method"`
	// PredictedBy is what made the predictions that are explained, see models.Classifier.PredictedBy.
	PredictedBy string  `json:"predicted_by"`
	Steps       int     `json:"steps,omitempty"`  // of integrated gradients: the most that a sample took
	Class       string  `json:"-"`                // the only one explained; "" if it is the class predicted
	Gap         float64 `json:"completeness_gap"` // Σ gaps / Σ |logit − baseline|
	Classes     []Class `json:"classes"`
}

// Class says what mattered to one class, most first.
type Class struct {
	Name    string         `json:"class"`
	Samples int            `json:"samples"`
	Nodes   []Contribution `json:"nodes"`
	Sensors []Contribution `json:"sensors,omitempty"` // or joints: sums over frames
	Frames  []Contribution `json:"frames,omitempty"`  // sums over sensors
}

// Contribution is the mean of a node, a span of nodes, a sensor or a frame over samples, in units of the logit.
type Contribution struct {
	Index    int     `json:"index"`
	Name     string  `json:"name"`
	Mean     float64 `json:"mean"`
	Absolute float64 `json:"mean_absolute"`
}

// Run attributes all samples. If folder is not "", Run writes two CSV files there: the contributions of each sample,
// and the means of each class.
func (e *Explanation) Run(ctx context.Context, folder string) (Summary, error) {
	d := e.Data
	s := Summary{Command: "explain", Data: d.Name, Split: e.Split, Samples: len(e.Samples), Of: e.Of,
		PredictedBy: e.Classifier.PredictedBy()}
	if e.Class >= 0 {
		s.Class = d.ClassNames[e.Class]
	}
	layout := picture.NewLayout(e.Classifier.Graph, picture.Nodes{Grid: d.Grid, Series: d.Layout.Series(),
		Sensors: d.SensorNames, Parts: d.Parts, Coordinates: d.Coordinates, Names: d.NodeNames})
	means, change := make([]Mean, d.Classes()), math.SmallestNonzeroFloat64
	table := func(name string, heading []string, fill func(row func(cells ...any)) error) error {
		if folder == "" {
			return fill(func(...any) {})
		}
		return text.WriteCSV(filepath.Join(folder, name), heading, fill)
	}
	heading := []string{"sample", "true", "predicted", "explained", "node", "name", "contribution"}
	err := table("contributions.csv", heading, func(row func(cells ...any)) error {
		return e.Each(ctx, func(sample int, _ []float32, a models.Attribution) error {
			means[a.Class].Add(a)
			s.Method = a.Method
			if s.Method != models.GradientInput {
				s.Steps = max(s.Steps, a.Steps)
			}
			s.Gap += a.Gap
			change += math.Abs(a.Logit - a.Baseline)
			names := []any{d.SampleName(sample), d.ClassNames[d.Labels[sample]], a.Prediction.Name, d.ClassNames[a.Class]}
			for node, v := range a.Nodes {
				if v != 0 {
					row(append(names, node, d.NodeName(node), v)...)
				}
			}
			return nil
		})
	})
	if err != nil {
		return s, err
	}
	heading = []string{"class", "samples", "node", "name", "mean", "mean_absolute"}
	err = table("classes.csv", heading, func(row func(cells ...any)) error {
		for k, mean := range means {
			for node, v := range mean.Signed {
				row(d.ClassNames[k], mean.Samples, node, d.NodeName(node), v, mean.Absolute[node])
			}
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	s.Gap /= change
	for k, mean := range means {
		if mean.Samples > 0 {
			s.Classes = append(s.Classes, e.class(k, mean, layout, s.Method))
		}
	}
	return s, nil
}

// Each attributes the samples, and visits them in their order with the raw signal.
func (e *Explanation) Each(ctx context.Context, visit func(int, []float32, models.Attribution) error) error {
	d, done, o, atOnce := e.Data, 0, e.Options, attributedAtOnce
	if e.Classifier.Passes(o) > 0 {
		atOnce = hiddenAtOnce
	}
	for chunk := range slices.Chunk(e.Samples, atOnce) {
		signals, samples := make([][]float32, len(chunk)), make([][]float32, len(chunk))
		for i, sample := range chunk {
			signals[i] = make([]float32, d.Nodes*d.Channels)
			d.Signals.Read(sample, signals[i])
			samples[i] = d.Input(sample, signals[i])
		}
		if e.Class >= 0 {
			o.Classes = slices.Repeat([]int{e.Class}, len(chunk))
		}
		attributions, err := e.Classifier.Attribute(ctx, samples, o)
		if unusable, ok := errors.AsType[*models.SignalError](err); ok {
			return fmt.Errorf("sample %d of %s: %s", chunk[unusable.Index], d.Name, unusable.Reason)
		} else if err != nil {
			return err
		}
		for i, a := range attributions {
			if err := visit(chunk[i], signals[i], a); err != nil {
				return err
			}
		}
		done += len(chunk)
		if e.Progress != nil {
			e.Progress("explaining "+text.Count(len(e.Samples), "sample"), float64(done)/float64(len(e.Samples)))
		}
	}
	return nil
}

// class returns what mattered to class k. Nodes that were hidden together, a span of a sensor's frames, are one
// contribution: their sum.
func (e *Explanation) class(k int, mean Mean, layout *picture.Layout, method string) Class {
	c := Class{Name: e.Data.ClassNames[k], Samples: mean.Samples}
	overTime := layout.Kind == picture.OverTime
	for i := range e.Data.Nodes {
		if overTime {
			i = int(layout.Cells[i])
		}
		c.Nodes = append(c.Nodes, Contribution{i, e.Data.NodeName(i), mean.Signed[i], mean.Absolute[i]})
	}
	if overTime {
		c.Sensors, c.Frames = sums(mean, layout)
	}
	if overTime && method == models.Occlusion {
		c.Nodes, c.Frames = spans(c.Nodes, layout.Columns, " to "), spans(c.Frames, layout.Columns, " to ")
	}
	c.Nodes, c.Frames = MostFirst(c.Nodes), MostFirst(c.Frames)
	if !overTime && method == models.Occlusion { // a patch
		c.Nodes = spans(c.Nodes, len(c.Nodes), " … ")
	}
	c.Nodes = c.Nodes[:min(len(c.Nodes), mostNodes)]
	return c
}

// spans adds up contributions that are equal to the one before, in each row of so many columns. between is between the
// names of the first and the last.
func spans(contributions []Contribution, columns int, between string) (joined []Contribution) {
	var start Contribution
	for i, c := range contributions {
		if i%columns > 0 && c.Mean == start.Mean && c.Absolute == start.Absolute {
			span := &joined[len(joined)-1]
			span.Name, span.Mean, span.Absolute = start.Name+between+c.Name, span.Mean+c.Mean, span.Absolute+c.Absolute
			continue
		}
		start, joined = c, append(joined, c)
	}
	return joined
}

// sums adds up the nodes over the frames of each sensor, and over the sensors of each frame. It also adds their
// absolute values, so that frames do not cancel each other.
func sums(mean Mean, layout *picture.Layout) (sensors, frames []Contribution) {
	rows, columns := layout.Sums(mean.Signed)
	absoluteRows, absoluteColumns := layout.Sums(mean.Absolute)
	for row, name := range layout.RowNames {
		sensors = append(sensors, Contribution{layout.Sensor(row), name, rows[row], absoluteRows[row]})
	}
	for i, sum := range columns {
		frames = append(frames, Contribution{i, strconv.Itoa(i), sum, absoluteColumns[i]})
	}
	return MostFirst(sensors), frames
}

// MostFirst sorts contributions by their absolute values.
func MostFirst(contributions []Contribution) []Contribution {
	slices.SortStableFunc(contributions, func(a, b Contribution) int { return cmp.Compare(b.Absolute, a.Absolute) })
	return contributions
}

// Mean is the mean of some attributions, such as all of one class. Its zero value is ready for use.
type Mean struct {
	Samples  int
	Signed   []float64 // the mean contribution of each node
	Absolute []float64 // the mean of its absolute value
}

// Add takes one more attribution into the means.
func (m *Mean) Add(a models.Attribution) {
	if m.Samples == 0 {
		m.Signed, m.Absolute = make([]float64, len(a.Nodes)), make([]float64, len(a.Nodes))
	}
	m.Samples++
	for node, v := range a.Nodes {
		m.Signed[node] += (v - m.Signed[node]) / float64(m.Samples)
		m.Absolute[node] += (math.Abs(v) - m.Absolute[node]) / float64(m.Samples)
	}
}
