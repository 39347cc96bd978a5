package datasets

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/internal/augment"
	"github.com/clusterpool/ccp/datasets/internal/images"
)

// BenchmarkBatch prepares a batch of 256 augmented images of CIFAR-10's size on one core.
func BenchmarkBatch(b *testing.B) {
	const count, size = 600, 256
	records := make([]byte, count*cifarRecord)
	for i := range records {
		records[i] = byte(i % 10)
	}
	raw, err := ofImages(cifar10, &images.Set{Side: 32, Labels: make([]byte, count),
		Pixels: &images.Bytes{Records: records, Record: cifarRecord, Skip: 1, Nodes: cifarNodes, Channels: 3, Planar: true, Scale: 255}},
		decimalDigits)
	require.NoError(b, err)
	d := &Dataset{Raw: *raw}
	d.Train, d.Mean, d.Std = upTo(count), []float32{0.5, 0.5, 0.5}, []float32{0.25, 0.25, 0.25}
	d.Augment = augment.CropAndFlip(32, 3, 4)
	batches := d.Batches(d.Train, BatchOptions{Size: size, Augment: true})
	for b.Loop() {
		batch := batches.build(0, d.Train[:size])
		require.NoError(b, batch.Finalize())
	}
	b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
