package report

import (
	"fmt"
	"image/color"
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

// newLayout packs a layout for the page. On a grid the cells are the nodes in their order, so that there is nothing to pack.
func newLayout(l *picture.Layout) *Layout {
	packed := &Layout{Layout: l}
	switch l.Kind {
	case picture.OnSkeleton:
		packed.Cells = l.Cells
	case picture.OnPlane:
		packed.X, packed.Y = fitted(l.X, l.Y)
	}
	return packed
}

// fitted brings points to the unit square, y downwards, with the same scale for both.
func fitted(x, y []float64) (fx, fy Floats) {
	if len(x) == 0 {
		return Floats{}, Floats{}
	}
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

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
