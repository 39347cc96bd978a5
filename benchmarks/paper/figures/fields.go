package figures

import (
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/plot"
)

// fields draws the input nodes in the colours of their clusters, at each level that has several clusters. Each loss
// has two rows, for the first epoch and for the last.
func (d drawing) fields() (f figure, err error) {
	f.heading = []string{"loss", "stage", "level", "node", "cluster"}
	for _, loss := range losses {
		dir := d.runs[loss][0]
		metadata, graph, err := models.ReadMetadata(dir)
		if err != nil {
			return f, err
		}
		recorded, err := training.ReadHierarchies(dir)
		if err != nil {
			return f, err
		}
		if len(recorded) == 0 {
			return figure{note: fmt.Sprintf("not drawn: the run %s of %q has no recorded hierarchies; "+
				"delete its folder to train it again", dir, loss)}, nil
		}
		data, err := d.load()
		if err != nil {
			return f, err
		}
		spec, layout := metadata.Spec, picture.NewLayout(graph, picture.Nodes{Grid: data.Grid,
			Series: data.Layout.Series(), Sensors: data.SensorNames, Parts: data.Parts,
			Coordinates: data.Coordinates, Names: data.NodeNames})
		layout.RowNames = nil // they are too small to be read
		f.sheet.Width, f.sheet.Height = 150, 166
		if layout.Kind == picture.OverTime {
			f.sheet.Width, f.sheet.Height = 230, 150
		}
		for _, h := range []training.HierarchyEpoch{recorded[0], recorded[len(recorded)-1]} {
			stage := fmt.Sprintf("epoch %d", h.Epoch)
			row := f.fieldsAt(h, spec.Levels, layout, loss, stage)
			if len(row) == 0 {
				return figure{note: "not drawn: the network has no level of more than one cluster"}, nil
			}
			row[0].Y.Label.Text, row[0].Y.Label.TextStyle.Font.Size = loss+", "+stage, 10
			f.sheet.Panels = append(f.sheet.Panels, row)
		}
	}
	f.sheet.Title = "Receptive fields on " + d.data
	return f, nil
}

// fieldsAt returns a panel for each level of several clusters, as they were after an epoch, and adds the clusters of
// all levels to the figure's table.
func (f *figure) fieldsAt(h training.HierarchyEpoch, levels []models.Level, layout *picture.Layout, loss,
	stage string) (row []*plot.Plot) {
	for i, level := range levels {
		path := h.Clusters.Path(i + 1)
		for node, k := range path {
			f.table = append(f.table, []any{loss, stage, i + 1, node, k})
		}
		if level.Clusters > 1 {
			used := len(slices.Compact(slices.Sorted(slices.Values(path))))
			title := fmt.Sprintf("level %d: %d of %d clusters", i+1, used, level.Clusters)
			row = append(row, layout.Clusters(title, path, level.Clusters, false))
		}
	}
	return row
}
