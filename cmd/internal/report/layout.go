package report

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/clusterpool/ccp/datasets/skeleton"
)

// newLayout lays out the nodes of a graph: on their grid, if there is one, with time to the right if it is a skeleton's; else at their
// coordinates or, without any, by the graph's spectrum.
func newLayout(a *affinity.Matrix, grid []int, parts [][]int, coordinates []float64, names []string) *Layout {
	switch {
	case grid == nil:
		l := &Layout{Kind: OnPlane, Spectral: coordinates == nil}
		x, y := picture.Layout(a, coordinates)
		l.X, l.Y = fitted(x, y)
		return l
	case parts == nil:
		return &Layout{Kind: OnGrid, Rows: grid[0], Columns: grid[1]}
	}
	frames, joints := grid[0], grid[1]
	nodes := make([]int32, frames*joints)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	cells := picture.Skeleton("", frames, joints, parts, skeleton.JointNames(names, joints), nodes, len(nodes))
	l := &Layout{Kind: OnSkeleton, Rows: cells.Rows, Columns: cells.Columns, Cells: cells.Cluster, RowNames: cells.RowNames, Rules: cells.Rules}
	for joint := range joints {
		neighbours, _ := a.Row(joint)
		for _, j := range neighbours {
			if int(j) > joint && int(j) < joints {
				l.Bones = append(l.Bones, [2]int{joint, int(j)})
			}
		}
	}
	return l
}

// fitted brings points to the unit square, y downwards, with the same scale for both.
func fitted(x, y []float64) (fx, fy Floats) {
	if len(x) == 0 {
		return Floats{}, Floats{}
	}
	left, top := slices.Min(x), slices.Max(y)
	side := max(slices.Max(x)-left, top-slices.Min(y))
	if side == 0 {
		side = 1
	}
	dx, dy := (side-(slices.Max(x)-left))/2, (side-(top-slices.Min(y)))/2
	for i := range x {
		fx = append(fx, float32((x[i]-left+dx)/side))
		fy = append(fy, float32((top-y[i]+dy)/side))
	}
	return fx, fy
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
