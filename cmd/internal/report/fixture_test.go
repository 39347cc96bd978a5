package report

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/require"
)

var (
	scratch string
	begun   = map[string]bool{}
	one     sync.Mutex // training
)

func TestMain(m *testing.M) {
	var err error
	scratch, err = os.MkdirTemp("", "report")
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// trained is the directory of a small training on the digits, made once for each name and not to be changed.
func trained(t testing.TB, name string) string {
	t.Helper()
	one.Lock()
	defer one.Unlock()
	dir := filepath.Join(scratch, name)
	if begun[name] {
		return dir
	}
	c := training.Patch{"levels": "12x8/8,4x8/4,1x8/4", "hidden": 8, "epochs": 3, "ccp_hierarchy": "learned",
		"ccp_membership_rate": 100,
		"ccp_stem":            nil, "ccp_blocks": nil, "ccp_dropout": nil, "ccp_padding": nil, "readout_dropout": nil}
	switch name {
	case "prepared":
		c["ccp_hierarchy"], c["ccp_membership_rate"], c["ccp_hierarchies"], c["epochs"] = "prepared", nil, 1, 1
	case "sensors":
		c = training.Patch{"data": sensorFile(t), "levels": "12x4/9,3x4/4", "hidden": 4, "epochs": 1,
			"ccp_hierarchies": 1, "ccp_stem": 0, "ccp_blocks": 0, "transforms": "none"}
	case "transforms":
		c = training.Patch{"data": sensorFile(t), "transforms": "values", "epochs": 1}
	case "softmax":
		c = training.Patch{"model": "softmax", "epochs": 1, "readout_dropout": nil}
	}
	_, err := training.Train(context.Background(), backendtest.Go(t), c,
		training.Options{Dir: dir, Backend: "go", Command: "ccp train --test"})
	require.NoError(t, err)
	begun[name] = true
	return dir
}

// sensorFile has recordings of three sensors over 128 frames, as ccp data import writes them.
func sensorFile(t testing.TB) string {
	t.Helper()
	const samples, frames = 126, 128 // 120 of them for training, of whose quarter 30 are right
	sensors := []string{"hip", "left wrist", "right wrist"}
	path := filepath.Join(scratch, "sensors.npz")
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {0, 2}, {1, 2}}, len(sensors), frames)
	require.NoError(t, err)
	var ends, labels, split []int32
	var names []string
	var features []float32
	for _, e := range graph.EdgeList() {
		ends = append(ends, int32(e.I), int32(e.J))
	}
	for frame := range frames {
		for _, sensor := range sensors {
			names = append(names, fmt.Sprintf("%s@%d", sensor, frame))
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range samples {
		labels, split = append(labels, int32(i%2)), append(split, int32(min(2, max(0, i-118)/2)))
		phase := 2 * math.Pi * rng.Float64() // else neighbours in the file were a family, and held out together
		for node := range names {
			features = append(features, float32(math.Sin(float64(node/3*(1+i%2))/9+phase+float64(node%3))))
		}
	}
	array := func(data any, shape ...int) *npz.Array { return &npz.Array{Shape: shape, Data: data} }
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "features", Array: array(features, samples, len(names))},
		{Name: "labels", Array: array(labels, samples)}, {Name: "split", Array: array(split, samples)},
		{Name: "class_names", Array: array([]string{"walk", "run"}, 2)},
		{Name: "edges", Array: array(ends, len(ends)/2, 2)}, {Name: "node_names", Array: array(names, len(names))},
		{Name: "grid", Array: array([]int32{frames, int32(len(sensors))}, 2)}}))
	return path
}

func digits(t testing.TB) *datasets.Dataset {
	t.Helper()
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	return d
}

// progressOf has the steps that Build announced, by the name of the run.
var progressOf = map[string][]string{}

func sensorData(t testing.TB) *datasets.Dataset {
	t.Helper()
	d, err := datasets.Load(t.Context(), filepath.Join(scratch, "sensors.npz"), datasets.Options{})
	require.NoError(t, err)
	return d
}

