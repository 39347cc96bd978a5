package datasets

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkBatch prepares a batch of 256 augmented images of CIFAR-10's size on one core, and its indices and draws.
func BenchmarkBatch(b *testing.B) {
	const images, size = 600, 256
	records := make([]byte, images*cifarRecord)
	for i := range records {
		records[i] = byte(i % 10)
	}
	d, err := newCIFAR(records, images/len(cifarFiles), Options{Augment: true})
	require.NoError(b, err)
	for name, indices := range map[string]bool{"samples": false, "indices": true} {
		b.Run(name, func(b *testing.B) {
			batches := d.Batches(d.Train, BatchOptions{Size: size, Augment: true, Indices: indices})
			for b.Loop() {
				batch := batches.build(0, d.Train[:size])
				require.NoError(b, batch.Finalize())
			}
			b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
