package training

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeBody writes recordings of a body of 3 joints in 4 frames, whose class says in which frame its last joint is
// elsewhere, in noise.
func writeBody(t *testing.T, samples int) string {
	t.Helper()
	d, err := datasets.Load(t.Context(), writeRing(t, samples), datasets.Options{})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(7, 0))
	values := make([]float32, 0, samples*ringNodes*3)
	for _, label := range d.Labels {
		for frame := range 4 {
			for joint := range 3 {
				place := [3]float64{0, float64(joint), 0}
				if joint == 2 && frame == int(label) {
					place = [3]float64{1.5, 0.5, -1}
				}
				for _, v := range place {
					values = append(values, float32(v+0.1*random.NormFloat64()))
				}
			}
		}
	}
	d.Signals = &datasets.Floats{Size: ringNodes * 3, Values: values}
	d.Grid, d.Parts, d.Bodies = []int{4, 3}, [][]int{{0}, {1, 2}}, 1
	path := filepath.Join(t.TempDir(), "body.npz")
	require.NoError(t, d.Export(path))
	return path
}

// bodyConfig is a training of a model of bodies on such a file.
func bodyConfig(t *testing.T, name string) Patch {
	c := Patch{"data": writeBody(t, 200), "model": name}
	c["epochs"], c["batch"], c["learning_rate"], c["schedule"], c["keep"] = 3, 16, 0.01, "cosine", "best"
	return c
}

// Networks of bodies learn, those with several predictions and those with a computation before the training among them, and
// a run that was interrupted ends as one that was not.
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
			whole := t.TempDir()
			result := trainIn(t, backend, c, whole)
			assert.Greater(t, result.Test.Accuracy, 0.4, "chance is 0.25")
			if name == "lie-group" || name == "st-lstm" {
				resume(t, backend, c, whole, []int{5})
			}
		})
	}
}

// Without bones, as in a random graph, nothing is begun.
func TestBodiesWithoutBones(t *testing.T) {
	for _, name := range []string{"lie-group", "st-lstm", "stgc", "tgcnn"} {
		c := bodyConfig(t, name)
		c["random_graph"], c["seed"] = true, 1
		dir := filepath.Join(t.TempDir(), "run")
		_, err := Train(t.Context(), backendtest.Go(t), c, Options{Dir: dir})
		require.ErrorContains(t, err, "model "+name+" needs the bones of a skeleton; the graph has ")
		assert.NoDirExists(t, dir)
		_, err = DryRun(t.Context(), backendtest.Go(t), c, Options{})
		require.ErrorContains(t, err, "needs the bones of a skeleton")
	}
}

// What is not trained is not averaged: the classifier has the nominal curves that were computed.
func TestNominalCurvesStay(t *testing.T) {
	c := bodyConfig(t, "lie-group")
	c["average"] = 0.99
	dir := t.TempDir()
	trainIn(t, backendtest.Go(t), c, dir)
	variables, _ := snapshotOf(t, dir, checkpoint.Last)
	assert.Contains(t, variables, "/model/nominal")
	assert.Contains(t, variables, "/average/model/classes/W")
	assert.NotContains(t, variables, "/average/model/nominal")
}

// A computation before the training that is stopped says so.
func TestInterruptedBeforeTheTraining(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	_, err := Train(ctx, backendtest.Go(t), bodyConfig(t, "lie-group"), Options{Dir: t.TempDir(), Observer: Observer{Begin: func(Config, *datasets.Dataset, models.Spec, int, int) { stop() }}})
	require.ErrorIs(t, err, ErrInterrupted)
	assert.ErrorContains(t, err, "before the first step: give the same command to start again")
}

// Each prediction has a loss of its own. All predictions of a sample share its label.
func TestLossOfEachPrediction(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		z := [][][]float64{{{1, 2}, {0, 3}, {-1, 0.5}}, {{0.3, -2}, {4, 1}, {2, 2}}}
		labels, want := []int32{1, 0}, 0.0
		for i := range z {
			for _, z := range z[i] {
				want += (math.Log(math.Exp(z[0])+math.Exp(z[1])) - z[labels[i]]) / 6
			}
		}
		out, err := CallOnce(backend, func(z, labels *Node) *Node {
			return ReduceAllMean(ofEachPrediction(smoothedCrossEntropy(0))([]*Node{Reshape(labels, 2, 1)}, []*Node{z}))
		}, z, labels)
		require.NoError(t, err)
		assert.InDelta(t, want, out.Value().(float64), 1e-12)
	})
}
