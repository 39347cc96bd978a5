package picture

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Layout says where to draw each node of a graph: at its coordinates `[nodes, d]`, row-major, where there are any, and else as Spectral
// does. Of more than two coordinates it takes the first two principal components.
func Layout(graph *affinity.Matrix, coordinates []float64) (x, y []float64) {
	n := graph.N()
	if len(coordinates) == 0 || n == 0 {
		return Spectral(graph)
	}
	d := len(coordinates) / n
	places := mat.NewDense(n, d, coordinates)
	if d == 1 {
		return mat.Col(nil, 0, places), make([]float64, n)
	}
	var components stat.PC
	if d > 2 && components.PrincipalComponents(places, nil) {
		var directions, projected mat.Dense
		components.VectorsTo(&directions)
		projected.Mul(places, directions.Slice(0, d, 0, 2))
		places = &projected
	}
	return mat.Col(nil, 0, places), mat.Col(nil, 1, places)
}
