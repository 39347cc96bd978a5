package nn

import (
	"math"

	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/gomlx/ml/model"
)

// kernelName is the name of the weights of dense layers and convolutions.
const kernelName = "W"

// IsKernel reports whether a variable holds the weights of a dense layer or a convolution. Its last axis counts the
// outputs.
func IsKernel(v *model.Variable) bool { return v.Name() == kernelName }

// ReadDense reads the weights `[in, out]` and the bias `[out]` of the dense layer in scope, in float32.
func ReadDense(scope *model.Scope, in, out int) (weights, bias []float32, err error) {
	if weights, err = variables.Read[float32](scope, kernelName, in, out); err == nil {
		bias, err = variables.Read[float32](scope, "b", out)
	}
	return weights, bias, err
}

// ReadBatchNorm reads what BatchNorm of the layer in scope does in inference, scale·x + shift, both `[channels]`.
// scale is γ/√(variance + ε), and shift is offset − mean·scale.
func ReadBatchNorm(scope *model.Scope, channels int) (scale, shift []float64, err error) {
	scope = scope.In("batch_norm")
	var read [4][]float32
	for i, name := range []string{"scale", "offset", "mean", "variance"} {
		if read[i], err = variables.Read[float32](scope, name, channels); err != nil {
			return nil, nil, err
		}
	}
	epsilon := OptionsOf(scope).BatchNormEpsilon
	scale, shift = make([]float64, channels), make([]float64, channels)
	for j := range scale {
		scale[j] = float64(read[0][j]) / math.Sqrt(float64(read[3][j])+epsilon)
		shift[j] = float64(read[1][j]) - float64(read[2][j])*scale[j]
	}
	return scale, shift, nil
}
