package features

import (
	"iter"
	"math"

	"github.com/clusterpool/ccp/models/onnx"
)

// Standardiser standardises the features of one transform.
type Standardiser struct {
	Mean  []float32
	Scale []float32 // one over the standard deviation; zero for a constant feature
	// counts standardises as HYDRA does: a count of zero stays zero, and the fourth power of the share of zeros is added
	// to the standard deviation, so that a kernel that wins once does not outweigh all others.
	counts bool
}

// NewStandardiser returns the transform's standardiser of so many features, with zeros for Measure or a reader of
// checkpoints to fill.
func (t *Transform) NewStandardiser(width int) Standardiser {
	return Standardiser{make([]float32, width), make([]float32, width), t.Counts}
}

// Measure sets Mean and Scale from the features of so many training samples, which it goes through several times: each
// part is `[samples][features]`.
func (s Standardiser) Measure(samples int, parts iter.Seq[[][]float32]) {
	mean, variance := Means(samples, len(s.Mean), parts), make([]float64, len(s.Mean))
	for rows := range parts {
		for _, row := range rows {
			for j, x := range row {
				d := float64(x) - mean[j]
				variance[j] += d * d / float64(samples)
			}
		}
	}
	for j, v := range variance {
		s.Mean[j], s.Scale[j] = float32(mean[j]), 0
		if v > 1e-12 {
			s.Scale[j] = float32(1 / math.Sqrt(v))
		}
	}
	if s.counts {
		s.addZeros(samples, parts)
	}
}

// addZeros adds the fourth power of the share of zeros to the standard deviations.
func (s Standardiser) addZeros(samples int, parts iter.Seq[[][]float32]) {
	zeros := make([]float64, len(s.Scale))
	for rows := range parts {
		for _, row := range rows {
			for j, x := range row {
				if x == 0 {
					zeros[j] += 1 / float64(samples)
				}
			}
		}
	}
	for j, scale := range s.Scale {
		if scale > 0 {
			s.Scale[j] = float32(1 / (1/float64(scale) + math.Pow(zeros[j], 4)))
		}
	}
}

// Apply standardises features in place.
func (s Standardiser) Apply(features []float32) {
	for j, x := range features {
		if x != 0 || !s.counts {
			features[j] = (x - s.Mean[j]) * s.Scale[j]
		}
	}
}

// Export adds nodes that do what Apply does, to features x, `[batch, features]`.
func (s Standardiser) Export(g *onnx.Graph, x string) string {
	standardised := g.Op("Mul", g.Op("Sub", x, s.Mean), s.Scale)
	if s.counts {
		return g.Op("Where", g.Op("Equal", x, float32(0)), float32(0), standardised)
	}
	return standardised
}

// Means returns the mean of each of so many features over so many samples, whose parts are `[samples][features]`.
func Means(samples, width int, parts iter.Seq[[][]float32]) []float64 {
	sum := make([]float64, width)
	for rows := range parts {
		for _, row := range rows {
			for j, x := range row {
				sum[j] += float64(x) / float64(samples)
			}
		}
	}
	return sum
}
