package training

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHierarchiesOfEveryEpoch(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	dir := filepath.Join(t.TempDir(), "run [1]")
	result := trainIn(t, backend, c, dir)
	epochs, err := ReadHierarchies(dir)
	require.NoError(t, err)
	require.Len(t, epochs, ringEpochs)
	for i, h := range epochs {
		assert.Equal(t, i+1, h.Epoch)
		require.Len(t, h.Clusters, 2)
		assert.Len(t, h.Clusters[0], ringNodes)
		assert.Equal(t, []int32{0, 0, 0, 0}, h.Clusters[1], "the second level has one cluster")
	}

	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	levels, err := classifier.ClusterLevels(0)
	require.NoError(t, err)
	health, err := classifier.Health(0)
	require.NoError(t, err)
	best := epochs[result.BestEpoch-1]
	assert.Equal(t, levels[0].Memberships.Hard(), best.Clusters[0])
	for i := range health {
		assert.InDelta(t, health[i].Objective, best.Health[i].Objective, 0.05,
			"that of the epoch's last step, before it")
		health[i].Objective = best.Health[i].Objective
	}
	assert.Equal(t, health, best.Health)
}

func TestHierarchiesThatStay(t *testing.T) {
	backend := backendtest.Go(t)
	for model, kept := range map[string]int{"ccp": 1, "softmax": 0} {
		c := ringConfig(writeRing(t, 200))
		c["model"], c["epochs"] = model, 2
		if model == "ccp" {
			c["ccp_hierarchy"] = ccp.Prepared
		} else {
			delete(c, "levels")
			delete(c, "hidden")
			delete(c, "readout_dropout")
		}
		dir := t.TempDir()
		trainIn(t, backend, c, dir)
		epochs, err := ReadHierarchies(dir)
		require.NoError(t, err)
		assert.Len(t, epochs, kept, model)
	}
}

// The nodes of a ring cannot use more clusters than there are nodes.
func TestACollapseIsNoticed(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["levels"] = "40x6/4,1x8/3"
	c["ccp_membership_rate"] = 1e-9
	notices := trainUntil(t, backend, c, t.TempDir(), 3*ringSteps+1)
	collapsed := regexp.MustCompile(`^warning: level 1: ` +
		`collapsed: nodes use (10|11|12|[6-9]) of its 40 clusters only; use ccp_hierarchy=prepared, ` +
		`raise ccp_membership_rate, or train longer$`)
	count := 0
	for _, line := range notices {
		if collapsed.MatchString(line) {
			count++
		}
	}
	assert.Equal(t, 1, count, "said once: %q", notices)
}

func TestHierarchiesOfAnotherRunAreForgotten(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	dir := t.TempDir()
	trainUntil(t, backend, c, dir, ringSteps+1)
	stale := filepath.Join(dir, hierarchyFolder, "0007.json")
	require.NoError(t, os.WriteFile(stale, []byte(`{"epoch":7}`), 0o644))
	trainUntil(t, backend, c, dir, 1)
	assert.NoFileExists(t, stale)
	epochs, err := ReadHierarchies(dir)
	require.NoError(t, err)
	assert.Len(t, epochs, 1)

	require.NoError(t, os.WriteFile(stale, []byte(`{"epoch":`), 0o644))
	_, err = ReadHierarchies(dir)
	assert.ErrorContains(t, err, stale)
}

func TestReadHistory(t *testing.T) {
	dir := t.TempDir()
	history, err := ReadHistory(dir)
	require.NoError(t, err)
	assert.Empty(t, history, "before the first epoch")

	written := []Epoch{
		{Epoch: 1, Train: Score{Loss: 2, Accuracy: 0.25}, Validation: &Score{Loss: 1.5, Accuracy: 0.5},
			Objective: []float64{3, 0.5}, Seconds: 4,
			InputWait: 0.125, Best: true},
		{Epoch: 2, Train: Score{Loss: 1, Accuracy: 0.5}, Objective: []float64{3.5, 0.5}, Seconds: 4},
	}
	for step := range 2 {
		require.NoError(t, checkpoint.Save(dir, checkpoint.Last, step, 2, model.NewStore(),
			trainState{History: written[:step+1]}, nil))
		history, err = ReadHistory(dir)
		require.NoError(t, err)
		assert.Equal(t, written[:step+1], history)
	}
	last := filepath.Join(dir, "last-00000001", "state.json")
	require.NoError(t, os.WriteFile(last, []byte("{"), 0o600))
	history, err = ReadHistory(dir)
	require.NoError(t, err)
	assert.Equal(t, written[:1], history, "of the snapshot before the damaged one")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "last-00000000")))
	_, err = ReadHistory(dir)
	assert.ErrorContains(t, err, filepath.Dir(last)+" is damaged")

	path := filepath.Join(dir, historyFile)
	require.NoError(t, writeHistory(path, written))
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(raw), "\n2,1,0.5,NaN,NaN,4,0,3.5,0.5\n", "there was no validation")
}
