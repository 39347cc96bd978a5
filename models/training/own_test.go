package training_test

import (
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func init() {
	models.Register("own", models.Network{About: "two levels and a dense layer of GoMLX", Clusters: true,
		Build: func(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
			a := graph.Affinity(scope, x)
			x, a = ccp.New(scope.In("level_1"), x, a, 16, 8).Neighbours(9).Done()
			x, _ = ccp.New(scope.In("level_2"), x, a, 4, 16).Neighbours(4).Done()
			return layers.Dense(scope.In("classes"), Reshape(x, x.Shape().Dim(0), 4*16), true, spec.Classes())
		}})
	models.Register("own, nested", models.Network{About: "levels in scopes of their own, with residual blocks",
		Clusters: true, Build: func(scope *model.Scope, spec models.Spec, graph models.Topology, x *Node) *Node {
			a, tower := graph.Affinity(scope, x), scope.In("tower")
			x, a = ccp.New(tower.In("low"), x, a, 16, 8).Neighbours(9).Blocks(1).Done()
			x, _ = ccp.New(tower.In("high").In("level"), x, a, 4, 16).Neighbours(4).Done()
			return layers.Dense(scope.In("classes"), Reshape(x, x.Shape().Dim(0), 4*16), true, spec.Classes())
		}})
	models.Register("own, with a stem", models.Network{Clusters: true, Options: struct {
		Stem int `param:"ccp_stem" default:"0" rule:"from 0"`
	}{}, Build: func(scope *model.Scope, spec models.Spec, _ models.Topology, x *Node) *Node {
		return layers.Dense(scope.In("classes"), Reshape(x, x.Shape().Dim(0), -1), true, spec.Classes())
	}})
	for name, at := range map[string]func(scope *model.Scope) *model.Scope{
		"own, elsewhere": func(scope *model.Scope) *model.Scope { return scope.Store().Scope("/elsewhere") },
		"own, above":     func(scope *model.Scope) *model.Scope { return scope.In("..").In("above") }} {
		models.Register(name, models.Network{Build: func(scope *model.Scope, spec models.Spec, _ models.Topology,
			x *Node) *Node {
			return layers.Dense(at(scope), Reshape(x, x.Shape().Dim(0), -1), true, spec.Classes())
		}})
	}
	models.Register("own, without levels", models.Network{About: "GoMLX's dense layer alone", Clusters: true,
		Build: func(scope *model.Scope, spec models.Spec, _ models.Topology, x *Node) *Node {
			return layers.Dense(scope.In("classes"), Reshape(x, x.Shape().Dim(0), x.Shape().Size()/x.Shape().Dim(0)),
				true, spec.Classes())
		}})
}

// A registered network trains, is frozen for predictions, and is loaded and classifies as it did, by the same
// functions as all others.
func TestOwnNetwork(t *testing.T) {
	data, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	for _, c := range [][2]string{{"own", "learned"}, {"own, without levels", "learned"}, {"own", "prepared"},
		{"own", "random"}} {
		name := c[0]
		backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
			config := training.Patch{"data": "digits", "model": name}
			config["epochs"], config["learning_rate"] = 12, 0.01
			config["l2"] = 0
			config["ccp_hierarchy"] = c[1]
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			dir := filepath.Join(t.TempDir(), "run")
			result, err := training.Train(t.Context(), backend, config, training.Options{Dir: dir, Data: data})
			require.NoError(t, err)
			assert.Greater(t, result.Test.Accuracy, 0.7)

			loaded, err := models.Load(dir, models.LoadOptions{Backend: backend})
			require.NoError(t, err)
			again, err := training.Evaluate(loaded, data, data.Test, 64)
			require.NoError(t, err)
			assert.Equal(t, result.Test.Accuracy, again.Accuracy)
			assert.Equal(t, name == "own", loaded.Store().GetVariable("/model/level_2/frozen_neighbourhood") != nil,
				"the hierarchy is frozen")
			assert.Equal(t, c[1] == "prepared", loaded.Store().GetVariable("/model/level_2/clusters") != nil)

			copied := filepath.Join(t.TempDir(), "copy")
			require.NoError(t, loaded.Save(copied))
			require.ErrorContains(t, loaded.Save(copied), copied+" is not empty; choose another directory")
			second, err := models.Load(copied, models.LoadOptions{Backend: backend})
			require.NoError(t, err)
			signal := make([]float32, data.Nodes)
			data.Signals.Read(data.Test[5], signal)
			want, err := loaded.Classify(t.Context(), [][]float32{signal})
			require.NoError(t, err)
			got, err := second.Classify(t.Context(), [][]float32{signal})
			require.NoError(t, err)
			assert.Equal(t, want, got)
			require.NoError(t, loaded.Close())
			require.ErrorIs(t, loaded.Save(filepath.Join(t.TempDir(), "closed")), models.ErrClosed)
			require.NoError(t, second.Close())
		})
	}
}

