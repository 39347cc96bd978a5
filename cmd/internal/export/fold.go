package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// folder reads a network's variables. After its first error, which it keeps, it reads zeros.
type folder struct {
	store *model.Store
	err   error
}

func (f *folder) fail(format string, values ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, values...)
	}
}

// level folds the level in the scope `path`, which gets a signal `[nodes, channels]`.
func (f *folder) level(path string, size models.Level, nodes, channels int) Level {
	k, l, filters := size.Clusters, size.Neighbours, size.Filters
	level := Level{Level: size, Channels: channels, Nodes: f.neighbourhoods(path, k, l, nodes)}

	rank, alpha, beta := f.floats(path+"/frozen_rank", k, l), f.spread(path, "alpha", k, l), f.spread(path, "beta", k, l)
	gates := make([]float64, k*l)
	for i := range gates {
		gates[i] = 1 / (1 + math.Exp(-(alpha[i]*rank[i] + beta[i])))
	}
	level.Gates = f.round(path+": gate", gates)

	w, bias := f.floats(path+"/W", filters, l, channels), f.floats(path+"/b", filters)
	rows := l * channels
	kernel := make([]float64, len(w))
	for j := range filters {
		for row := range rows {
			kernel[row*filters+j] = w[j*rows+row]
		}
	}
	scale, shift := f.batchNorm(path, filters)
	if parameter[string](f.store, path, ccp.ParamOrder) == "filter-elu-norm" {
		level.Scale, level.Shift = f.round(path+": scale", scale), f.round(path+": shift", shift)
	} else {
		absorb(kernel, bias, scale, shift)
	}
	level.Kernel, level.Bias = f.round(path+": kernel", kernel), f.round(path+": bias", bias)
	return level
}

// hidden folds a hidden fully connected layer and its batch normalisation.
func (f *folder) hidden(path string, in, out int) Dense {
	kernel, bias := f.floats(path+"/W", in, out), f.floats(path+"/b", out)
	scale, shift := f.batchNorm(path, out)
	absorb(kernel, bias, scale, shift)
	return Dense{in, out, f.round(path+": kernel", kernel), f.round(path+": bias", bias)}
}

// classes is the class layer.
func (f *folder) classes(path string, in, out int) Dense {
	return Dense{in, out, f.round(path+": kernel", f.floats(path+"/W", in, out)), f.round(path+": bias", f.floats(path+"/b", out))}
}

// batchNorm is what nn.BatchNorm does to x in inference: scale·x + shift, with scale = γ/√(variance + ε) and
// shift = offset − mean·scale.
func (f *folder) batchNorm(path string, channels int) (scale, shift []float64) {
	path += "/batch_norm"
	scale, shift = f.floats(path+"/scale", channels), f.floats(path+"/offset", channels)
	mean, variance := f.floats(path+"/mean", channels), f.floats(path+"/variance", channels)
	epsilon := parameter[float64](f.store, path, nn.ParamBatchNormEpsilon)
	for j := range scale {
		scale[j] /= math.Sqrt(variance[j] + epsilon)
		shift[j] -= mean[j] * scale[j]
	}
	return scale, shift
}

// absorb makes x·kernel + bias what scale·(x·kernel + bias) + shift was. kernel: `[in, out]`, the others `[out]`.
func absorb(kernel, bias, scale, shift []float64) {
	for i := range kernel {
		kernel[i] *= scale[i%len(scale)]
	}
	for j := range bias {
		bias[j] = bias[j]*scale[j] + shift[j]
	}
}

// parameter is the value of an option in the scope `path`, or its default.
func parameter[T any](store *model.Store, path, name string) T {
	return model.GetParamOr(store.Scope(path), name, models.Defaults()[name].(T))
}

// neighbourhoods reads a frozen hierarchy's level, `[k, l]` indices of nodes.
func (f *folder) neighbourhoods(path string, k, l, nodes int) []int32 {
	path += "/frozen_neighbourhood"
	selected := values[int32](f, path, k, l)
	if bad := slices.IndexFunc(selected, func(i int32) bool { return i < 0 || int(i) >= nodes }); bad >= 0 {
		f.fail("%s: element %d is node %d, out of 0 to %d; the checkpoint is damaged", path, bad, selected[bad], nodes-1)
	}
	return selected
}

// floats reads a variable of the shape given.
func (f *folder) floats(path string, dims ...int) []float64 {
	read := values[float32](f, path, dims...)
	wide := make([]float64, len(read))
	for i, v := range read {
		wide[i] = float64(v)
	}
	return wide
}

// spread reads α or β: one, one for each cluster or one for each slot, and gives it to all k·l slots.
func (f *folder) spread(path, name string, k, l int) []float64 {
	dims := map[string][2]int{"level": {1, 1}, "cluster": {k, 1}, "slot": {k, l}}[parameter[string](f.store, path, ccp.ParamGates)]
	read, all := f.floats(path+"/"+name, dims[0], dims[1]), make([]float64, k*l)
	for i := range all {
		all[i] = read[i/l%dims[0]*dims[1]+i%l%dims[1]]
	}
	return all
}

// values copies a variable, which must be there with this type and shape.
func values[T float32 | int32](f *folder, path string, dims ...int) []T {
	size, dtype := 1, dtypes.FromGenericsType[T]()
	for _, dim := range dims {
		size *= dim
	}
	v := f.store.GetVariable(path)
	if v == nil {
		f.fail("variable %s is not in the checkpoint", path)
		return make([]T, size)
	}
	if v.DType() != dtype || !slices.Equal(v.Shape().Dimensions, dims) {
		f.fail("variable %s is %s; the model needs (%s)%v", path, v.Shape(), dtype, dims)
		return make([]T, size)
	}
	value, err := v.Value()
	if err == nil {
		var flat []T
		if flat, err = tensors.CopyFlatData[T](value); err == nil {
			return flat
		}
	}
	f.fail("variable %s: %w", path, err)
	return make([]T, size)
}

// round rounds to float32, and refuses what is no finite number there.
func (f *folder) round(what string, wide []float64) []float32 {
	rounded := make([]float32, len(wide))
	for i, v := range wide {
		rounded[i] = float32(v)
		if v := float64(rounded[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			f.fail("%s %d is %v; the training diverged or the checkpoint is damaged", what, i, v)
		}
	}
	return rounded
}
