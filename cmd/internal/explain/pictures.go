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

// At most so many pictures are drawn, with this label. The CSV files hold all classes and samples.
const (
	mostSamplePictures = 8
	mostClassPictures  = 60
	contributed        = "contribution to the logit"
)

// drawnSample is a sample with its raw signal, to be drawn.
type drawnSample struct {
	index  int
	signal []float32
	models.Attribution
}

// draw writes the means of all classes that were explained, class_K.png, and some samples, sample_N.png, to a folder.
// The contributions lie where the nodes are: on the image, over time or on the graph.
func (e *Explanation) draw(folder string, layout *picture.Layout, means []Mean, samples []drawnSample) error {
	width, height := layout.Size()
	save := func(name, title string, panels ...*plot.Plot) error {
		sheet := picture.Sheet{Title: title, Panels: [][]*plot.Plot{panels}, Height: max(height, 150)}
		sheet.Width = width + picture.BarWidth/vg.Length(len(panels))
		return sheet.Save(filepath.Join(folder, name))
	}
	class := func(k int) string { return text.Shorten(e.Data.ClassNames[k], text.LongestName) }
	for k, mean := range means[:min(len(means), mostClassPictures)] {
		if mean.Samples == 0 {
			continue
		}
		title := fmt.Sprintf("class %s, mean of %s", class(k), text.Count(mean.Samples, "sample"))
		if err := save(fmt.Sprintf("class_%d.png", k), title, layout.Values("", contributed, mean.Signed)); err != nil {
			return err
		}
	}
	for _, s := range samples {
		label := int(e.Data.Labels[s.index])
		title := fmt.Sprintf("sample %s, class %s", e.Data.SampleName(s.index), class(label))
		if s.Prediction.Class != label {
			title += ", taken for " + class(s.Prediction.Class)
		}
		panels := layout.Sample(contributed, s.signal, s.Values, e.Data.Channels)
		panels[len(panels)-1].Title.Text = "explained: class " + class(s.Class)
		if err := save(fmt.Sprintf("sample_%d.png", s.index), title, panels...); err != nil {
			return err
		}
	}
	return nil
}
