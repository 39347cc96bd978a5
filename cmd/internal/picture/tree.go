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

// grow makes the branches from the bottom up, and gives each leaf its place. The results are those of the last level, and how many
// there are at each level.
func (t Tree) grow() (below []*branch, count []int) {
	for k, used := range t.Used {
		if used {
			below = append(below, &branch{cluster: k})
		}
	}
	count = []int{len(below)}
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
		below, count = above, append(count, len(above))
	}
	leaves := 0
	for _, b := range below {
		b.place(&leaves)
	}
	return below, count
}

// place puts leaves next to each other, and each other branch above the middle of its children.
func (b *branch) place(leaves *int) {
	if len(b.children) == 0 {
		b.x = float64(*leaves)
		*leaves++
		return
	}
	for _, child := range b.children {
		child.place(leaves)
	}
	b.x = (b.children[0].x + b.children[len(b.children)-1].x) / 2
}

// Save draws the tree into files of these paths, which end in .png or .svg. Errors name the file.
func (t Tree) Save(paths ...string) error {
	p := blank(t.Title)
	p.Y.Label.Text = "level"
	p.HideX()
	roots, count := t.grow()
	ticks := plot.ConstantTicks{}
	for level := range count {
		ticks = append(ticks, plot.Tick{Value: float64(level), Label: fmt.Sprint(level + t.First)})
	}
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.Width = ticks, 0, 0
	p.Add(marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for _, root := range roots {
			root.draw(canvas, count, at)
		}
	}))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -1, float64(count[0]), -0.2, float64(len(t.Parents))+0.3
	return Save(p, vg.Length(min(720, max(200, 14*count[0]))), vg.Length(60+60*len(count)), paths...)
}

// draw draws a branch and those below it, with their numbers at levels of few.
func (b *branch) draw(canvas draw.Canvas, count []int, at func(x, y float64) vg.Point) {
	here := at(b.x, float64(b.level))
	for _, child := range b.children {
		under := at(child.x, float64(child.level))
		half := (here.Y + under.Y) / 2
		canvas.StrokeLines(draw.LineStyle{Color: color.Gray{0x40}, Width: vg.Points(0.6)}, []vg.Point{here, {X: here.X, Y: half}, {X: under.X, Y: half}, under})
		child.draw(canvas, count, at)
	}
	if count[b.level] <= mostLabels {
		number(canvas, here, b.cluster)
	}
}
