package datasets

import (
	"slices"

	"github.com/clusterpool/ccp/internal/scale"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// Pack returns the samples of a split, `[samples, nodes, channels]`. Where bytes hold the raw values exactly, they are uint8 and
// table, `[256, channels]`, gives the normalised value of each byte; else they are normalised float32 and table is nil. The
// values are exactly those of Sample.
func (d *Dataset) Pack(split []int) (samples, table *tensors.Tensor) {
	if b, ok := d.Signals.(*Bytes); ok {
		return pack(d, dtypes.Uint8, split, b.bytes), d.table(b.Scale)
	}
	if d.whole(split) {
		values := make([]float32, d.Nodes*d.Channels)
		return pack(d, dtypes.Uint8, split, func(i int, dst []uint8) {
			d.Signals.Read(i, values)
			for j, value := range values {
				dst[j] = uint8(value)
			}
		}), d.table(1)
	}
	return pack(d, dtypes.Float32, split, d.Sample), nil
}

// table says what Sample makes of a byte of that scale.
func (d *Dataset) table(divisor float32) *tensors.Tensor {
	var values []float32
	for b := range 256 {
		values = append(values, slices.Repeat([]float32{float32(b) / divisor}, d.Channels)...)
	}
	scale.Normalize(values, values, d.Mean, d.Std)
	return tensors.FromFlatDataAndDimensions(values, 256, d.Channels)
}

// pack makes a tensor `[samples, nodes, channels]` of what read writes of each sample.
func pack[T uint8 | float32](d *Dataset, dtype dtypes.DType, split []int, read func(i int, dst []T)) *tensors.Tensor {
	samples, size := tensors.FromShape(shapes.Make(dtype, len(split), d.Nodes, d.Channels)), d.Nodes*d.Channels
	tensors.MustMutableFlatData(samples, func(flat []T) {
		for row, i := range split {
			read(i, flat[row*size:(row+1)*size])
		}
	})
	return samples
}

// whole says whether all values of a split are whole numbers from 0 to 255.
func (d *Dataset) whole(split []int) bool {
	values := make([]float32, d.Nodes*d.Channels)
	for _, i := range split {
		d.Signals.Read(i, values)
		for _, value := range values {
			if !(value >= 0 && value <= 255 && value == float32(uint8(value))) {
				return false
			}
		}
	}
	return true
}

// bytes writes sample i, `[nodes, channels]`, as it is stored.
func (b *Bytes) bytes(i int, dst []uint8) {
	pixels := b.pixels(i)
	if !b.Planar {
		copy(dst, pixels)
		return
	}
	for j, pixel := range pixels {
		dst[j%b.Nodes*b.Channels+j/b.Nodes] = pixel
	}
}
