package networks

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeBody writes 200 recordings of a body of 3 joints in 4 frames, whose class says in which frame its last joint is
// elsewhere, in noise.
func writeBody(t *testing.T) string {
	t.Helper()
	const samples, frames, joints = 200, 4, 3
	random := rand.New(rand.NewPCG(7, 0))
	var values []float32
	labels := make([]int64, samples)
	for i := range labels {
		labels[i] = int64(i % frames)
		for frame := range frames {
			for joint := range joints {
				place := [3]float64{0, float64(joint), 0}
				if joint == 2 && frame == i%frames {
					place = [3]float64{1.5, 0.5, -1}
				}
				for _, v := range place {
					values = append(values, float32(v+0.1*random.NormFloat64()))
				}
			}
		}
	}
	var edges []int64
	for node := range int64(frames * joints) {
		edges = append(edges, node, (node+1)%(frames*joints))
	}
	path := filepath.Join(t.TempDir(), "body.npz")
	require.NoError(t, npz.Write(path, []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{samples, frames * joints, 3}, Data: values}},
		{Name: "labels", Array: &npz.Array{Shape: []int{samples}, Data: labels}},
		{Name: "edges", Array: &npz.Array{Shape: []int{frames * joints, 2}, Data: edges}},
		{Name: "grid", Array: &npz.Array{Shape: []int{2}, Data: []int64{frames, joints}}},
		{Name: "parts", Array: &npz.Array{Shape: []int{joints}, Data: []int64{0, 1, 1}}},
		{Name: "bodies", Array: &npz.Array{Shape: []int{1}, Data: []int64{1}}}}))
	return path
}

// bodyConfig is a training of a network on such a file.
func bodyConfig(t *testing.T, name string) training.Patch {
	return training.Patch{"data": writeBody(t), "model": name, "epochs": 3, "batch": 16, "learning_rate": 0.01,
		"schedule": "cosine", "keep": "best"}
}

// trained is a run in a new directory, which is interrupted after so many steps, 0 for never, and goes on.
func trained(t *testing.T, backend compute.Backend, c training.Patch, stop int) (result training.Result, dir string) {
	t.Helper()
	dir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result, err := training.Train(ctx, backend, c,
		training.Options{Dir: dir, Observer: training.Observer{Step: func(training.Progress) {
			stop--
			if stop == 0 {
				cancel()
			}
		}}})
	if stop <= 0 && ctx.Err() != nil {
		require.ErrorIs(t, err, training.ErrInterrupted)
		result, err = training.Train(t.Context(), backend, c, training.Options{Dir: dir})
	}
	require.NoError(t, err)
	return result, dir
}

// snapshot is every variable of a run's newest snapshot of a kind, bit for bit.
func snapshot(t *testing.T, dir, kind string) map[string]string {
	t.Helper()
	store, state, values := model.NewStore(), any(nil), map[string]string{}
	_, _, err := checkpoint.Load(dir, kind, store, &state)
	require.NoError(t, err)
	for v := range store.IterVariables() {
		require.NoError(t, v.MustValue().ConstBytes(func(raw []byte) { values[v.Path()] = string(raw) }))
	}
	return values
}

// resume interrupts a training that was done in whole, and requires the same run.
func resume(t *testing.T, backend compute.Backend, c training.Patch, want training.Result, whole string, stop int) {
	t.Helper()
	got, dir := trained(t, backend, c, stop)
	for _, kind := range []string{checkpoint.Last, checkpoint.Best} {
		require.Equal(t, snapshot(t, whole, kind), snapshot(t, dir, kind), kind)
	}
	for _, r := range []*training.Result{&want, &got} {
		r.Seconds, r.PrepareSeconds, r.CompileSeconds, r.Checkpoint = 0, 0, 0, ""
	}
	require.Equal(t, want, got)
}

// Networks of bodies learn, those with several predictions and those with a computation before the training among them,
// and a run that was interrupted ends as one that was not.
func TestBodies(t *testing.T) {
	backend := backendtest.Go(t)
	for _, name := range []string{"lie-group", "hbrnn-l", "st-lstm", "stgc", "tgcnn", "c-cnn"} {
		t.Run(name, func(t *testing.T) {
			c := bodyConfig(t, name)
			if name == "st-lstm" || name == "stgc" || name == "tgcnn" {
				c["units"] = 8
			}
			if name == "st-lstm" { // its many predictions learn slowly
				c["epochs"], c["learning_rate"] = 12, 0.03
				c["readout_dropout"] = 0.1
			}
			result, whole := trained(t, backend, c, 0)
			assert.Greater(t, result.Test.Accuracy, 0.4, "chance is 0.25")
			if name == "lie-group" || name == "st-lstm" {
				resume(t, backend, c, result, whole, 5)
			}
		})
	}
}

// Graph-CNN knows nodes by their values and neighbours alone: enough for no more than a start here. Its snapshots
// classify again.
func TestGraphCNNTrains(t *testing.T) {
	backend, c := backendtest.Go(t), bodyConfig(t, "graph-cnn")
	c["levels"], c["hidden"], c["validation"] = "6x8/1,3x8/1", []int{8}, 0.2
	result, dir := trained(t, backend, c, 0)
	assert.Empty(t, result.Objective)
	assert.Less(t, result.Train.Loss, 2.0)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	config, err := training.ReadConfig(dir)
	require.NoError(t, err)
	d, err := training.LoadFor(t.Context(), classifier.Metadata, config, datasets.Options{})
	require.NoError(t, err)
	test, err := training.Evaluate(classifier, d, d.Test, 64)
	require.NoError(t, err)
	assert.Equal(t, result.Test, training.Score{Loss: test.Loss, Accuracy: test.Accuracy})
	resume(t, backend, c, result, dir, 11)
}

// Without bones, as in a random graph, nothing is begun.
func TestBodiesWithoutBones(t *testing.T) {
	for _, name := range []string{"lie-group", "st-lstm", "stgc", "tgcnn"} {
		c := bodyConfig(t, name)
		c["random_graph"], c["seed"] = true, 1
		dir := filepath.Join(t.TempDir(), "run")
		_, err := training.Train(t.Context(), backendtest.Go(t), c, training.Options{Dir: dir})
		messagetest.Names(t, err, name+" … needs … bones … graph")
		assert.NoDirExists(t, dir)
		_, err = training.DryRun(t.Context(), backendtest.Go(t), c, training.Options{})
		messagetest.Names(t, err, "bones")
	}
}

// What is not trained is not averaged: the classifier has the nominal curves that were computed.
func TestNominalCurvesStay(t *testing.T) {
	c := bodyConfig(t, "lie-group")
	c["average"] = 0.99
	_, dir := trained(t, backendtest.Go(t), c, 0)
	values := snapshot(t, dir, checkpoint.Last)
	assert.Contains(t, values, "/model/nominal")
	assert.Contains(t, values, variables.Average+"/model/classes/W")
	assert.NotContains(t, values, variables.Average+"/model/nominal")
}

// A computation before the training that is stopped says so.
func TestInterruptedBeforeTheTraining(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	_, err := training.Train(ctx, backendtest.Go(t), bodyConfig(t, "lie-group"), training.Options{Dir: t.TempDir(),
		Observer: training.Observer{Begin: func(training.Config, *datasets.Dataset, models.Spec, int, int) { stop() }}})
	require.ErrorIs(t, err, training.ErrInterrupted)
	messagetest.Names(t, err, "before the first step … same command")
}
