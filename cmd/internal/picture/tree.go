package picture

import (
	"fmt"
	"image/color"

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

// branch is a cluster as it is drawn.
type branch struct {
	level, cluster int
	x              float64
	children       []*branch
}

// grow makes the branches from the bottom up, and gives each leaf its place. The result are those of the last level.
func (t Tree) grow() []*branch {
	var below []*branch
	for k, used := range t.Used {
		if used {
			below = append(below, &branch{cluster: k})
		}
	}
	for level, parents := range t.Parents {
		byParent := map[int32]*branch{}
		var above []*branch
		for _, b := range below {
			k := parents[b.cluster]
			if byParent[k] == nil {
				byParent[k] = &branch{level: level + 1, cluster: int(k)}
				above = append(above, byParent[k])
			}
			byParent[k].children = append(byParent[k].children, b)
		}
		below = above
	}
	leaves := 0
	for _, b := range below {
		b.place(&leaves)
	}
	return below
}

// place puts leaves next to each other, and each other branch above the middle of its children.
func (b *branch) place(leaves *int) {
	if len(b.children) == 0 {
		b.x = float64(*leaves)
		*leaves++
	}
	for _, child := range b.children {
		child.place(leaves)
	}
	if len(b.children) > 0 {
		b.x = (b.children[0].x + b.children[len(b.children)-1].x) / 2
	}
}

// Save draws the tree into files of these paths, which end in .png or .svg. Errors name the file.
func (t Tree) Save(paths ...string) error {
	p := blank(t.Title)
	p.Y.Label.Text = "level"
	p.HideX()
	var ticks []plot.Tick
	for level := range len(t.Parents) + 1 {
		ticks = append(ticks, plot.Tick{Value: float64(level), Label: fmt.Sprint(level + t.First)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length, p.Y.Width = 0, 0
	drawn := treePlot{roots: t.grow(), count: make([]int, len(ticks))}
	drawn.tally(drawn.roots)
	p.Add(drawn)
	leaves := drawn.count[0]
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -1, float64(leaves), -0.2, float64(len(t.Parents))+0.3
	return save(p, vg.Length(min(720, max(200, 14*leaves))), vg.Length(60+60*len(ticks)), paths)
}

// treePlot is a Tree as a plotter.
type treePlot struct {
	roots []*branch
	count []int // branches at each level
}

func (t treePlot) tally(branches []*branch) {
	for _, b := range branches {
		t.count[b.level]++
		t.tally(b.children)
	}
}

// Plot implements plot.Plotter.
func (t treePlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	for _, root := range t.roots {
		t.branch(canvas, root, x, y)
	}
}

func (t treePlot) branch(canvas draw.Canvas, b *branch, x, y func(float64) vg.Length) {
	line := draw.LineStyle{Color: color.Gray{0x40}, Width: vg.Points(0.6)}
	at := vg.Point{X: x(b.x), Y: y(float64(b.level))}
	for _, child := range b.children {
		under := vg.Point{X: x(child.x), Y: y(float64(child.level))}
		half := (at.Y + under.Y) / 2
		canvas.StrokeLines(line, []vg.Point{at, {X: at.X, Y: half}, {X: under.X, Y: half}, under})
		t.branch(canvas, child, x, y)
	}
	if t.count[b.level] <= mostLabels {
		number(canvas, at, b.cluster)
	}
}
