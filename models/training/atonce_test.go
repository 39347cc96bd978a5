package training_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeLevels writes recordings of one sensor, of two classes that differ in their level. The seed decides the noise,
// and turned gives the classes each other's level.
func writeLevels(t *testing.T, seed uint64, turned int) string {
	t.Helper()
	const n, timepoints = 60, 12
	rng := rand.New(rand.NewPCG(seed, 5))
	series, labels := make([]float32, n*timepoints), make([]int64, n)
	for i := range series {
		labels[i/timepoints] = int64(i / timepoints % 2)
		series[i] = float32(rng.NormFloat64() + 2*float64((i/timepoints+turned)%2))
	}
	path := filepath.Join(t.TempDir(), "levels.npz")
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "labels", Array: &npz.Array{Shape: []int{n}, Data: labels}},
		{Name: "series", Array: &npz.Array{Shape: []int{n, 1, timepoints}, Data: series}}}))
	return path
}

// trained trains on a file, and loads the checkpoint and the data.
func trained(t *testing.T, asked training.Patch) (*models.Classifier, *datasets.Dataset) {
	t.Helper()
	backend, dir := backendtest.Go(t), filepath.Join(t.TempDir(), "run")
	_, err := training.Train(t.Context(), backend, asked, training.Options{Dir: dir})
	require.NoError(t, err)
	c, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	read, err := training.ReadConfig(dir)
	require.NoError(t, err)
	d, err := training.LoadFor(t.Context(), c.Metadata, read, datasets.Options{Graph: c.Graph})
	require.NoError(t, err)
	return c, d
}

// tasks are calls of all methods of a classifier that read or change its weights, by name.
func tasks(t *testing.T, c *models.Classifier, d *datasets.Dataset) map[string]func() error {
	folder, saved := t.TempDir(), 0
	sample := append([]float32{}, d.Input(d.Test[0], make([]float32, d.Nodes*d.Channels))...)
	return map[string]func() error{
		"Evaluate": func() error { _, err := training.Evaluate(c, d, d.Test, 64); return err },
		"Probabilities": func() error {
			return c.Probabilities(t.Context(), 1, 0, func(int) []float32 { return sample },
				func(int, []float64) error { return nil })
		},
		"Attribute": func() error {
			_, err := c.Attribute(t.Context(), [][]float32{sample}, models.AttributionOptions{Method: models.Occlusion})
			return err
		},
		"Input":         func() error { _, _, err := c.Input(); return err },
		"ClusterLevels": func() error { _, err := c.ClusterLevels(0); return err },
		"Health":        func() error { _, err := c.Health(0); return err },
		"Update":        func() error { return c.Update(c.Store()) },
		"Save":          func() error { saved++; return c.Save(filepath.Join(folder, fmt.Sprint(saved))) },
	}
}

// All methods may be called at once, which go test -race checks. After Close each returns ErrClosed.
func TestMethodsAtOnceAndAfterClose(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ring := training.Patch{"data": "digits", "model": "ccp", "levels": "4x4/9,1x4/4", "hidden": "none", "epochs": 1,
		"ccp_stem": 2}
	for name, asked := range map[string]training.Patch{"a network": ring,
		"transforms": {"data": writeLevels(t, 1, 0), "model": "transforms",
			"transforms": "values"}} {
		t.Run(name, func(t *testing.T) {
			c, d := trained(t, asked)
			var group sync.WaitGroup
			for name, task := range tasks(t, c, d) {
				group.Go(func() {
					for range 5 {
						if err := task(); err != nil {
							assert.ErrorIs(t, err, models.ErrNoNetwork, name)
						}
					}
				})
			}
			group.Wait()
			require.NoError(t, c.Close())
			for name, task := range tasks(t, c, d) {
				assert.NotPanics(t, func() { assert.ErrorIs(t, task(), models.ErrClosed, name) }, name)
			}
		})
	}
}

// The weights of another training do not come to the transforms and the temperature that a classifier has.
func TestUpdateByAnotherTraining(t *testing.T) {
	alone := func(seed uint64, turned int) training.Patch {
		return training.Patch{"data": writeLevels(t, seed, turned), "model": "transforms", "transforms": "values"}
	}
	network := training.Patch{"data": "digits", "model": "fc", "hidden": "none", "epochs": 1, "keep": "best"}
	other := training.Patch{"data": "digits", "model": "fc", "hidden": "none", "epochs": 1, "keep": "best", "seed": 7}
	for name, of := range map[string][2]training.Patch{"transforms": {alone(1, 0), alone(2, 1)},
		"a temperature": {network, other}} {
		t.Run(name, func(t *testing.T) {
			one, d := trained(t, of[0])
			two, _ := trained(t, of[1])
			before, err := training.Evaluate(one, d, d.Test, 64)
			require.NoError(t, err)
			require.ErrorContains(t, one.Update(two.Store()), "the store is of another training than the classifier")
			after, err := training.Evaluate(one, d, d.Test, 64)
			require.NoError(t, err)
			assert.Equal(t, before, after, "it stays as it was")

			anew, err := models.NewClassifier(backendtest.Go(t), one.Metadata, one.Graph)
			require.NoError(t, err)
			require.NoError(t, anew.Update(two.Store()))
			theirs, err := training.Evaluate(anew, d, d.Test, 64)
			require.NoError(t, err)
			assert.NotEqual(t, before.Loss, theirs.Loss)
			require.NoError(t, anew.Update(two.Store()), "the same again")
		})
	}
}
