package datasets

import (
	"fmt"
	"slices"

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

// readParts reads `parts`, the part of a body that each column of the grid belongs to, and `bodies`.
func (r *npzReader) readParts() error {
	if !r.Has("parts") {
		if r.Has("bodies") {
			return fmt.Errorf("bodies is for the joints of bodies; name their parts in an array parts, or leave bodies out")
		}
		return nil
	}
	if !r.Has("grid") {
		return fmt.Errorf("parts needs grid, the frames and joints of a recording")
	}
	if r.d.Grid == nil { // what is wrong with it was said
		return nil
	}
	of, err := npz.Elements(r, "parts", r.d.Grid[1], "parts, one for each joint, the columns of grid", (*npz.Array).Ints)
	if err != nil {
		return err
	}
	count := slices.Max(of) + 1
	if count < 1 || count > int64(len(of)) {
		return fmt.Errorf("parts goes up to %d; number the parts of the body from 0, the trunk; -1 is for a joint of none", count-1)
	}
	parts := make([][]int, count)
	for joint, part := range of {
		if part < -1 {
			return fmt.Errorf("parts[%d] is %d; number the parts of the body from 0, the trunk; -1 is for a joint of none", joint, part)
		}
		if part >= 0 {
			parts[part] = append(parts[part], joint)
		}
	}
	if empty := slices.IndexFunc(parts, func(joints []int) bool { return len(joints) == 0 }); empty >= 0 {
		return fmt.Errorf("parts has no joint of part %d, but of part %d; leave no number out", empty, count-1)
	}
	bodies := []int64{min(1, int64(r.d.Channels/3))}
	if r.Has("bodies") {
		if bodies, err = npz.Elements(r, "bodies", 1, "number of bodies", (*npz.Array).Ints); err != nil {
			return err
		}
		if bodies[0] < 0 || 3*bodies[0] > int64(r.d.Channels) && r.d.Channels > 0 {
			return fmt.Errorf("bodies is %d; want a number of which each has x, y and z among the %d channels of features, or 0 where they are no places in space",
				bodies[0], r.d.Channels)
		}
	}
	r.d.Parts, r.d.Bodies = parts, int(bodies[0])
	return nil
}
