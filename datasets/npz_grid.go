package datasets

import (
	"fmt"

	"github.com/clusterpool/ccp/internal/npz"
)

// readGrid reads `grid`, the rows and columns of the nodes.
func (r *npzReader) readGrid() error {
	if !r.Has("grid") {
		return nil
	}
	sides, err := npz.Elements(r, "grid", 2, "sides of a grid: rows and columns, or frames and sensors", (*npz.Array).Ints)
	if err != nil {
		return err
	}
	rows, columns := sides[0], sides[1]
	if rows < 1 || columns < 1 || r.nodes >= 0 && (rows > int64(r.nodes) || rows*columns != int64(r.nodes)) {
		return fmt.Errorf("grid is %d x %d; want rows and columns, or frames and sensors, whose product is the %d nodes of features",
			rows, columns, r.nodes)
	}
	r.d.Grid = []int{int(rows), int(columns)}
	return nil
}
