package figures

import (
	"fmt"
	"strconv"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
)

// stage is a run's hierarchy at some time of its training.
type stage struct {
	name     string
	clusters [][]int32 // of each level: the cluster that each of the level's nodes belongs to most
}

// fields draws the input nodes coloured by their clusters, at each level that has several: a row for each loss and stage.
func (d drawing) fields(backend compute.Backend) (sheet picture.Sheet, table [][]string, notes []string, err error) {
	sheet.Title = "Receptive fields on " + d.data()
	table = [][]string{{"loss", "stage", "level", "node", "cluster"}}
	for _, loss := range losses {
		dir := d.runs[loss][0]
		metadata, graph, err := models.ReadMetadata(dir)
		if err != nil {
			return sheet, nil, nil, err
		}
		stages, err := stagesOf(backend, dir)
		if err != nil {
			return sheet, nil, nil, err
		}
		if len(stages) == 1 {
			notes = append(notes, fmt.Sprintf("the run %s of %q is older than recorded hierarchies: only its best epoch is drawn; delete its folder to train it again", dir, loss))
		}
		layout := layout{spec: metadata.Spec, graph: graph}
		if layout.spec.Grid == nil {
			data, err := d.load()
			if err != nil {
				return sheet, nil, nil, err
			}
			layout.x, layout.y = picture.Layout(graph, data.Coordinates)
		}
		sheet.Width, sheet.Height = layout.size()
		for _, s := range stages {
			var row []picture.Panel
			path := s.clusters[0]
			for level, l := range metadata.Spec.Levels {
				if level > 0 {
					path = through(path, s.clusters[level])
				}
				for node, k := range path {
					table = append(table, []string{loss, s.name, strconv.Itoa(level + 1), strconv.Itoa(node), strconv.Itoa(int(k))})
				}
				if l.Clusters > 1 {
					row = append(row, layout.panel(fmt.Sprintf("level %d: %d of %d clusters", level+1, distinct(path), l.Clusters), path, l.Clusters))
				}
			}
			sheet.Panels, sheet.Rows = append(sheet.Panels, row), append(sheet.Rows, loss+", "+s.name)
		}
	}
	if len(sheet.Panels[0]) == 0 {
		return picture.Sheet{}, nil, []string{"not drawn: the network has no level of more than one cluster"}, nil
	}
	return sheet, table, notes, nil
}

// stagesOf are the first and the last recorded hierarchy of a run, or, of one that has none, that of its best epoch.
func stagesOf(backend compute.Backend, dir string) ([]stage, error) {
	recorded, err := training.ReadHierarchies(dir)
	if err != nil {
		return nil, err
	}
	if len(recorded) > 0 {
		first, last := recorded[0], recorded[len(recorded)-1]
		stages := []stage{{epochName(first.Epoch), first.Clusters}, {epochName(last.Epoch), last.Clusters}}
		return stages, nil
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
	best := stage{name: "best epoch"}
	for _, level := range levels {
		best.clusters = append(best.clusters, level.Memberships.Hard())
	}
	return []stage{best}, nil
}

func epochName(epoch int) string {
	if epoch == 0 {
		return "before"
	}
	return fmt.Sprintf("epoch %d", epoch)
}

// through is each input node's cluster of the next level, from its cluster of this one.
func through(path, next []int32) []int32 {
	above := make([]int32, len(path))
	for i, k := range path {
		above[i] = next[k]
	}
	return above
}

func distinct(path []int32) int {
	seen := map[int32]bool{}
	for _, k := range path {
		seen[k] = true
	}
	return len(seen)
}

// layout is where the input nodes are drawn.
type layout struct {
	spec  models.Spec
	graph *affinity.Matrix
	x, y  []float64 // without a grid
}

// size is that of a panel.
func (l layout) size() (width, height float64) {
	if l.spec.Parts != nil {
		return 230, 150
	}
	return 150, 166
}

func (l layout) panel(title string, cluster []int32, clusters int) picture.Panel {
	switch grid := l.spec.Grid; {
	case grid == nil:
		return picture.Points{Title: title, X: l.x, Y: l.y, Graph: l.graph, Cluster: cluster, Clusters: clusters, Plain: true}
	case l.spec.Parts != nil:
		cells := picture.Skeleton(title, grid[0], grid[1], l.spec.Parts, nil, cluster, clusters)
		cells.Plain, cells.RowNames = true, make([]string, grid[1]) // too small to be read
		return cells
	default:
		return picture.Cells{Title: title, Rows: grid[0], Columns: grid[1], Cluster: cluster, Clusters: clusters, Plain: true}
	}
}
