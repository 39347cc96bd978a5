// Package export turns a trained classifier into constants, and writes them for programs without ccp: as an ONNX model or as
// an .npz of numpy arrays. docs/export.md describes both files.
package export

import "github.com/clusterpool/ccp/models"

// Network is a trained classifier as constants: gates are computed, batch normalisation is folded. With
// x = (signal − Mean) / Std, `[nodes, channels]`, every level computes
//
//	x[k,j] ← ELU(Σ_l Σ_i Kernel[l,i,j] · Gates[k,l] · x[Nodes[k,l],i] + Bias[j]) · Scale[j] + Shift[j].
//
// The last x, flattened, goes through the dense layers, x ← ELU(x·Kernel + Bias). The last of these has no ELU and gives the
// logits, whose softmax are the probabilities.
type Network struct {
	models.Metadata
	Levels []Level
	Dense  []Dense
}

// Level is one level of convolutional cluster pooling; its arrays are row-major.
type Level struct {
	models.Level           // K clusters, filters, L neighbours
	Channels     int       // C, of its input
	Nodes        []int32   // `[K, L]`: the neighbourhood of each cluster, in nodes of its input
	Gates        []float32 // `[K, L]`
	Kernel       []float32 // `[L·C, filters]`
	Bias         []float32 // `[filters]`
	Scale, Shift []float32 // `[filters]`; nil if batch normalisation comes before the ELU: Kernel and Bias hold it then
}

// Dense is a fully connected layer.
type Dense struct {
	In, Out int
	Kernel  []float32 // `[In, Out]`, row-major
	Bias    []float32 // `[Out]`
}
