package datasets

import (
	"context"
	"slices"

	"github.com/clusterpool/ccp/internal/npz"
)

// ExportSize returns the size in bytes of the features, float32, in the file that [Dataset.Export] writes.
func (d *Dataset) ExportSize() int64 {
	return 4 * int64(len(d.exported())) * int64(d.Nodes) * int64(d.Channels)
}

// Export writes the data set as an .npz file, which numpy and [Load] read. Its arrays are
//   - features [samples, nodes, channels], float32, in raw units;
//   - labels [samples], and class_names;
//   - split [samples], 0 train, 1 validation, 2 test;
//   - edges [E, 2] and weights [E];
//   - node_names, coordinates, grid, parts, bodies and groups, if there are any.
//
// Samples of no split are left out. Mean and Std are not written: Load recomputes them over the training samples.
//
// It holds one sample in memory at a time. The file replaces what was at path, and appears whole or not at all, also if
// ctx ends. If progress is not nil, it receives the finished share.
func (d *Dataset) Export(ctx context.Context, path string, progress func(done float64)) error {
	marks := d.exported()
	samples := make([]int, 0, len(marks))
	for i := range d.Signals.Len() {
		if _, ok := marks[i]; ok {
			samples = append(samples, i)
		}
	}
	labels, split := make([]int32, len(samples)), make([]uint8, len(samples))
	for at, i := range samples {
		labels[at], split[at] = d.Labels[i], marks[i]
	}
	edges := d.Affinity.EdgeList() // each once
	ends, weights := make([]int32, 0, 2*len(edges)), make([]float64, len(edges))
	for e, edge := range edges {
		ends = append(ends, int32(edge.I), int32(edge.J))
		weights[e] = edge.Weight
	}
	arrays := []npz.Named{{Name: "labels", Array: list(labels)}, {Name: "split", Array: list(split)},
		{Name: "class_names", Array: list(d.ClassNames)}}
	if d.NodeNames != nil {
		arrays = append(arrays, npz.Named{Name: "node_names", Array: list(d.NodeNames)})
	}
	if d.Grid != nil {
		arrays = append(arrays, npz.Named{Name: "grid", Array: list([]int32{int32(d.Grid[0]), int32(d.Grid[1])})})
	}
	if d.Parts != nil {
		of := slices.Repeat([]int32{-1}, d.Grid[1])
		for part, joints := range d.Parts {
			for _, joint := range joints {
				of[joint] = int32(part)
			}
		}
		arrays = append(arrays, npz.Named{Name: "parts", Array: list(of)},
			npz.Named{Name: "bodies", Array: list([]int32{int32(d.Bodies)})})
	}
	if d.Groups != nil {
		groups := make([]string, len(samples))
		for at, i := range samples {
			groups[at] = d.Groups[i]
		}
		arrays = append(arrays, npz.Named{Name: "groups", Array: list(groups)})
	}
	if d.Coordinates != nil {
		shape := []int{d.Nodes, len(d.Coordinates) / d.Nodes}
		arrays = append(arrays, npz.Named{Name: "coordinates", Array: &npz.Array{Shape: shape, Data: d.Coordinates}})
	}
	arrays = append(arrays, npz.Named{Name: "edges", Array: &npz.Array{Shape: []int{len(edges), 2}, Data: ends}},
		npz.Named{Name: "weights", Array: list(weights)})
	return npz.WriteArchive(path, func(w *npz.Writer) error {
		for _, a := range arrays {
			if err := w.Array(a.Name, a.Array); err != nil {
				return err
			}
		}
		return w.Rows("features", []int{len(samples), d.Nodes, d.Channels}, func(at int, row []float32) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if progress != nil {
				progress(float64(at+1) / float64(len(samples)))
			}
			d.Signals.Read(samples[at], row)
			return nil
		})
	})
}

// exported returns the mark of each sample that is in a split.
func (d *Dataset) exported() map[int]uint8 {
	marks := map[int]uint8{}
	for mark, split := range d.splits() {
		for _, i := range split.indices {
			marks[i] = uint8(mark)
		}
	}
	return marks
}

// list makes a one-dimensional array.
func list[T any](values []T) *npz.Array { return &npz.Array{Shape: []int{len(values)}, Data: values} }

// plural returns a noun for a count.
func plural(count int, noun string) string {
	if count == 1 {
		return noun
	}
	return noun + "s"
}
