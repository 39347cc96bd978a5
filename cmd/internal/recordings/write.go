package recordings

import (
	"encoding/json"
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/recording"
)

// write writes the arrays that package datasets reads.
func (r *reading) write(path string, s *set, labels []int32, graph *affinity.Matrix, form *recording.Form, parts []int32,
	signal func(i int, dst []float32),
) error {
	carried, err := json.Marshal(form)
	if err != nil {
		return err
	}
	edges := graph.EdgeList() // each once, all of weight 1
	ends := make([]int32, 0, 2*len(edges))
	for _, edge := range edges {
		ends = append(ends, int32(edge.I), int32(edge.J))
	}
	names := make([]string, 0, graph.N())
	for frame := range form.Frames {
		for _, sensor := range s.sensors {
			names = append(names, fmt.Sprintf("%s@%d", sensor, frame))
		}
	}
	arrays := []npz.Named{
		{Name: "labels", Array: list(labels)},
		{Name: "class_names", Array: list(s.classes)},
		{Name: "edges", Array: &npz.Array{Shape: []int{len(edges), 2}, Data: ends}},
		{Name: "grid", Array: list([]int32{int32(form.Frames), int32(len(s.sensors))})},
		{Name: "node_names", Array: list(names)},
		{Name: "sample_names", Array: list(s.names())},
		{Name: "recording", Array: list([]string{string(carried)})},
	}
	if parts != nil {
		arrays = append(arrays, npz.Named{Name: "parts", Array: list(parts)},
			npz.Named{Name: "bodies", Array: list([]int32{int32(r.Bodies)})})
	}
	split, groups := make([]uint8, len(s.samples)), make([]string, len(s.samples))
	for i, x := range s.samples {
		if groups[i] = x.group; x.test {
			split[i] = 2 // a test, see package datasets; 0 is for training
		}
	}
	if s.by != "" {
		arrays = append(arrays, npz.Named{Name: "split", Array: list(split)})
	}
	if s.grouped {
		arrays = append(arrays, npz.Named{Name: "groups", Array: list(groups)})
	}
	return npz.WriteArchive(path, func(w *npz.Writer) error {
		for _, a := range arrays {
			if err := w.Array(a.Name, a.Array); err != nil {
				return err
			}
		}
		return w.Rows("features", []int{len(s.samples), graph.N(), s.channels}, func(i int, row []float32) error {
			signal(i, row)
			return r.tell("writing "+path, float64(i+1)/float64(len(s.samples)))
		})
	})
}

// list returns an array of one dimension.
func list[T any](values []T) *npz.Array { return &npz.Array{Shape: []int{len(values)}, Data: values} }
