package report

import (
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/picture"
)

// Layout is where the input nodes lie, as the page's script reads it.
type Layout struct {
	*picture.Layout
	Cells Ints   `json:"cells"` // the node of each cell of a skeleton, row by row
	X     Floats `json:"x"`     // of points, from 0 to 1, the same scale for both
	Y     Floats `json:"y"`     // downwards
}

// newLayout compresses a layout for the page. A grid needs nothing: its cells are the nodes in their order.
func newLayout(l *picture.Layout) *Layout {
	page := &Layout{Layout: l}
	switch l.Kind {
	case picture.OnSkeleton:
		page.Cells = l.Cells
	case picture.OnPlane:
		page.X, page.Y = fitted(l.X, l.Y)
	}
	return page
}

// fitted moves points into the unit square, y downwards, with one scale for both.
func fitted(x, y []float64) (fx, fy Floats) {
	left, right, top, bottom := slices.Min(x), slices.Max(x), slices.Max(y), slices.Min(y)
	side := max(right-left, top-bottom)
	if side == 0 {
		side = 1
	}
	for i := range x {
		fx = append(fx, float32(0.5+(x[i]-(left+right)/2)/side))
		fy = append(fy, float32(0.5-(y[i]-(top+bottom)/2)/side))
	}
	return fx, fy
}
