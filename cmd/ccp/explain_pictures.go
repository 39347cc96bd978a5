package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// How many pictures are drawn at most; the CSV files hold all of it.
const (
	mostSamplePictures = 8
	mostClassPictures  = 60
)

const contributionLabel = "contribution to the logit"

// drawnSample is a sample that has a picture.
type drawnSample struct {
	index  int
	signal []float32
	models.Attribution
}

// explanationPictures draws contributions where the nodes are: on the image, the skeleton or the graph.
type explanationPictures struct {
	folder  string
	data    *datasets.Dataset
	joints  []string // their names; nil where the nodes are no skeleton's or have no names
	graph   *affinity.Matrix
	x, y    []float64 // of the nodes, where they lie on no grid
	samples []drawnSample
}

// keep takes note of a sample, unless there are enough.
func (p *explanationPictures) keep(sample int, signal []float32, a models.Attribution) {
	if len(p.samples) < mostSamplePictures {
		p.samples = append(p.samples, drawnSample{sample, signal, a})
	}
}

// write draws the means of all classes that were explained, class_K.png, and the samples kept, sample_N.png.
func (p *explanationPictures) write(means []models.MeanAttribution) error {
	if p.data.Grid == nil {
		p.x, p.y = picture.Layout(p.graph, p.data.Coordinates)
	}
	if p.data.Parts != nil && p.data.NodeNames != nil {
		for _, name := range p.data.NodeNames[:p.data.Grid[1]] {
			name, _, _ = strings.Cut(name, "@")
			p.joints = append(p.joints, name)
		}
	}
	drawn := 0
	for k, mean := range means {
		if mean.Samples == 0 || drawn == mostClassPictures {
			continue
		}
		drawn++
		title := fmt.Sprintf("class %s, mean of %s", shorten(p.data.ClassNames[k], longestName), count(mean.Samples, "sample"))
		if err := p.save(fmt.Sprintf("class_%d.png", k), title, p.panel("", mean.Signed)); err != nil {
			return err
		}
	}
	for _, s := range p.samples {
		class := func(k int) string { return shorten(p.data.ClassNames[k], longestName) }
		truth := fmt.Sprintf("sample %d, class %s", s.index, class(int(p.data.Labels[s.index])))
		what := "explained: class " + class(s.Class)
		if s.Prediction.Class != int(p.data.Labels[s.index]) {
			truth += ", taken for " + class(s.Prediction.Class)
		}
		panels := []picture.Panel{p.panel(what, s.Nodes)}
		if c := p.data.Channels; p.data.Grid != nil && p.data.Parts == nil && (c == 1 || c == 3) {
			panels = []picture.Panel{picture.Image{Title: "the signal", Rows: p.data.Grid[0], Columns: p.data.Grid[1], Channels: c, Values: s.signal}, panels[0]}
		}
		if err := p.save(fmt.Sprintf("sample_%d.png", s.index), truth, panels...); err != nil {
			return err
		}
	}
	return nil
}

// panel draws a number for each node.
func (p *explanationPictures) panel(title string, values []float64) picture.Panel {
	switch grid := p.data.Grid; {
	case grid == nil:
		return picture.HeatPoints{Title: title, Label: contributionLabel, X: p.x, Y: p.y, Graph: p.graph, Values: values, Names: p.data.NodeNames}
	case p.data.Parts != nil:
		return picture.SkeletonHeat(title, contributionLabel, grid[0], grid[1], p.data.Parts, p.joints, values)
	default:
		return picture.Heat{Title: title, Label: contributionLabel, Rows: grid[0], Columns: grid[1], Values: values}
	}
}

func (p *explanationPictures) save(name, title string, panels ...picture.Panel) error {
	sheet := picture.Sheet{Title: title, Panels: [][]picture.Panel{panels}, Width: 220, Height: 236}
	switch {
	case p.data.Grid == nil:
		sheet.Width, sheet.Height = 360, 384
	case p.data.Parts != nil:
		sheet.Width, sheet.Height = 360, 220
	}
	return sheet.Save(filepath.Join(p.folder, name))
}
