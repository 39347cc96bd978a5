package training_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The network is trained on a random graph too, says how long that takes, goes on where it was stopped, and changes
// nothing else.
func TestAblate(t *testing.T) {
	backend := backendtest.Go(t)
	d, err := datasets.Load(t.Context(), tones(t, 40), datasets.Options{})
	require.NoError(t, err)
	folder, notices := t.TempDir(), ""
	train := func(dir string, asked training.Patch, ablate, stop bool) (training.Result, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := false
		return training.Train(ctx, backend, asked,
			training.Options{Data: d, Dir: filepath.Join(folder, dir), Ablate: ablate, Observer: training.Observer{
				Notice: func(n training.Notice) { notices += n.String() + "\n" },
				Trial: func(done float64) {
					ended = ended || done == 1
					if ended && done == 0.5 && stop {
						cancel()
					}
				}}})
	}
	asked := training.Patch{"steps": 24, "transforms": "all", "levels": "30x8/4,1x16/4", "hidden": []int{16},
		"ccp_hierarchies": 2}
	_, err = training.Train(t.Context(), backend, training.Patch{"data": tones(t, 176)},
		training.Options{Dir: filepath.Join(folder, "easy"), Ablate: true,
			Observer: training.Observer{Notice: func(n training.Notice) { notices += n.String() + "\n" }}})
	require.NoError(t, err)
	assert.Contains(t, notices, "ablate: no network was tried on a held-out quarter, so that none was trained on a "+
		"random graph\n")
	for _, i := range d.Train[:10] {
		d.Labels[i] = 1 - d.Labels[i]
	}
	plain, err := train("plain", asked, false, false)
	require.NoError(t, err)
	require.Equal(t, "network", plain.Members[len(plain.Members)-1].Name)
	notices = ""
	_, err = train("ablated", asked, true, true)
	require.EqualError(t, err, "interrupted in the trial of the network: give the same command to go on")
	assert.Contains(t, notices, "for 18 of its 24 steps, and then again on a random graph\n")
	assert.Contains(t, notices, "the network is trained on a random one with as many edges; this takes about ")
	trials, err := filepath.Glob(filepath.Join(folder, "ablated", ".ccp-trial", "*"))
	require.NoError(t, err)
	assert.Len(t, trials, 2)
	ablated, err := train("ablated", asked, true, false)
	require.NoError(t, err)
	assert.NoDirExists(t, filepath.Join(folder, "ablated", ".ccp-trial"))
	random := ablated.Members[len(ablated.Members)-1]
	assert.Equal(t, []any{"network on a random graph", false, 0.}, []any{random.Name, random.Graph, random.Weight})
	assert.Positive(t, random.Loss)
	assert.Contains(t, notices, "on the held-out quarter (8 samples) the network on a random graph has ")
	assert.Equal(t, plain.Members, ablated.Members[:len(ablated.Members)-1])
	assert.Equal(t, []any{plain.Test, plain.Train, plain.PredictedBy},
		[]any{ablated.Test, ablated.Train, ablated.PredictedBy})

	for want, asked := range map[string]training.Patch{
		"ablate: model transforms has no network":                     {"model": "transforms"},
		"ablate: without transforms there is no trial of the network": {"transforms": "none"},
	} {
		_, err = train("refused", asked, true, false)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, training.ErrSettings)
	}
	_, err = training.DryRun(t.Context(), backend, training.Patch{"model": "transforms"},
		training.Options{Data: d, Ablate: true})
	require.ErrorContains(t, err, "ablate: model transforms has no network")
	d.Form.Sensors = d.Form.Sensors[:1]
	d.Arrange(d.Affinity)
	_, err = train("refused", asked, true, false)
	require.ErrorContains(t, err, "ablate: these data have no graph that another could replace")
}
