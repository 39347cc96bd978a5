package features

import (
	"fmt"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	// MostFrames is the largest number of frames that the transform values has of a recording.
	MostFrames = 128
	// MostValues is the largest number of a recording's values in frames.
	MostValues = 8_192
	// leastFrames is the smallest number of frames that a fit tries.
	leastFrames = 4
)

var valuesTransform = Transform{
	Name:       "values",
	Option:     "values",
	Lacks:      lacksValues,
	New:        newValues,
	Prior:      1,
	InCompact:  true,
	UsesKernel: true,
	InForest:   func(s Shape) bool { return s.Table }, // a tree compares single values, which of a recording are noise
	Coarser:    halfTheFrames,
}

// values is the map to a recording's own values, in frames as a network reads it: `[columns, frames]`.
type values struct{ columns, frames int }

func newValues(s Shape) Map { return values{s.Columns, s.Frames} }

func lacksValues(s Shape) string {
	if !s.Table && s.Frames*s.Columns > MostValues {
		return fmt.Sprintf("time points of at most %d values", MostValues)
	}
	return ""
}

// halfTheFrames returns the shape of recordings in half as many frames. A row of a table has one time point, and no
// other choice.
func halfTheFrames(s Shape) (coarser Shape, ok bool) {
	s.Frames /= 2
	return s, !s.Table && s.Frames >= leastFrames
}

// Width implements Map.
func (m values) Width() int { return m.columns * m.frames }

// Features implements Map.
func (m values) Features(r *Recording, out []float32) {
	for c, column := range r.Columns {
		recording.Resample(out[c*m.frames:(c+1)*m.frames], column, 1)
	}
}

// Export implements Map.
func (m values) Export(g *onnx.Graph, x string) string {
	return g.Op("Flatten", g.Resample(x, m.frames))
}
