package explain

import (
	"fmt"
	"path/filepath"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/cmd/internal/text"
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

// pictures writes contributions to a folder, and draws them where the nodes are: on the image, the skeleton or the graph.
type pictures struct {
	*Explanation
	folder  string
	samples []drawnSample
}

type drawnSample struct {
	index  int
	signal []float32
	models.Attribution
}

// keep takes note of a sample, unless there are enough.
func (p *pictures) keep(sample int, signal []float32, a models.Attribution) {
	if len(p.samples) < mostSamplePictures {
		p.samples = append(p.samples, drawnSample{sample, signal, a})
	}
}

// files writes contributions.csv, whose rows come from attribute, then classes.csv and the pictures.
func (p *pictures) files(attribute func(row func(cells ...any)) error, means []models.MeanAttribution) error {
	err := text.WriteCSV(filepath.Join(p.folder, "contributions.csv"), []string{"sample", "true", "predicted", "explained", "node", "name", "contribution"}, attribute)
	if err != nil {
		return err
	}
	err = text.WriteCSV(filepath.Join(p.folder, "classes.csv"), []string{"class", "samples", "node", "name", "mean", "mean_absolute"}, func(row func(cells ...any)) error {
		for k, mean := range means {
			for node, v := range mean.Signed {
				row(p.Data.ClassNames[k], mean.Samples, node, p.names[node], v, mean.Absolute[node])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.draw(means)
}

// draw draws the means of all classes that were explained, class_K.png, and the samples kept, sample_N.png.
func (p *pictures) draw(means []models.MeanAttribution) error {
	layout := picture.NewLayout(p.Classifier.Graph, p.Data.Grid, p.Data.Parts, p.Data.Coordinates, p.Data.NodeNames)
	save := func(name, title string, panels ...*plot.Plot) error {
		width, height := layout.Size()
		sheet := picture.Sheet{Title: title, Panels: [][]*plot.Plot{panels}, Width: width + picture.BarWidth/vg.Length(len(panels)), Height: max(height, 150)}
		return sheet.Save(filepath.Join(p.folder, name))
	}
	class := func(k int) string { return text.Shorten(p.Data.ClassNames[k], text.LongestName) }
	drawn := 0
	for k, mean := range means {
		if mean.Samples == 0 || drawn == mostClassPictures {
			continue
		}
		drawn++
		title := fmt.Sprintf("class %s, mean of %s", class(k), text.Count(mean.Samples, "sample"))
		if err := save(fmt.Sprintf("class_%d.png", k), title, layout.Values("", contributionLabel, mean.Signed)); err != nil {
			return err
		}
	}
	for _, s := range p.samples {
		label := int(p.Data.Labels[s.index])
		title := fmt.Sprintf("sample %d, class %s", s.index, class(label))
		if s.Prediction.Class != label {
			title += ", taken for " + class(s.Prediction.Class)
		}
		panels := []*plot.Plot{layout.Values("explained: class "+class(s.Class), contributionLabel, s.Nodes)}
		if c := p.Data.Channels; layout.Kind == picture.OnGrid && (c == 1 || c == 3) {
			panels = []*plot.Plot{layout.Image("the signal", s.signal, c), panels[0]}
		}
		if err := save(fmt.Sprintf("sample_%d.png", s.index), title, panels...); err != nil {
			return err
		}
	}
	return nil
}
