// Package speed measures training and inference at the sizes of the paper. To compare with the machine's own rate of
// matrix products, use `go test -bench . ./benchmarks/paper/speed`.
package speed

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	_ "github.com/clusterpool/ccp/benchmarks/paper/data" // whose recipes have the levels
	_ "github.com/clusterpool/ccp/benchmarks/paper/networks"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
)

// data holds the sizes and graphs of the data sets.
var data = map[string]struct {
	nodes, channels, classes int
	graph                    func() (*affinity.Matrix, error)
}{
	"digits":  {64, 1, 10, func() (*affinity.Matrix, error) { return affinity.Grid(8, 8, 8) }},
	"cifar10": {1024, 3, 10, func() (*affinity.Matrix, error) { return affinity.Grid(32, 32, 8) }},
	"ntu":     {2000, 6, 60, func() (*affinity.Matrix, error) { return affinity.SpaceTime(ntuBones, 25, 80) }},
	"20news":  {10_000, 1, 20, words},
	"sensors": {1280, 1, 6, func() (*affinity.Matrix, error) {
		return affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9},
			{9, 0}}, 10, 128)
	}},
	"sensor": {128, 1, 6, func() (*affinity.Matrix, error) { return affinity.SpaceTime(nil, 1, 128) }},
}

// ntuBones are the bones of the second Kinect's 25 joints.
var ntuBones = [][2]int{{0, 1}, {1, 20}, {2, 20}, {3, 2}, {4, 20}, {5, 4}, {6, 5}, {7, 6}, {8, 20}, {9, 8},
	{10, 9}, {11, 10},
	{12, 0}, {13, 12}, {14, 13}, {15, 14}, {16, 0}, {17, 16}, {18, 17}, {19, 18}, {21, 22}, {22, 7}, {23, 24}, {24, 11}}

// words joins 10,000 random points to their 16 nearest neighbours. The graph replaces the one of 20NEWS, which needs
// the corpus. It has 118,741 edges; the real graph has 119,685 with GloVe's vectors of 50 dimensions.
var words = sync.OnceValues(func() (*affinity.Matrix, error) {
	const nodes, dims = 10_000, 10
	rng := rand.New(rand.NewPCG(1, 1))
	points := make([]float64, nodes*dims)
	for i := range points {
		points[i] = rng.NormFloat64()
	}
	return affinity.KNN(points, nodes, dims, 16, affinity.Euclidean)
})

// convolutions are networks of one or two graph convolutions without pooling, named DATA-NAME. The networks for 20NEWS
// are as wide as PyTorch Geometric's memory allows. A convolution keeps its nodes; terms is the order of Chebyshev
// filters.
var convolutions = map[string]struct {
	model   string
	filters []int
	terms   int
}{
	"cifar10-cheb5":  {"chebyshev", []int{32, 64}, 5},
	"cifar10-cheb16": {"chebyshev", []int{32, 64}, 16},
	"cifar10-cheb25": {"chebyshev", []int{32, 64}, 25},
	"cifar10-gcn":    {"gcn", []int{32, 64}, 1},
	"cifar10-gat":    {"gat", []int{32, 64}, 1},
	"20news-cheb5":   {"chebyshev", []int{32}, 5},
	"20news-cheb25":  {"chebyshev", []int{32}, 25},
	"20news-gcn":     {"gcn", []int{32}, 1},
	"20news-gat":     {"gat", []int{8}, 1},
}

// Architectures lists the networks: CCP with the preset of each data set, and the graph convolutions.
func Architectures() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(data)), maps.Keys(convolutions))))
}

// Network returns one of the Architectures with its graph. To show how the cost grows with the graph, "lattice-N" is a
// network on a lattice of about N nodes of degree 16. N must be at least 64.
func Network(arch string) (models.Spec, *affinity.Matrix, error) {
	name, rest, _ := strings.Cut(arch, "-")
	if n, err := strconv.Atoi(rest); name == "lattice" && err == nil && n >= 64 {
		return lattice(int(math.Sqrt(float64(n))))
	}
	shape, known := data[name]
	convolution, convolves := convolutions[arch]
	if !known || name != arch && !convolves {
		return models.Spec{}, nil, fmt.Errorf("there is no architecture %q; %s, lattice-N", arch, suggest.Among(arch,
			Architectures()))
	}
	spec := models.Spec{Options: models.DefaultOptions(),
		Model: "ccp", Info: signal.Info{Nodes: shape.nodes, Channels: shape.channels,
			ClassNames: make([]string, shape.classes)}}
	if convolves {
		spec.Model = convolution.model
		for _, filters := range convolution.filters {
			spec.Levels = append(spec.Levels,
				models.Level{Clusters: shape.nodes, Filters: filters, Neighbours: convolution.terms})
		}
	} else {
		spec.Levels, spec.Hidden = training.PresetOf("", arch, training.DefaultRecipe, shape.nodes)
	}
	graph, err := shape.graph()
	return spec, graph, err
}

// lattice joins each node of a square to 16 nodes near it: 8 edges a node, fewer at the border. Each level of its
// network has a quarter of the nodes before, 16 filters and neighbourhoods of 16. The last level has one cluster of all
// nodes.
func lattice(side int) (models.Spec, *affinity.Matrix, error) {
	spec := models.Spec{Options: models.DefaultOptions(),
		Model: "ccp", Info: signal.Info{Nodes: side * side, Channels: 8, ClassNames: make([]string, 4)}}
	nodes := spec.Nodes
	for ; nodes > 64; nodes = (nodes + 3) / 4 {
		spec.Levels = append(spec.Levels, models.Level{Clusters: (nodes + 3) / 4, Filters: 16, Neighbours: 16})
	}
	spec.Levels = append(spec.Levels, models.Level{Clusters: 1, Filters: 32, Neighbours: nodes})
	spec.Hidden = []int{32}
	var edges []affinity.Edge
	for node := range side * side {
		for _, step := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}, {0, 2}, {2, 0}, {1, 2}, {2, 1}} {
			if y, x := node/side+step[0], node%side+step[1]; y < side && x >= 0 && x < side {
				edges = append(edges, affinity.Edge{I: node, J: y*side + x, Weight: 1})
			}
		}
	}
	graph, err := affinity.New(side*side, edges)
	return spec, graph, err
}
