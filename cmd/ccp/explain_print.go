package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// What is printed of a class at most; the files of --out hold all of it.
const (
	mostNodes = 10
	mostSums  = 5 // joints, and frames
)

// explainJSON is what `ccp explain --json` prints.
type explainJSON struct {
	Command string             `json:"command"`
	Data    string             `json:"data"`
	Split   string             `json:"split"`
	Samples int                `json:"samples"`
	Method  string             `json:"method"`
	Steps   int                `json:"steps,omitempty"`
	Gap     float64            `json:"completeness_gap"` // Σ gaps / Σ |logit − baseline|
	Classes []classExplanation `json:"classes"`
}

// classExplanation is what mattered to one class, most first.
type classExplanation struct {
	Name    string             `json:"name"`
	Samples int                `json:"samples"`
	Nodes   []meanContribution `json:"nodes"`
	Joints  []meanContribution `json:"joints,omitempty"` // sums over frames
	Frames  []meanContribution `json:"frames,omitempty"` // sums over joints
}

// meanContribution is that of a node, a joint or a frame, over samples.
type meanContribution struct {
	Index    int     `json:"index"`
	Name     string  `json:"name"`
	Mean     float64 `json:"mean"`
	Absolute float64 `json:"mean_absolute"`
}

// nodeNames are the names of a data set's nodes, or else their places on its grid, or else their numbers.
func nodeNames(d *datasets.Dataset) []string {
	if d.NodeNames != nil {
		return d.NodeNames
	}
	names := make([]string, d.Nodes)
	for i := range names {
		if names[i] = fmt.Sprintf("node %d", i); d.Grid != nil {
			names[i] = fmt.Sprintf("row %d column %d", i/d.Grid[1], i%d.Grid[1])
		}
	}
	return names
}

// json sums up what was attributed; classes that no sample was explained for are left out.
func (e *explanation) json(names []string) explainJSON {
	j := explainJSON{Command: "explain", Data: e.data.Name, Split: e.split, Samples: len(e.samples), Method: e.options.Method,
		Gap: e.gap / math.Max(e.change, math.SmallestNonzeroFloat64)}
	if j.Method == models.IntegratedGradients {
		j.Steps = e.options.Steps
	}
	for k, mean := range e.means {
		if mean.Samples == 0 {
			continue
		}
		nodes := make([]meanContribution, len(names))
		for i, name := range names {
			nodes[i] = meanContribution{i, name, mean.Signed[i], mean.Absolute[i]}
		}
		c := classExplanation{Name: e.data.ClassNames[k], Samples: mean.Samples}
		if e.data.Parts != nil {
			c.Joints, c.Frames = bodySums(nodes, e.data.Grid)
		}
		mostFirst(nodes)
		c.Nodes = nodes[:min(len(nodes), mostNodes)]
		j.Classes = append(j.Classes, c)
	}
	return j
}

// bodySums adds up nodes, whose names are such as head@12, over the frames of each joint and over the joints of each frame. Absolute
// values are added, so that frames do not cancel each other.
func bodySums(nodes []meanContribution, grid []int) (joints, frames []meanContribution) {
	joints, frames = make([]meanContribution, grid[1]), make([]meanContribution, grid[0])
	for i, node := range nodes {
		frame, joint := i/grid[1], i%grid[1]
		name, _, _ := strings.Cut(node.Name, "@")
		joints[joint].Index, joints[joint].Name = joint, name
		frames[frame].Index, frames[frame].Name = frame, fmt.Sprintf("frame %d", frame)
		for _, sum := range []*meanContribution{&joints[joint], &frames[frame]} {
			sum.Mean += node.Mean
			sum.Absolute += node.Absolute
		}
	}
	mostFirst(joints)
	mostFirst(frames)
	return joints, frames
}

func mostFirst(contributions []meanContribution) {
	slices.SortStableFunc(contributions, func(a, b meanContribution) int { return cmp.Compare(b.Absolute, a.Absolute) })
}

// print prints the nodes that mattered most to each class.
func (e *explanation) print(w io.Writer, names []string) {
	j := e.json(names)
	method, way := "gradient x input", "; --method integrated is closer"
	if j.Method == models.IntegratedGradients {
		method, way = "integrated gradients, "+count(j.Steps, "step"), ""
	}
	what := "the class predicted"
	if e.class >= 0 {
		what = e.data.ClassNames[e.class]
	}
	fmt.Fprintf(w, "%s, %s split: %s explained by %s\n", j.Data, j.Split, count(j.Samples, "sample"), method)
	fmt.Fprintf(w, "contributions to the logit of %s: above zero they speak for it; they add up to its\nchange from the baseline (0 in normalised units), give or take %.1f%%%s\n", what, 100*j.Gap, way)
	for _, c := range j.Classes {
		fmt.Fprintf(w, "\n%s: %s\n", c.Name, count(c.Samples, "sample"))
		width := len("node")
		for _, node := range c.Nodes {
			width = max(width, len([]rune(shorten(node.Name, longestName))))
		}
		fmt.Fprintf(w, "  %-*s      mean  mean absolute\n", width, "node")
		for _, node := range c.Nodes {
			fmt.Fprintf(w, "  %-*s  %+8.4f  %13.4f\n", width, shorten(node.Name, longestName), node.Mean, node.Absolute)
		}
		printSums(w, "joints", c.Joints)
		printSums(w, "frames", c.Frames)
	}
}

// printSums prints, on a line, which joints or frames mattered most.
func printSums(w io.Writer, title string, sums []meanContribution) {
	if len(sums) == 0 {
		return
	}
	var words []string
	for _, sum := range sums[:min(len(sums), mostSums)] {
		words = append(words, fmt.Sprintf("%s %.3f", strings.TrimPrefix(sum.Name, "frame "), sum.Absolute))
	}
	fmt.Fprintf(w, "  %s, mean absolute: %s\n", title, strings.Join(words, ", "))
}
