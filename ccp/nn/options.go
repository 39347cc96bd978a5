package nn

import (
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/gomlx/ml/model"
)

// LayerOptions holds the options of all layers with weights. Inside a graph they are GoMLX parameters, read at the
// layer's scope; a field's param tag is the parameter's name.
type LayerOptions struct {
	// DType is the type that filters, dense layers and convolutions multiply in. Factors are rounded to it, and
	// products are added up in float32. Everything else stays in float32: variables, memberships, ranks, objectives,
	// gates, batch normalisation, activations between layers, the loss and all gradients of weights.
	DType string `param:"dtype" default:"float32" rule:"one of float32|bfloat16"`
	// L2 is the weight decay λ of filters and dense layers: the loss gains ½·λ·Σw².
	L2 float64 `param:"l2" default:"0.0001" rule:"not negative" parts:"level fc classes"`
	// BatchNormEpsilon is added to the variance.
	BatchNormEpsilon float64 `param:"batchnorm_epsilon" default:"0.00001" rule:"positive" parts:"level fc"`
}

// BFloat16 is the value of LayerOptions.DType that halves the memory and the work of products, on hardware that has
// them.
const BFloat16 = "bfloat16"

// OptionsOf reads the options of the layer in scope.
func OptionsOf(scope *model.Scope) LayerOptions { return params.Read[LayerOptions](scope) }
