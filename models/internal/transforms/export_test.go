package transforms

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/models/internal/onnxtest"
	"github.com/clusterpool/ccp/models/onnx"
)

// The nodes compute the probabilities of a classifier sensor by sensor: of the forest alone, of the ridge classifier
// alone, of both.
func TestExportProbabilities(t *testing.T) {
	compare := onnxtest.New(t)
	rng := rand.New(rand.NewPCG(4, 4))
	samples := noise(rng, 30, 2, always(40))
	for i := range samples[:8] { // so that nothing is sure
		samples[i].Label = int32(i / 2 % 2)
	}
	options := [][]string{{"forest"}, {"values", "power"}, {"hydra", "forest"}, {"hydra", "shapelets", "forest"}}
	for _, only := range options {
		v := fitted(t, Config{Columns: 2, Channels: 1, Classes: 2, Turned: 40, Only: only}, samples)
		v.Temperature, v.ForestTemperature, v.ForestWeight = 0.8, 0.5, max(v.ForestWeight, 0.3)
		g, x, want := new(onnx.Graph), []float32{}, []float32{}
		g.Named("probabilities", "Identity", v.Export(g, g.Input("x", "batch", 80, 1), 80, ""))
		g.Output("probabilities", "batch", 2)
		for _, s := range samples[:7] {
			x = append(x, s.Values...)
			for _, p := range v.Probabilities(v.Read(s.Values), nil) {
				want = append(want, float32(p))
			}
		}
		compare.Add(t, fmt.Sprint(only), g, x, want, 7, 80, 1)
	}
	compare.Run(t)
}
