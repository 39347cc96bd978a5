package export

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

// variant is a network that differs from the others in what Fold must know about.
type variant struct {
	levels   string // "" is none
	hidden   []int
	settings []string
}

var variants = map[string]variant{
	"learned":         {"6x5/4,2x7/3", []int{8}, nil},
	"prepared":        {"6x5/4,2x7/3", []int{8}, []string{"ccp_hierarchy=prepared"}},
	"candidates":      {"6x5/4:candidates=3,2x7/2:candidates=2", []int{8}, nil},
	"two hidden":      {"6x5/4,2x7/3", []int{8, 5}, nil},
	"norms":           {"6x5/4:batchnorm_epsilon=0.1,2x7/3", []int{8}, []string{"batchnorm_epsilon=0.3"}},
	"level dropout":   {"6x5/4,2x7/3", []int{8}, []string{"ccp_dropout=0.3", "input_dropout=0.1"}},
	"no hidden layer": {"6x5/4,1x7/6", nil, nil},
	"L = 1":           {"3x1/1,1x1/1", nil, nil},
	"no level":        {"", []int{6}, nil},
	"logistic":        {"", nil, nil},
	"hierarchies":     {"6x5/4,2x7/3,1x6/2", []int{8}, []string{"ccp_hierarchy=prepared", "ccp_hierarchies=3"}},
	"one level":       {"1x5/7", nil, []string{"ccp_hierarchy=prepared", "ccp_hierarchies=2"}},
	"directed":        {"6x5/4,2x7/3", []int{8}, []string{"ccp_hierarchy=prepared", "ccp_slots=directed"}},
	"zero padding":    {"6x5/9,2x7/3", []int{8}, []string{"ccp_hierarchy=prepared", "ccp_padding=zeros"}},
	"stem":            {"6x5/4,2x7/3", []int{8}, []string{"ccp_stem=3", "ccp_reach=5"}},
	"blocks":          {"6x5/4,2x7/3", []int{8}, []string{"ccp_stem=3", "ccp_blocks=2", "batchnorm_epsilon=0.1"}},
	"level blocks": {"6x5/4,1x7/3", []int{8}, []string{"ccp_hierarchy=prepared", "ccp_hierarchies=3", "ccp_reach=3",
		"ccp_blocks=0,2,1"}},
	"readout": {"6x5/4,2x7/3", []int{8}, []string{"ccp_stem=3", "ccp_blocks=1,1", "ccp_readout=levels"}},
	"all readouts": {"6x5/4,1x7/3", nil, []string{"ccp_hierarchy=prepared", "ccp_hierarchies=3", "ccp_stem=3",
		"ccp_readout=levels"}},
	"stem only": {"", []int{6}, []string{"ccp_stem=3", "ccp_blocks=1"}},
	"all together": {"6x5/9,3x7/3,1x6/3", []int{8}, []string{"ccp_hierarchy=prepared", "ccp_hierarchies=4", "ccp_stem=4",
		"ccp_blocks=1",
		"ccp_reach=6", "ccp_slots=directed", "ccp_padding=zeros"}},
}

// graphOf is a 3x4 grid whose last two nodes are apart from the others, so that neighbourhoods around them have gaps.
func graphOf(t testing.TB) *affinity.Matrix {
	t.Helper()
	grid, err := affinity.Grid(3, 4, 8)
	require.NoError(t, err)
	const apart = 10
	edges := slices.DeleteFunc(grid.EdgeList(), func(e affinity.Edge) bool { return (e.I < apart) != (e.J < apart) })
	m, err := affinity.New(grid.N(), edges)
	require.NoError(t, err)
	return m
}

// classifier makes a variant for graphOf with two channels. Its weights are drawn, and those that start at 0 or 1 are
// moved, so that each of them matters.
func classifier(t testing.TB, v variant) *models.Classifier {
	t.Helper()
	grid := graphOf(t)
	m := models.Metadata{Spec: models.Spec{Model: "ccp",
		Info: signal.Info{Nodes: 12, Channels: 2, ClassNames: []string{"red", "grün", `"blue"`}, Mean: []float32{1, -2},
			Std: []float32{2, 0.5}}, Options: models.DefaultOptions()}, Data: "grid"}
	m.Spec.Hidden = v.hidden
	var err error
	if v.levels != "" {
		require.NoError(t, (*training.Levels)(&m.Spec.Levels).UnmarshalText([]byte(v.levels)))
	}
	for _, setting := range v.settings {
		path, value, _ := strings.Cut(setting, "=")
		require.NoError(t, m.Spec.Put(path, value))
	}
	require.NoError(t, m.Spec.Check())
	backend, store := backendtest.Go(t), m.Spec.NewStore(3)
	_, err = m.Spec.Prepare(t.Context(), backend, store, grid, nil, nil)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	require.NoError(t, m.Spec.Precompute(t.Context(), backend, store, grid, func(yield func([]float32, int32) bool) {
		for k := range 30 {
			x := make([]float32, 24)
			for j := range x {
				x[j] = float32(rng.NormFloat64()) * float32(k%3+1)
			}
			yield(x, int32(k%3))
		}
	}))
	_, err = model.CallOnce(backend, store, func(scope *model.Scope, x *graph.Node) *graph.Node {
		return m.Spec.Build(scope, models.Topology{Matrix: grid}, x)
	},
		tensors.FromScalarAndDimensions(float32(1), 1, 12, 2))
	require.NoError(t, err)
	for v := range store.IterVariables() {
		if strings.Contains(v.Path(), "/batch_norm/") || strings.HasSuffix(v.Path(), "/b") {
			edit(t, store, v.Path(),
				func(i int, x float32) float32 { return x + 0.5*float32(math.Abs(math.Sin(float64(i+len(v.Path()))))) })
		}
	}
	c, err := models.NewClassifier(backend, m, grid)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	return c
}

