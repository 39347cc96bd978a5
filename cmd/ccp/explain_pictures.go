package main

import (
	"fmt"
	"path/filepath"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
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
	graph   *affinity.Matrix
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
	layout := picture.NewLayout(p.graph, p.data.Grid, p.data.Parts, p.data.Coordinates, p.data.NodeNames)
	save := func(name, title string, panels ...*plot.Plot) error {
		width, height := layout.Size()
		sheet := picture.Sheet{Title: title, Panels: [][]*plot.Plot{panels}, Width: width + picture.BarWidth/vg.Length(len(panels)), Height: max(height, 150)}
		return sheet.Save(filepath.Join(p.folder, name))
	}
	drawn := 0
	for k, mean := range means {
		if mean.Samples == 0 || drawn == mostClassPictures {
			continue
		}
		drawn++
		title := fmt.Sprintf("class %s, mean of %s", shorten(p.data.ClassNames[k], longestName), count(mean.Samples, "sample"))
		if err := save(fmt.Sprintf("class_%d.png", k), title, layout.Values("", contributionLabel, mean.Signed)); err != nil {
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
		panels := []*plot.Plot{layout.Values(what, contributionLabel, s.Nodes)}
		if c := p.data.Channels; layout.Kind == picture.OnGrid && (c == 1 || c == 3) {
			panels = []*plot.Plot{layout.Image("the signal", s.signal, c), panels[0]}
		}
		if err := save(fmt.Sprintf("sample_%d.png", s.index), truth, panels...); err != nil {
			return err
		}
	}
	return nil
}