// built is the whole report of a run, and the classifier that it is of.
func built(t testing.TB, name string) (Report, *models.Classifier) {
	t.Helper()
	dir := trained(t, name)
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	d := digits(t)
	if name == "sensors" || name == "transforms" {
		d = sensorData(t)
	}
	r, err := Build(context.Background(), dir, c, d, 0, func(doing string, done float64) {
		progressOf[name] = append(progressOf[name], fmt.Sprintf("%s %.0f%%", doing, 100*done))
	})
	require.NoError(t, err)
	return r, c
}

// words is the report of a hierarchy of 10,000 words over 30 epochs, at six levels, as large as any here; all
// of it is drawn at random, which is the worst case for its size.
func words(t testing.TB) Report {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	graph, err := affinity.Grid(100, 100, 8)
	require.NoError(t, err)
	spec := models.Spec{Options: models.DefaultOptions(),
		Model: "ccp", Info: signal.Info{Nodes: 10_000, Channels: 1, ClassNames: []string{"a", "b"}}, Levels: []models.Level{
			{Clusters: 2048, Filters: 128, Neighbours: 16}, {Clusters: 512, Filters: 192, Neighbours: 16},
			{Clusters: 128, Filters: 256, Neighbours: 8},
			{Clusters: 32, Filters: 384, Neighbours: 8}, {Clusters: 4, Filters: 512, Neighbours: 8},
			{Clusters: 1, Filters: 512, Neighbours: 4}}}
	r := Report{Metadata: models.Metadata{Data: "words", Spec: spec}, Checkpoint: "runs/words", Network: true}
	positions := make([]float64, 0, 20_000)
	names := make([]string, spec.Nodes)
	for i := range names {
		names[i] = fmt.Sprintf("word%d", random.IntN(1_000_000))
		positions = append(positions, random.NormFloat64(), random.NormFloat64())
	}
	r.Layout = picture.NewLayout(graph, picture.Nodes{Coordinates: positions, Names: names})
	r.Map = r.Layout.Map()
	var epochs []training.HierarchyEpoch
	for epoch := range 30 {
		e := training.HierarchyEpoch{Epoch: epoch + 1}
		nodes := spec.Nodes
		for i, level := range spec.Levels {
			clusters := make([]int32, nodes)
			for node := range clusters {
				clusters[node] = int32(random.IntN(level.Clusters))
			}
			e.Clusters = append(e.Clusters, clusters)
			e.Health = append(e.Health, hierarchy.Health{Level: i + 1, Nodes: nodes, Clusters: level.Clusters,
				Neighbours: level.Neighbours, InUse: level.Clusters})
			nodes = level.Clusters
		}
		epochs = append(epochs, e)
	}
	r.About, r.Edges, r.Epochs, r.BestEpoch, r.Names = "a hierarchy", graph.Edges(), 30, 20, names
	r.Hierarchy, r.Health = hierarchyOf(spec, r.Layout, epochs, 19), epochs[19].Health
	nodes := spec.Nodes
	for i := range r.Hierarchy.Levels {
		l := &r.Hierarchy.Levels[i]
		for range l.Clusters {
			var central, neighbourhood []int32
			var ranks, gates []float32
			for range mostCentral {
				central = append(central, int32(random.IntN(spec.Nodes)))
			}
			for range l.Neighbours {
				neighbourhood = append(neighbourhood, int32(random.IntN(nodes)))
				ranks, gates = append(ranks, random.Float32()), append(gates, random.Float32())
			}
			l.Mass, l.Central = append(l.Mass, random.Float64()), append(l.Central, central)
			l.Neighbourhoods, l.Ranks, l.Gates = append(l.Neighbourhoods, neighbourhood), append(l.Ranks, ranks),
				append(l.Gates, gates)
		}
		nodes = l.Clusters
	}
	return r
}