// edit changes each element of a variable.
func edit(t testing.TB, store *model.Store, path string, change func(i int, x float32) float32) {
	t.Helper()
	v := store.GetVariable(path)
	values := tensors.MustCopyFlatData[float32](v.MustValue())
	for i, x := range values {
		values[i] = change(i, x)
	}
	require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
}

// signals draws n signals in the units of classifier's mean and standard deviation.
func signals(c *models.Classifier, n int) [][]float32 {
	rng := rand.New(rand.NewPCG(5, 6))
	all := make([][]float32, n)
	for s := range all {
		all[s] = make([]float32, c.Spec.Nodes*c.Spec.Channels)
		for j := range all[s] {
			channel := j % c.Spec.Channels
			all[s][j] = c.Mean[channel] + 2*c.Std[channel]*float32(rng.NormFloat64())
		}
	}
	return all
}

// predicted is what the classifier says of signals or series, `[samples, classes]` flat.
func predicted(t testing.TB, c *models.Classifier, signals [][]float32) []float64 {
	t.Helper()
	var predictions []models.Prediction
	var err error
	if c.Form == nil {
		predictions, err = c.Classify(t.Context(), signals)
	} else {
		predictions, err = c.ClassifySeries(t.Context(), signals)
	}
	require.NoError(t, err)
	var flat []float64
	for _, p := range predictions {
		flat = append(flat, p.Probabilities...)
	}
	return flat
}

// drawn is a recording of class i%3: noise, in which waves of another period and another direction are.
func drawn(i, timepoints, sensors int) []float32 {
	rng, values := rand.New(rand.NewPCG(uint64(i), 9)), make([]float32, timepoints*sensors)
	for at := range values {
		turn := float64(at/sensors)/float64(2+i%3) + float64(at%sensors*(i%3))
		values[at] = float32(5 + 3*math.Sin(turn) + 2*rng.NormFloat64())
	}
	return values
}

var all map[string]*models.Classifier // the ensembles

// ensembles are classifiers of recordings: of one length and of several; of one sensor and of several on a graph; with
// a network beside the transforms and without. They are trained once for all tests.
func ensembles(t *testing.T) map[string]*models.Classifier {
	t.Helper()
	if all != nil {
		return all
	}
	all = map[string]*models.Classifier{}
	for name, of := range map[string]struct{ sensors, longer int }{"one sensor": {1, 0}, "graph": {16, 0},
		"lengths": {2, 30}} {
		var series [][]float32
		var labels, sensors []string
		var links []affinity.Edge
		for i := range 60 {
			series, labels = append(series, drawn(100+i, 30+i%2*of.longer, of.sensors)),
				append(labels, []string{"a", "b", "c"}[i%3])
		}
		for s := range of.sensors {
			sensors = append(sensors, fmt.Sprint("sensor ", s))
			if s > 0 {
				links = append(links, affinity.Edge{I: s - 1, J: s, Weight: 1 + float64(s%3)})
			}
		}
		raw, err := datasets.NewSeries(name, series, sensors, labels)
		require.NoError(t, err)
		raw.Graph, err = affinity.New(of.sensors, links)
		require.NoError(t, err)
		d, err := datasets.Make(raw, datasets.Split{Train: loop.Indices(54), Test: []int{54, 55, 56, 57, 58, 59}})
		require.NoError(t, err)
		train := func(config training.Patch) *models.Classifier {
			dir := filepath.Join(t.TempDir(), "run")
			_, err := training.Train(t.Context(), backendtest.Go(t), config, training.Options{Dir: dir, Data: d})
			require.NoError(t, err)
			c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
			require.NoError(t, err)
			return c
		}
		all[name] = train(training.Patch{"model": "transforms"})
		if name == "lengths" {
			continue
		}
		both := train(training.Patch{"levels": "6x4/4,1x4/4", "steps": 20, "transforms": "none"})
		for v := range all[name].Store().IterVariables() {
			if strings.HasPrefix(v.Path(), "/model/transforms/") {
				_, err := both.Store().CreateVariable(v.Path(), v.MustValue())
				require.NoError(t, err)
			}
		}
		edit(t, both.Store(), "/model/transforms/network_temperature", func(int, float32) float32 { return 0.7 })
		edit(t, both.Store(), "/model/transforms/weight", func(int, float32) float32 { return 0.6 })
		both.Calibration = &models.Calibration{Temperature: 0.5}
		require.NoError(t, both.Update(both.Store()))
		all[name+" and network"] = both
	}
	return all
}
