package checkpoint

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ui/plot"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// GoMLX's own reader, which is that of its gomlx_checkpoints, finds all of a snapshot: variables, parameters of each
// scope with their types, and the points of the curves.
func TestGoMLXReadsSnapshots(t *testing.T) {
	dir := t.TempDir()
	params := map[string]any{"/ccp_dropout": 0.5, "/ccp_order": "elu,bn", "/ccp_candidates": 4, "/model/level_2/ccp_normalize": true, "/seed": int64(7)}
	store := newStore(t, variables())
	store.SetParams(params)
	points := []Point{
		{MetricName: "Train: loss", Short: "T/loss", MetricType: "loss", Step: 10, Value: 0.25},
		{MetricName: "Train: loss", Short: "T/loss", MetricType: "loss", Step: 20, Value: math.NaN()},
		{MetricName: "accuracy on validation", Short: "acc(val)", MetricType: "accuracy", Step: 20, Value: 0.75},
	}
	require.NoError(t, Save(dir, Last, 20, 1, store, state{}, nil, points...))

	snapshot := filepath.Join(dir, "last-00000020")
	read := model.NewStore()
	_, err := checkpoint.Load(read).Dir(snapshot).Immediate().Done()
	require.NoError(t, err)
	assert.Equal(t, variables(), valuesOf(read))
	got := map[string]any{}
	for path, value := range read.IterParams() {
		got[path] = value
	}
	assert.Equal(t, params, got)
	curve, err := plot.LoadPointsFromCheckpoint(snapshot)
	require.NoError(t, err)
	assert.Equal(t, []plot.Point{plot.Point(points[0]), plot.Point(points[2])}, curve, "JSON has no NaN")

	// A store that the snapshot is restored into keeps its own parameters.
	resumed := model.NewStore()
	resumed.SetParam("/ccp_dropout", 0.2)
	_, _, err = Load(dir, Last, resumed, new(state))
	require.NoError(t, err)
	assert.Equal(t, 0.2, model.GetParamOr(resumed.RootScope(), "ccp_dropout", 0.0))
	assert.Equal(t, "", model.GetParamOr(resumed.RootScope(), "ccp_order", ""))
}

// Without points there is an empty file, for the tool fails where there is none.
func TestNoPoints(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, Best, 3, 1)
	curve, err := plot.LoadPointsFromCheckpoint(filepath.Join(dir, "best-00000003"))
	require.NoError(t, err)
	assert.Empty(t, curve)
}
