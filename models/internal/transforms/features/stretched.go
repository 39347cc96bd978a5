package features

import (
	"context"
	"fmt"

	"github.com/clusterpool/ccp/models/onnx"
)

// stretched is another map, of recordings stretched to the median length, because people do the same at another pace.
// It helps where lengths differ, beside the map of the recordings as they are.
type stretched struct {
	Map
	length int
}

// leastStretch is how many times as long as the median recording the longest one has to be for stretching to be worth
// its time.
const leastStretch = 1.1

// stretchedOf returns the transforms of stretched recordings of those that have one.
func stretchedOf(transforms []Transform) (all []Transform) {
	for _, t := range transforms {
		if t.AlsoStretched {
			all = append(all, t.stretched())
		}
	}
	return all
}

// stretched returns the same transform of stretched recordings.
func (t Transform) stretched() Transform {
	s := t
	s.Name += "-stretched"
	s.Stretched = true
	s.New = func(of Shape) Map {
		of.Longest = of.Length // once they are stretched
		return stretched{t.New(of), of.Length}
	}
	s.Lacks = func(of Shape) string {
		if lacks := t.Lacks(of); lacks != "" {
			return lacks
		}
		if float64(of.Longest) < leastStretch*float64(of.Length) {
			return fmt.Sprintf("recordings of different lengths, and the longest has %d time points, the median one %d",
				of.Longest, of.Length)
		}
		return ""
	}
	return s
}

// Features implements Map. It keeps the stretched recording in the buffers of the recording.
func (m stretched) Features(r *Recording, out []float32) {
	if r.stretched == nil {
		r.stretched = new(Recording)
	}
	r.stretched.stretch(r, m.length)
	m.Map.Features(r.stretched, out)
}

// Draw draws the map's parts from stretched recordings. A map that draws nothing has nothing to do here, nor in
// Arrays and Check.
func (m stretched) Draw(ctx context.Context, t Training, seed uint64) error {
	drawn, ok := m.Map.(DrawnMap)
	if !ok {
		return nil
	}
	t.Scaling.stretch = m.length
	return drawn.Draw(ctx, t, seed)
}

// Arrays implements DrawnMap.
func (m stretched) Arrays() map[string][]float32 {
	if drawn, ok := m.Map.(DrawnMap); ok {
		return drawn.Arrays()
	}
	return nil
}

// Check implements DrawnMap.
func (m stretched) Check() (array string, err error) {
	if drawn, ok := m.Map.(DrawnMap); ok {
		return drawn.Check()
	}
	return "", nil
}

// CArguments returns those of the map. In C a stretched recording has to have two time points.
func (m stretched) CArguments(padded int) []any {
	inC, ok := m.Map.(MapInC)
	if !ok || m.length < 2 {
		return nil
	}
	return inC.CArguments(padded)
}

// Export implements Map.
func (m stretched) Export(g *onnx.Graph, x string) string {
	return m.Map.Export(g, g.Stretch(x, m.length))
}
