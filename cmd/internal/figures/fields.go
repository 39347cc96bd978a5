package figures

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"gonum.org/v1/plot"
)

// fields draws the input nodes coloured by their clusters, at each level that has several: a row for each loss and stage.
func (d drawing) fields(backend compute.Backend) (f figure, err error) {
	f.table = [][]string{{"loss", "stage", "level", "node", "cluster"}}
	for _, loss := range losses {
		dir := d.runs[loss][0]
		metadata, graph, err := models.ReadMetadata(dir)
		if err != nil {
			return f, err
		}
		stages, err := stagesOf(backend, dir)
		if err != nil {
			return f, err
		}
		if len(stages) == 1 {
			f.notes = append(f.notes, fmt.Sprintf("the run %s of %q is older than recorded hierarchies: only its best epoch is drawn; delete its folder to train it again", dir, loss))
		}
		spec, coordinates := metadata.Spec, []float64(nil)
		if spec.Grid == nil {
			data, err := d.load()
			if err != nil {
				return f, err
			}
			coordinates = data.Coordinates
		}
		layout := picture.NewLayout(graph, spec.Grid, spec.Parts, coordinates, nil)
		layout.RowNames = nil // they are too small to be read
		if f.sheet.Width, f.sheet.Height = 150, 166; layout.Kind == picture.OnSkeleton {
			f.sheet.Width, f.sheet.Height = 230, 150
		}
		for _, stage := range stages {
			var row []*plot.Plot
			for level, l := range spec.Levels {
				path := stage.Path(level + 1)
				for node, k := range path {
					f.table = append(f.table, []string{loss, stageName(stage), strconv.Itoa(level + 1), strconv.Itoa(node), strconv.Itoa(int(k))})
				}
				if l.Clusters > 1 {
					row = append(row, layout.Clusters(fmt.Sprintf("level %d: %d of %d clusters", level+1, distinct(path), l.Clusters), path, l.Clusters, false))
				}
			}
			if len(row) == 0 {
				return figure{notes: []string{"not drawn: the network has no level of more than one cluster"}}, nil
			}
			row[0].Y.Label.Text, row[0].Y.Label.TextStyle.Font.Size = loss+", "+stageName(stage), 10
			f.sheet.Panels = append(f.sheet.Panels, row)
		}
	}
	f.sheet.Title = "Receptive fields on " + d.data()
	return f, nil
}

// stagesOf are the first and the last recorded hierarchy of a run. Of a run that has none it is that of its best epoch, with the
// number 0.
func stagesOf(backend compute.Backend, dir string) ([]training.HierarchyEpoch, error) {
	recorded, err := training.ReadHierarchies(dir)
	if err != nil {
		return nil, err
	}
	if len(recorded) > 0 {
		return []training.HierarchyEpoch{recorded[0], recorded[len(recorded)-1]}, nil
	}
	c, err := models.Load(dir, models.WithBackend(backend))
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	levels, err := c.ClusterLevels()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var best training.HierarchyEpoch
	for _, level := range levels {
		best.Clusters = append(best.Clusters, level.Memberships.Hard())
	}
	return []training.HierarchyEpoch{best}, nil
}

func stageName(h training.HierarchyEpoch) string {
	if h.Epoch == 0 {
		return "best epoch"
	}
	return fmt.Sprintf("epoch %d", h.Epoch)
}

// distinct counts the clusters of a path.
func distinct(path []int32) int { return len(slices.Compact(slices.Sorted(slices.Values(path)))) }
