package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
)

// folder reads a network's layers. After its first error, which it keeps, it gives zeros.
type folder struct {
	store *model.Store
	err   error
}

func (f *folder) keep(err error) {
	if f.err == nil {
		f.err = err
	}
}

// level folds the level in the scope `path`, which gets a signal `[nodes, channels]`.
func (f *folder) level(path string, size models.Level, nodes, channels int) Level {
	k, l, filters := size.Clusters, size.Neighbours, size.Filters
	scope, level := f.store.Scope(path), Level{Level: size, Channels: channels}
	read, err := ccp.ReadNeighbourhoods(scope, nodes, k, l)
	f.keep(err)
	level.Nodes, level.Gates = slices.Concat(read.Neighbourhoods...), f.round(path+": gate", wide(slices.Concat(read.Gates...), k*l))

	weights, offsets, err := ccp.ReadFilter(scope, filters, l, channels)
	f.keep(err)
	w, bias, rows := wide(weights, filters*l*channels), wide(offsets, filters), l*channels
	kernel := make([]float64, len(w))
	for j := range filters {
		for row := range rows {
			kernel[row*filters+j] = w[j*rows+row]
		}
	}
	scale, shift := f.batchNorm(scope, filters)
	if ccp.OptionsOf(scope).Order == "filter-elu-norm" {
		level.Scale, level.Shift = f.round(path+": scale", scale), f.round(path+": shift", shift)
	} else {
		absorb(kernel, bias, scale, shift)
	}
	level.Kernel, level.Bias = f.round(path+": kernel", kernel), f.round(path+": bias", bias)
	return level
}

// hidden folds a hidden fully connected layer and its batch normalisation.
func (f *folder) hidden(path string, in, out int) Dense {
	kernel, bias := f.dense(path, in, out)
	scale, shift := f.batchNorm(f.store.Scope(path), out)
	absorb(kernel, bias, scale, shift)
	return Dense{in, out, f.round(path+": kernel", kernel), f.round(path+": bias", bias)}
}

// classes is the class layer.
func (f *folder) classes(path string, in, out int) Dense {
	kernel, bias := f.dense(path, in, out)
	return Dense{in, out, f.round(path+": kernel", kernel), f.round(path+": bias", bias)}
}

func (f *folder) dense(path string, in, out int) (kernel, bias []float64) {
	w, b, err := nn.ReadDense(f.store.Scope(path), in, out)
	f.keep(err)
	return wide(w, in*out), wide(b, out)
}

func (f *folder) batchNorm(scope *model.Scope, channels int) (scale, shift []float64) {
	scale, shift, err := nn.ReadBatchNorm(scope, channels)
	if err != nil {
		f.keep(err)
		return make([]float64, channels), make([]float64, channels)
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

// wide are values in float64, n of them; zeros where they could not be read.
func wide(values []float32, n int) []float64 {
	all := make([]float64, n)
	for i, v := range values {
		all[i] = float64(v)
	}
	return all
}

// round rounds to float32, and refuses what is no finite number there.
func (f *folder) round(what string, wide []float64) []float32 {
	rounded := make([]float32, len(wide))
	for i, v := range wide {
		rounded[i] = float32(v)
		if v := float64(rounded[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			f.keep(fmt.Errorf("%s %d is %v; the training diverged or the checkpoint is damaged", what, i, v))
		}
	}
	return rounded
}
