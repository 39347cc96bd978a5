package datasets_test

import (
	"context"
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
)

func init() {
	datasets.Register(datasets.Source{Name: "rings",
		About: "sines around a ring of twelve nodes, of one or of two periods", Licence: "CC0",
		Load: rings})
}

// rings makes signals of one channel, whose phase is drawn anew for each.
func rings(context.Context, []string, datasets.Options) (*datasets.Raw, error) {
	const samples, nodes = 40, 12
	var edges []affinity.Edge
	for i := range nodes {
		edges = append(edges, affinity.Edge{I: min(i, (i+1)%nodes), J: max(i, (i+1)%nodes), Weight: 1})
	}
	graph, err := affinity.New(nodes, edges)
	if err != nil {
		return nil, err
	}
	raw, values := &datasets.Raw{Name: "rings", Graph: graph}, make([]float32, 0, samples*nodes)
	raw.Nodes, raw.Channels, raw.ClassNames = nodes, 1, []string{"one period", "two periods"}
	for sample := range samples {
		raw.Labels = append(raw.Labels, int32(sample%2))
		for node := range nodes {
			values = append(values, float32(math.Sin(2*math.Pi*float64((1+sample%2)*node)/nodes+float64(sample))))
		}
	}
	raw.Signals = &datasets.Floats{Values: values, Size: nodes}
	return raw, nil
}

// A data set of one's own is a file that registers a Source. It is then listed, loaded, split and trained on by its
// name.
func ExampleRegister() {
	d, err := datasets.Load(context.Background(), "rings", datasets.Options{Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Nodes, "nodes,", d.Affinity.Edges(), "links,", len(d.Train), "training and", len(d.Test), "test samples")
	// Output:
	// 12 nodes, 12 links, 32 training and 8 test samples
}
