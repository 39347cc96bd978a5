package training

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

const (
	ringNodes, ringChannels, ringClasses = 12, 3, 4
	ringEpochs, ringSteps                = 8, 8 // steps an epoch: 140 training samples in batches of 16
)

// leaves is a data set with recipes of its own, for a grid of 32x32 nodes in one or more channels.
const leaves = "leaves"

type leafOptions struct {
	TFIDF bool   `param:"tfidf"`
	Side  string `param:"side" default:"upper" rule:"one of upper|lower"`
}

// shrunk is an ablation.
type shrunk struct {
	Shrunk int `param:"shrunk" default:"1" rule:"from 1"`
}

func init() {
	Register(shrunk{}, func(c *Config, d *datasets.Dataset) (*datasets.Dataset, error) {
		by := datasets.OptionsOf[shrunk](c.More).Shrunk
		c.Levels = slices.Clone(c.Levels)
		if by == 99 {
			return nil, errors.New("shrunk: 99; nothing is left")
		} else if by > 1 {
			other := *d
			other.Coordinates, d = nil, &other
		}
		for i := range c.Levels {
			c.Levels[i].Filters /= by
		}
		return d, nil
	})
	of, _ := datasets.Named("digits")
	of.Name, of.Options = leaves, leafOptions{}
	of.Recipes = []byte(`[
		{"set": {"levels": "256x256/16,64x384/16,1x1024/4", "hidden": "1024", "epochs": 100, "augment": true, "tfidf": true,
			"input_dropout": 0.3}},
		{"data": "needles", "set": {"epochs": 7}},
		{"recipe": "default", "set": {"epochs": 16, "batch": 100, "ccp_hierarchies": null}},
		{"models": "ccp", "recipe": "default", "set": {"ccp_search": "cut", "ccp_slots": "directed", "ccp_blocks": null}},
		{"models": "ccp", "recipe": "deep", "set": {"levels": "256x64/16,1x512/16", "hidden": "none",
			"ccp_hierarchy": "prepared",
			"ccp_search": "cut", "ccp_slots": "directed", "ccp_blocks": "1,1"}},
		{"models": "svm bayes", "set": {"tfidf": false, "input_dropout": null}},
		{"models": "fc", "set": {"hidden": "2500,500"}},
		{"models": "bayes", "set": {"bayes_alpha": 0.002}}
	]`)
	datasets.Register(of)
}

// writeRing writes signals on a ring of 12 nodes with 3 channels: class k is a bump at nodes 3k to 3k+2 of every
// channel, in noise. Without marks the splits are drawn; marks are those of the first samples, the others are for
// training.
func writeRing(t testing.TB, samples int, marks ...int64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 0))
	features := make([]float32, samples*ringNodes*ringChannels)
	labels := make([]int64, samples)
	for i := range samples {
		labels[i] = int64(i % ringClasses)
		for node := range ringNodes {
			for c := range ringChannels {
				value := 0.4 * random.NormFloat64()
				if node/3 == i%ringClasses {
					value += float64(1 + c)
				}
				features[(i*ringNodes+node)*ringChannels+c] = float32(value)
			}
		}
	}
	edges := make([]int64, 0, 2*ringNodes)
	for node := range int64(ringNodes) {
		edges = append(edges, node, (node+1)%ringNodes)
	}
	arrays := []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{samples, ringNodes, ringChannels}, Data: features}},
		{Name: "labels", Array: &npz.Array{Shape: []int{samples}, Data: labels}},
		{Name: "edges", Array: &npz.Array{Shape: []int{ringNodes, 2}, Data: edges}},
		{Name: "class_names", Array: &npz.Array{Shape: []int{ringClasses},
			Data: []string{"north", "east", "south", "west"}}},
	}
	if marks != nil {
		split := make([]int64, samples)
		copy(split, marks)
		arrays = append(arrays, npz.Named{Name: "split", Array: &npz.Array{Shape: []int{samples}, Data: split}})
	}
	path := filepath.Join(t.TempDir(), "ring.npz")
	require.NoError(t, npz.Write(path, arrays))
	return path
}

