package explain

import (
	"fmt"
	"path/filepath"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/models"
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
	x, y    []float64 // of the nodes, where they lie on no grid
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
	if p.Data.Grid == nil {
		p.x, p.y = picture.Layout(p.Classifier.Graph, p.Data.Coordinates)
	}
	class := func(k int) string { return text.Shorten(p.Data.ClassNames[k], text.LongestName) }
	drawn := 0
	for k, mean := range means {
		if mean.Samples == 0 || drawn == mostClassPictures {
			continue
		}
		drawn++
		title := fmt.Sprintf("class %s, mean of %s", class(k), text.Count(mean.Samples, "sample"))
		if err := p.save(fmt.Sprintf("class_%d.png", k), title, p.panel("", mean.Signed)); err != nil {
			return err
		}
	}
	for _, s := range p.samples {
		label := int(p.Data.Labels[s.index])
		title := fmt.Sprintf("sample %d, class %s", s.index, class(label))
		if s.Prediction.Class != label {
			title += ", taken for " + class(s.Prediction.Class)
		}
		panels := []picture.Panel{p.panel("explained: class "+class(s.Class), s.Nodes)}
		if c := p.Data.Channels; p.Data.Grid != nil && p.Data.Parts == nil && (c == 1 || c == 3) {
			panels = []picture.Panel{picture.Image{Title: "the signal", Rows: p.Data.Grid[0], Columns: p.Data.Grid[1], Channels: c, Values: s.signal}, panels[0]}
		}
		if err := p.save(fmt.Sprintf("sample_%d.png", s.index), title, panels...); err != nil {
			return err
		}
	}
	return nil
}

// panel draws a number for each node.
func (p *pictures) panel(title string, values []float64) picture.Panel {
	switch grid := p.Data.Grid; {
	case grid == nil:
		return picture.HeatPoints{Title: title, Label: contributionLabel, X: p.x, Y: p.y, Graph: p.Classifier.Graph, Values: values, Names: p.Data.NodeNames}
	case p.Data.Parts != nil:
		return picture.SkeletonHeat(title, contributionLabel, grid[0], grid[1], p.Data.Parts, p.Data.JointNames(), values)
	default:
		return picture.Heat{Title: title, Label: contributionLabel, Rows: grid[0], Columns: grid[1], Values: values}
	}
}

func (p *pictures) save(name, title string, panels ...picture.Panel) error {
	sheet := picture.Sheet{Title: title, Panels: [][]picture.Panel{panels}, Width: 220, Height: 236}
	switch {
	case p.Data.Grid == nil:
		sheet.Width, sheet.Height = 360, 384
	case p.Data.Parts != nil:
		sheet.Width, sheet.Height = 360, 220
	}
	return sheet.Save(filepath.Join(p.folder, name))
}
