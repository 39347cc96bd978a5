package transforms

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/onnx"
)

// stretched is another map, of recordings stretched to the median length: people do the same at another pace. It helps where
// lengths differ, beside the map of the recordings as they are.
type stretched struct {
	featureMap
	length int
}

const (
	stretchedSuffix = "-stretched"
	leastStretch    = 1.1 // that the longest recording has of the median one
)

// withStretched returns transforms, and behind the first ones those of stretched recordings.
func withStretched(all []kind) []kind {
	last := len(all) - 1
	for _, k := range all[:last] {
		if k.paced {
			all = slices.Insert(all, len(all)-1, k.stretched())
		}
	}
	return all
}

// stretched returns the kind of the same map of stretched recordings.
func (k kind) stretched() kind {
	own := k
	k.name += stretchedSuffix
	k.open = func(h header) featureMap {
		h.Longest = h.Length
		return stretched{own.open(h), h.Length}
	}
	k.lacks = func(h header) string {
		if lacks := own.lacks(h); lacks != "" {
			return lacks
		}
		if float64(h.Longest) < leastStretch*float64(h.Length) {
			return fmt.Sprintf("recordings of different lengths, and the longest has %d time points, the median one %d", h.Longest, h.Length)
		}
		return ""
	}
	return k
}

func (m stretched) features(w *work, out []float32) {
	if w.stretched == nil {
		w.stretched = new(work)
	}
	w.stretched.stretch(w, m.length)
	m.featureMap.features(w.stretched, out)
}

// draw lets the map draw with stretched samples.
func (m stretched) draw(ctx context.Context, u units, samples []Sample, seed uint64) error {
	drawn, ok := m.featureMap.(drawer)
	if !ok {
		return nil
	}
	u.stretch = m.length
	return drawn.draw(ctx, u, samples, seed)
}

func (m stretched) arrays() map[string][]float32 {
	if drawn, ok := m.featureMap.(drawer); ok {
		return drawn.arrays()
	}
	return nil
}

// stretch reads another recording, and stretches it.
func (w *work) stretch(from *work, timepoints int) {
	w.timepoints = timepoints
	w.take(len(from.columns))
	for c, column := range from.columns {
		recording.Resample(w.columns[c], column, 1)
		w.differ(c)
	}
}

// basis is the name of a transform without the suffix.
func basis(name string) string { return strings.TrimSuffix(name, stretchedSuffix) }

func (m stretched) export(g *onnx.Graph, x string) string {
	return m.featureMap.export(g, g.Stretch(x, m.length))
}