// Levels may be in any scopes, and have residual blocks.
func TestOwnNetworkOfNestedLevels(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	backend := backendtest.Go(t)
	for plan, variables := range map[string][]string{"prepared": {"low/clusters", "high/level/clusters"},
		"learned": {"low/U", "high/level/U"}, "random": {"low/U"}} {
		config := training.Patch{"data": "digits", "model": "own, nested", "epochs": 8, "learning_rate": 0.01,
			"ccp_hierarchy": plan}
		dir := filepath.Join(t.TempDir(), "run")
		result, err := training.Train(t.Context(), backend, config, training.Options{Dir: dir})
		require.NoError(t, err)
		assert.Greater(t, result.Test.Accuracy, 0.7, plan)
		loaded, err := models.Load(dir, models.LoadOptions{Backend: backend})
		require.NoError(t, err)
		for _, name := range append(variables, "low/around", "low/block_1/1/W") {
			assert.NotNil(t, loaded.Store().GetVariable("/model/tower/"+name), name)
		}
		assert.Equal(t, []int{16, 9}, loaded.Store().GetVariable("/model/tower/low/around").Shape().Dimensions)
		assert.Nil(t, loaded.Store().GetVariable("/model/tower/high/level/around"), "it has no blocks")
		d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
		require.NoError(t, err)
		again, err := training.Evaluate(loaded, d, d.Test, 64)
		require.NoError(t, err)
		assert.Equal(t, result.Test.Accuracy, again.Accuracy)
	}
}

// Options that only say how the model ccp is built would have no effect on a network with levels of its own, and are
// refused, unless the network has them among its own.
func TestOwnNetworkWithOptionsOfBuilding(t *testing.T) {
	for name, value := range map[string]any{"ccp_stem": 4, "ccp_blocks": "1", "ccp_readout": "levels",
		"ccp_candidates": 2} {
		_, err := training.Preview(training.Patch{"data": "digits", "model": "own", name: value})
		require.ErrorContains(t, err, name+": model own has no "+name+"; only ccp")
	}
	c, err := training.Preview(training.Patch{"data": "digits", "model": "own, with a stem", "ccp_stem": 4})
	require.NoError(t, err)
	assert.Equal(t, 4, c.Stem)
	_, err = training.Preview(training.Patch{"data": "digits", "model": "own, with a stem", "ccp_blocks": "1"})
	require.ErrorContains(t, err, "ccp_blocks")
}

// A variable that no checkpoint would have is refused before anything is trained.
func TestOwnNetworkOutsideOfItsScope(t *testing.T) {
	for name, want := range map[string]string{"own, elsewhere": "model own, elsewhere: its variable /elsewhere/",
		"own, above": "/above/"} {
		_, err := training.Train(t.Context(), backendtest.Go(t),
			training.Patch{"data": "digits", "model": name, "epochs": 1},
			training.Options{Dir: filepath.Join(t.TempDir(), "run")})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "is outside of the scope that Build was given, /model, so that no checkpoint "+
			"would have it")
	}
}

func TestOwnNetworkErrors(t *testing.T) {
	assert.Panics(t, func() { models.Register("own", models.Network{}) })
	s := models.Spec{Options: models.DefaultOptions(), Model: "own",
		Info: signal.Info{Nodes: 64, Channels: 1, ClassNames: make([]string, 10)}}
	require.NoError(t, s.Check())
	s.Options.Stem = 4
	require.NoError(t, s.Check(), "a checkpoint of 0.1.0 may say so, without effect")
	s.Levels = []models.Level{{Clusters: 1, Filters: 1, Neighbours: 1}}
	messagetest.Option(t, s.Check(), "levels", nil, "model own … leave them out")
}
