package checkpoint

import (
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

// GoMLX's own reader, which is that of its gomlx_checkpoints, finds all of a snapshot: variables, and parameters of
// each scope with their types.
func TestGoMLXReadsSnapshots(t *testing.T) {
	dir := t.TempDir()
	params := map[string]any{"/ccp_dropout": 0.5, "/ccp_order": "elu,bn", "/ccp_candidates": 4,
		"/model/level_2/ccp_normalize": true, "/seed": int64(7)}
	store := backendtest.Store(t, variables())
	store.SetParams(params)
	require.NoError(t, Save(dir, Last, 20, 1, store, state{}, nil))

	read := model.NewStore()
	_, err := checkpoint.Load(read).Dir(filepath.Join(dir, "last-00000020")).Immediate().Done()
	require.NoError(t, err)
	assert.Equal(t, variables(), valuesOf(read))
	got := map[string]any{}
	for path, value := range read.IterParams() {
		got[path] = value
	}
	assert.Equal(t, params, got)

	// A store that the snapshot is restored into keeps its own parameters.
	resumed := model.NewStore()
	resumed.SetParam("/ccp_dropout", 0.2)
	_, _, err = Load(dir, Last, resumed, new(state))
	require.NoError(t, err)
	assert.Equal(t, 0.2, model.GetParamOr(resumed.RootScope(), "ccp_dropout", 0.0))
	assert.Equal(t, "", model.GetParamOr(resumed.RootScope(), "ccp_order", ""))
}
