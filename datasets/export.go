package datasets

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
)

// Export writes the data set as an .npz file, which numpy and [Load] read. Its arrays are
//   - features [samples, nodes, channels], float32, in raw units; or series [samples, sensors, timepoints, axes] of recordings,
//     NaN after the end of each, whose graph is of the sensors;
//   - labels [samples], and class_names;
//   - split [samples], 0 train, 1 validation, 2 test;
//   - edges [E, 2] and weights [E];
//   - node_names, sample_names, coordinates, grid, parts, bodies, groups and recording, if there are any.
//
// Samples of no split are left out. Mean and Std are not written: Load recomputes them over the training samples.
//
// It holds one sample in memory at a time. The file replaces what was at path, and appears whole or not at all.
func (d *Dataset) Export(path string) error {
	marks := map[int]uint8{}
	for mark, split := range d.named() {
		for _, i := range split.indices {
			marks[i] = uint8(mark)
		}
	}
	samples := slices.Sorted(maps.Keys(marks))
	var labels, ends []int32
	var split []uint8
	var groups, names []string
	for _, i := range samples {
		labels, split = append(labels, d.Labels[i]), append(split, marks[i])
		if d.Groups != nil {
			groups = append(groups, d.Groups[i])
		}
		if d.SampleNames != nil {
			names = append(names, d.SampleNames[i])
		}
	}
	var weights []float64
	positions, nodes := d.Coordinates, d.Nodes
	if d.Series != nil {
		positions, nodes = d.Raw.Coordinates, len(d.Form.Sensors)
	}
	for _, edge := range d.Affinity.EdgeList() { // each once
		if edge.I < nodes && edge.J < nodes { // of recordings, those of the first frame
			ends, weights = append(ends, int32(edge.I), int32(edge.J)), append(weights, edge.Weight)
		}
	}
	var arrays []npz.Named
	add := func(is bool, name string, data any, shape ...int) {
		if is {
			arrays = append(arrays, npz.Named{Name: name, Array: &npz.Array{Shape: shape, Data: data}})
		}
	}
	add(true, "labels", labels, len(samples))
	add(true, "split", split, len(samples))
	add(true, "class_names", d.ClassNames, d.Classes())
	add(d.NodeNames != nil && d.Series == nil, "node_names", d.NodeNames, d.Nodes)
	if d.Grid != nil && d.Series == nil {
		add(true, "grid", []int32{int32(d.Grid[0]), int32(d.Grid[1])}, 2)
	}
	if d.Parts != nil {
		of := slices.Repeat([]int32{-1}, d.Grid[1])
		for part, joints := range d.Parts {
			for _, joint := range joints {
				of[joint] = int32(part)
			}
		}
		add(true, "parts", of, len(of))
		add(true, "bodies", []int32{int32(d.Bodies)}, 1)
	}
	add(d.Groups != nil, "groups", groups, len(samples))
	if d.Form != nil {
		form, err := json.Marshal(d.Form)
		if err != nil {
			return err
		}
		add(true, "recording", []string{string(form)}, 1)
	}
	add(names != nil, "sample_names", names, len(samples))
	add(positions != nil, "coordinates", positions, nodes, len(positions)/nodes)
	add(true, "edges", ends, len(weights), 2)
	add(true, "weights", weights, len(weights))
	name, shape := "features", []int{len(samples), d.Nodes, d.Channels}
	if d.Series != nil {
		longest := slices.MaxFunc(d.Series, func(a, b []float32) int { return len(a) - len(b) })
		name, shape = "series", []int{len(samples), nodes, len(longest) / d.Form.Width(), d.Channels}
	}
	return npz.Write(path, append(arrays, npz.Named{Name: name, Array: &npz.Array{Shape: shape},
		Rows: func(at int, row []float32) error {
			if d.Series == nil {
				d.Signals.Read(samples[at], row)
			} else {
				recording.Turned(row, d.Series[samples[at]], nodes, d.Channels)
			}
			return nil
		}}))
}
