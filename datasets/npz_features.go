package datasets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
)

// readFeatures reads `features`, [samples, nodes, channels] or [samples, nodes], or else the series that the file has.
// Features [samples, nodes] without a grid are a table, in which each node has a unit of its own; where a table has
// missing values (gaps), its samples are recordings of one time point. It warns of numbers that may stand for missing
// values, such as -999.
func (r *npzReader) readFeatures() error {
	switch {
	case r.Has("series"):
		return r.readSeries()
	case !r.Has("features"):
		return fmt.Errorf("no array features or series; store signals as features [samples, nodes, channels], recordings in "+
			"time as series [samples, sensors, timepoints] (the file has %s)", strings.Join(r.Names(), ", "))
	}
	a, err := r.Array("features")
	if err != nil {
		return err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("features has shape %v; want [samples, nodes, channels] or [samples, nodes], none of them 0",
			a.Shape)
	}
	r.samples, r.nodes, r.raw.Nodes, r.raw.Channels = a.Shape[0], a.Shape[1], a.Shape[1], 1
	if len(a.Shape) == 3 {
		r.raw.Channels = a.Shape[2]
	}
	size := r.raw.Nodes * r.raw.Channels
	table := len(a.Shape) == 2 && !r.Has("grid")
	gaps := table && r.opts.Form != nil && r.opts.Form.Longest == 1 // the classifier was trained on a table with gaps
	if bytes, ok := a.Data.([]uint8); ok && !gaps {
		r.raw.Finite = true
		r.raw.Signals = &Bytes{Records: bytes, Record: size, Nodes: r.raw.Nodes, Channels: r.raw.Channels, Scale: 1}
		return nil
	}
	columns, nodes := r.raw.Channels, r.raw.Nodes
	if table {
		columns, nodes = size, 1
	}
	r.scan = newScan(1, nodes, columns, nil)
	values, missing, err := r.float32s("features", a, table, "replace it (numpy.nan_to_num) or drop the sample")
	if err != nil {
		return err
	}
	gaps = gaps || missing // a table with gaps
	kind := "channel"
	if table {
		kind = "column"
	}
	r.warnGaps(columns, func(from, to int, add func(column int, value float32)) {
		for row := range slices.Chunk(values, columns) {
			for column := from; column < to; column++ {
				add(column, row[column])
			}
		}
	}, func(column int) string { return fmt.Sprint(kind, " ", column) })
	if gaps {
		r.seriesOfFeatures(values)
	}
	r.raw.Finite = true // but for gaps, which the series fill
	r.raw.Signals = &Floats{Values: values, Size: size}
	return nil
}

// readGrid reads `grid`, the rows and columns of the nodes.
func (r *npzReader) readGrid() error {
	if !r.Has("grid") || r.series != nil {
		return nil
	}
	sides, err := npz.Elements(r, "grid", 2, "sides of a grid: rows and columns, or frames and sensors", (*npz.Array).Ints)
	if err != nil {
		return err
	}
	rows, columns := sides[0], sides[1]
	if rows < 1 || columns < 1 || r.nodes >= 0 && (max(rows, columns) > int64(r.nodes) || rows*columns != int64(r.nodes)) {
		return fmt.Errorf("grid is %d x %d; want rows and columns, or frames and sensors, whose product is the %d nodes "+
			"of features", rows, columns, r.nodes)
	}
	r.raw.Grid = []int{int(rows), int(columns)}
	return nil
}

// readParts reads `parts`, the part of a body that each joint (column of the grid) belongs to, and `bodies`, the number
// of bodies whose x, y and z come first among the channels. Both keep the shape of bodies when values are normalised:
// joints are not normalised one by one, and the axes of a body have one deviation. Networks for skeletons read them.
func (r *npzReader) readParts() error {
	if !r.Has("parts") {
		if r.Has("bodies") {
			return fmt.Errorf("bodies is for the joints of bodies; name their parts in an array parts, or leave bodies out")
		}
		return nil
	}
	joints := r.nodes
	switch {
	case r.series != nil:
	case !r.Has("grid"):
		return fmt.Errorf("parts needs grid, the frames and joints of a recording")
	case r.raw.Grid == nil: // what is wrong with it was said
		return nil
	default:
		joints = r.raw.Grid[1]
	}
	of, err := npz.Elements(r, "parts", joints, "parts, one for each joint, the columns of grid", (*npz.Array).Ints)
	if err != nil {
		return err
	}
	count := slices.Max(of) + 1
	if count < 1 || count > int64(len(of)) {
		return fmt.Errorf("parts goes up to %d; number the parts of the body from 0, the trunk; -1 is for a joint of none",
			count-1)
	}
	parts := make([][]int, count)
	for joint, part := range of {
		if part < -1 {
			return fmt.Errorf("parts[%d] is %d; number the parts of the body from 0, the trunk; -1 is for a joint of none",
				joint, part)
		}
		if part >= 0 {
			parts[part] = append(parts[part], joint)
		}
	}
	if empty := slices.IndexFunc(parts, func(joints []int) bool { return len(joints) == 0 }); empty >= 0 {
		return fmt.Errorf("parts has no joint of part %d, but of part %d; leave no number out", empty, count-1)
	}
	bodies := []int64{min(1, int64(r.raw.Channels/3))}
	if r.Has("bodies") {
		bodies, err = npz.Elements(r, "bodies", 1, "number of bodies", (*npz.Array).Ints)
		if err != nil {
			return err
		}
		if bodies[0] < 0 || bodies[0] > int64(r.raw.Channels)/3 && r.raw.Channels > 0 {
			return fmt.Errorf("bodies is %d; each body has x, y and z among the %d channels of features; 0 is for channels "+
				"that are no positions", bodies[0], r.raw.Channels)
		}
	}
	r.raw.Parts, r.raw.Bodies = parts, int(bodies[0])
	return nil
}
