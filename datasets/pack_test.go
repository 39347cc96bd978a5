package datasets

import (
	"testing"

	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is packed is what Sample gives, to the bit, in the smallest type that holds it.
func TestPack(t *testing.T) {
	planar := &Bytes{Records: []byte{9, 1, 2, 10, 20, 9, 3, 4, 30, 255}, Record: 5, Skip: 1, Nodes: 2, Channels: 2, Planar: true, Scale: 255}
	rows := &Bytes{Records: []byte{1, 10, 2, 20, 3, 30, 4, 0}, Record: 4, Nodes: 2, Channels: 2, Scale: 16}
	floats := func(values ...float32) *Floats { return &Floats{Values: values, Size: 4} }
	for _, c := range []struct {
		name    string
		signals Signals
		dtype   dtypes.DType
	}{
		{"planar bytes", planar, dtypes.Uint8},
		{"bytes", rows, dtypes.Uint8},
		{"whole floats", floats(0, 1, 255, 3, 4, 5, 6, 7), dtypes.Uint8},
		{"a fraction", floats(0, 1, 255, 3, 4, 5, 6.5, 7), dtypes.Float32},
		{"too large", floats(0, 1, 2, 3, 4, 5, 6, 256), dtypes.Float32},
		{"negative", floats(0, 1, 2, 3, 4, 5, 6, -1), dtypes.Float32},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &Dataset{Name: "tiny", Nodes: 2, Channels: 2, Signals: c.signals, Mean: []float32{0.3, -7}, Std: []float32{1.7, 0.9}}
			for _, split := range [][]int{{0, 1}, {1, 0}, {1}} {
				samples, table := d.Pack(split)
				require.Equal(t, c.dtype, samples.DType())
				require.Equal(t, []int{len(split), 2, 2}, samples.Shape().Dimensions)
				var got []float32
				if c.dtype == dtypes.Uint8 {
					require.Equal(t, []int{256, 2}, table.Shape().Dimensions)
					values := tensors.MustCopyFlatData[float32](table)
					for j, value := range tensors.MustCopyFlatData[uint8](samples) {
						got = append(got, values[int(value)*2+j%2])
					}
				} else {
					require.Nil(t, table)
					got = tensors.MustCopyFlatData[float32](samples)
				}
				for row, i := range split {
					want := make([]float32, 4)
					d.Sample(i, want)
					assert.Equal(t, want, got[4*row:4*row+4])
				}
			}
		})
	}
}

// Indices are places in the split, in the order of the samples; draws are those of the sample.
func TestIndices(t *testing.T) {
	values := make([]float32, 12)
	for i := range values {
		values[i] = float32(i)
	}
	d := &Dataset{Name: "tiny", Nodes: 1, Channels: 1, Signals: &Floats{Values: values, Size: 1}, Labels: make([]int32, 12),
		Mean: []float32{0}, Std: []float32{1}}
	split := []int{3, 4, 7, 8, 11}
	inputs := func(o BatchOptions) (all [][]float32, places [][]int32) {
		for batch, err := range d.Batches(split, o).Iter() {
			require.NoError(t, err)
			if o.Indices {
				places = append(places, tensors.MustCopyFlatData[int32](batch.Inputs[0]))
			} else {
				all = append(all, tensors.MustCopyFlatData[float32](batch.Inputs[0]))
			}
		}
		return all, places
	}
	o := BatchOptions{Size: 3, Shuffle: true, Seed: 5, Steps: 6, Augment: true}
	samples, _ := inputs(o)
	o.Indices = true
	_, places := inputs(o)
	require.Len(t, places, 6)
	for step := range places {
		for row, place := range places[step] {
			assert.Equal(t, samples[step][row], float32(split[place]), "step %d, row %d", step, row)
		}
	}

	d.Moves = &augment.CropAndFlip{Height: 1, Width: 1, Channels: 1, Pad: 3}
	d.Augment = d.Moves.Apply
	_, moved := inputs(o)
	for step := range moved {
		for row, place := range places[step] {
			m := d.Moves.Draw(random(5, augmentStream, uint64(step/2), uint64(split[place])))
			flip := int32(0)
			if m.Flip {
				flip = 1
			}
			assert.Equal(t, []int32{place, int32(m.Down), int32(m.Right), flip}, moved[step][4*row:4*row+4])
		}
	}
	d.Moves = nil
	for _, err := range d.Batches(split, o).Iter() {
		require.EqualError(t, err, "data set tiny: its augmentation is not by moves of an image's pixels: it needs the samples, not their indices")
	}
}
