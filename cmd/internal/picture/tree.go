package picture

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Tree is a dendrogram: the clusters of one level from left to right at the bottom, those of each further level above the ones that
// they consist of.
type Tree struct {
	Title string
	First int // number of the level at the bottom
	// Used says which clusters of that level have nodes; the others, and all above that have none, are left out.
	Used []bool
	// Parents holds, for each level from the first on but the last, the cluster of the next level that each of its clusters is in.
	Parents [][]int32
}

// branch is a cluster as it is drawn: above the middle of the leaves that it consists of.
type branch struct {
	cluster     int32
	first, last int // of the leaves, from the left
}

func (b branch) middle() float64 { return float64(b.first+b.last) / 2 }

// grow puts the branches of each level in their order from the left.
func (t Tree) grow() [][]branch {
	var lines [][]int32 // of each leaf: its clusters from the last level down
	for k, used := range t.Used {
		if used {
			line := []int32{int32(k)}
			for _, parents := range t.Parents {
				line = append(line, parents[line[len(line)-1]])
			}
			slices.Reverse(line)
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, slices.Compare)
	levels := make([][]branch, len(t.Parents)+1)
	for level := range levels {
		depth := len(t.Parents) - level
		for leaf, line := range lines {
			if leaf == 0 || !slices.Equal(line[:depth+1], lines[leaf-1][:depth+1]) {
				levels[level] = append(levels[level], branch{cluster: line[depth], first: leaf})
			}
			levels[level][len(levels[level])-1].last = leaf
		}
	}
	return levels
}

// Save draws the tree into files of these paths, which end in .png or .svg. Errors name the file.
func (t Tree) Save(paths ...string) error {
	p := blank(t.Title)
	p.Y.Label.Text = "level"
	p.HideX()
	levels, ticks := t.grow(), plot.ConstantTicks{}
	for level := range levels {
		ticks = append(ticks, plot.Tick{Value: float64(level), Label: fmt.Sprint(level + t.First)})
	}
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.Width = ticks, 0, 0
	p.Add(marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		line := draw.LineStyle{Color: color.Gray{0x40}, Width: vg.Points(0.6)}
		for level, branches := range levels {
			for _, b := range branches {
				here := at(b.middle(), float64(level))
				if level+1 < len(levels) {
					parent := levels[level+1][slices.IndexFunc(levels[level+1], func(p branch) bool { return p.last >= b.last })]
					above := at(parent.middle(), float64(level+1))
					half := (here.Y + above.Y) / 2
					canvas.StrokeLines(line, []vg.Point{here, {X: here.X, Y: half}, {X: above.X, Y: half}, above})
				}
				if len(branches) <= mostLabels { // over the lines from below
					number(canvas, here, int(b.cluster))
				}
			}
		}
	}))
	leaves := len(levels[0])
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -1, float64(leaves), -0.2, float64(len(t.Parents))+0.3
	return Save(p, vg.Length(min(720, max(200, 14*leaves))), vg.Length(60+60*len(levels)), paths...)
}