// ringConfig is a training of a tiny network on such a file.
func ringConfig(data string) Patch {
	c := Patch{"data": data, "model": "ccp"}
	c["levels"], c["hidden"] = "4x6/4,1x8/3", []int{8}
	c["epochs"], c["batch"], c["learning_rate"], c["schedule"], c["keep"], c["label_smoothing"] = ringEpochs, 16,
		0.02, "cosine", "best", 0
	only(c, map[string]any{"readout_dropout": 0.2})
	return c
}

// trainIn trains without an observer.
func trainIn(t testing.TB, backend compute.Backend, c Patch, dir string) Result {
	t.Helper()
	result, err := Train(context.Background(), backend, c, Options{Dir: dir})
	require.NoError(t, err)
	return result
}

// trainUntil trains and interrupts after so many steps of this call; it returns the lines noticed.
func trainUntil(t testing.TB, backend compute.Backend, c Patch, dir string, steps int) (notices []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := Train(ctx, backend, c, Options{Dir: dir, Observer: Observer{
		Step: func(Progress) {
			steps--
			if steps == 0 {
				cancel()
			}
		},
		Notice: func(n Notice) { notices = append(notices, n.String()) },
	}})
	require.ErrorIs(t, err, ErrInterrupted)
	require.ErrorIs(t, err, context.Canceled)
	return notices
}

// snapshotOf reads the newest snapshot of a kind: every variable bit for bit, and its epochs without their times.
func snapshotOf(t testing.TB, dir, kind string) (variables map[string]string, history []Epoch) {
	t.Helper()
	var last trainState
	var best Epoch
	state := any(&last)
	if kind == checkpoint.Best {
		state = &best
	}
	store := model.NewStore()
	_, passedOver, err := checkpoint.Load(dir, kind, store, state)
	require.NoError(t, err)
	require.Empty(t, passedOver)
	variables = map[string]string{}
	for v := range store.IterVariables() {
		value := v.MustValue()
		require.NoError(t, value.ConstBytes(func(raw []byte) {
			variables[v.Path()] = fmt.Sprintf("%s %x",
				value.Shape(), raw)
		}))
	}
	history = append(last.History, best)
	for i := range history {
		history[i].Seconds, history[i].InputWait = 0, 0
	}
	return variables, history
}

// requireSameRun requires two finished runs to agree in every variable, their history and result, but for times.
func requireSameRun(t testing.TB, want, got string) {
	t.Helper()
	for _, kind := range []string{checkpoint.Last, checkpoint.Best} {
		wantVariables, wantHistory := snapshotOf(t, want, kind)
		gotVariables, gotHistory := snapshotOf(t, got, kind)
		for path, value := range wantVariables {
			require.Equal(t, value, gotVariables[path], "%s of %s", path, kind)
		}
		require.Len(t, gotVariables, len(wantVariables), kind)
		require.Equal(t, wantHistory, gotHistory, kind)
	}
	wantHierarchies, err := ReadHierarchies(want)
	require.NoError(t, err)
	gotHierarchies, err := ReadHierarchies(got)
	require.NoError(t, err)
	require.Equal(t, wantHierarchies, gotHierarchies)
	results := make([]Result, 2)
	for i, dir := range []string{want, got} {
		require.NoError(t, files.ReadJSON(filepath.Join(dir, resultFile), &results[i]))
		results[i].Seconds, results[i].PrepareSeconds, results[i].CompileSeconds, results[i].Checkpoint = 0, 0, 0, ""
	}
	require.Equal(t, results[0], results[1])
}

func weightPaths(variables map[string]string) (paths []string) {
	for path := range variables {
		if strings.HasPrefix(path, "/model/") {
			paths = append(paths, path)
		}
	}
	return paths
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// resolved returns the whole configuration for a data set.
func resolved(t testing.TB, asked Patch, d *datasets.Dataset) Config {
	t.Helper()
	c, err := Resolve(asked, d)
	require.NoError(t, err)
	return c
}

// previewed returns what is known before the data is read.
func previewed(a Patch) Config {
	c, err := Preview(a)
	if err != nil {
		panic(err)
	}
	return c
}

// only asks for these options of the network, and for none of a recipe's.
func only(c Patch, values map[string]any) {
	c["recipe"] = PaperRecipe
	maps.Copy(c, values)
}
