package data

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/augment"
	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/images"
	"github.com/clusterpool/ccp/datasets"
)

// BenchmarkBatch prepares batches of 256 augmented images of CIFAR-10's size; -cpu 1 takes one core.
func BenchmarkBatch(b *testing.B) {
	const count, size = 600, 256
	records := make([]byte, count*cifarRecord)
	for i := range records {
		records[i] = byte(i % 10)
	}
	raw, err := ofImages("", &images.Set{Side: 32, Train: count, Labels: make([]byte, count),
		Pixels: &datasets.Bytes{Records: records, Record: cifarRecord, Skip: 1, Nodes: cifarNodes, Channels: 3, Planar: true,
			Scale: 255}},
		make([]string, 10))
	require.NoError(b, err)
	d := &datasets.Dataset{Raw: *raw}
	d.Train, d.Mean, d.Std = raw.Split.Train[:size], []float32{0.5, 0.5, 0.5}, []float32{0.25, 0.25, 0.25}
	d.Augment = augment.CropAndFlip(32, 3, 4)
	next, stop := iter.Pull2(d.Batches(d.Train,
		datasets.BatchOptions{Size: size, Augment: true, Steps: datasets.Endless}).Iter())
	defer stop()
	for b.Loop() {
		batch, err, _ := next()
		require.NoError(b, err)
		require.NoError(b, batch.Finalize())
	}
	b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
