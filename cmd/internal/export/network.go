// Package export turns a trained classifier into constants, and writes them as an ONNX model for programs without ccp.
// docs/serving.md describes the file.
package export

import "github.com/clusterpool/ccp/models"

// Network is a trained classifier as constants: gates are computed, batch normalisation is folded. The
// input is x = (signal − Mean) / Std, `[nodes, channels]`. Then every level computes
//
//	x[k,j] ← ELU(Σ_l Σ_i Kernel[l,i,j] · Gates[k,l] · x[Nodes[k,l],i] + Bias[j])
//
// In the ELU, a level with a Skip also adds the input of the level before it. The convolutions of a stem and of blocks
// are levels, too, with a cluster for each node of their input. A level of K clusters in H hierarchies becomes one
// level of H·K clusters, the first hierarchy's clusters first.
//
// The last x, flattened for each hierarchy, goes through the dense layers, x ← ELU(x·Kernel + Bias). The last layer has
// no ELU and gives the logits of each hierarchy. Their mean over the hierarchies are the logits. The softmax of the
// logits, divided by the temperature, are the probabilities.
type Network struct {
	models.Metadata
	Hierarchies int // H
	Levels      []Level
	Dense       []Dense
	Temperature float64 // 1 without samples held out
}

// Level is one level of convolutional cluster pooling; its arrays are row-major.
type Level struct {
	models.Layer           // with the K clusters of all hierarchies
	Nodes        []int32   // `[K, L]`: the neighbourhood of each cluster, in nodes of its input
	Gates        []float32 // `[K, L]`
	Kernel       []float32 // `[L·C, filters]`
	Bias         []float32 // `[filters]`
}

// Dense is a fully connected layer.
type Dense struct {
	In, Out int
	Kernel  []float32 // `[In, Out]`, row-major
	Bias    []float32 // `[Out]`
}
