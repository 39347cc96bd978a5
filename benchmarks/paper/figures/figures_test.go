package figures

import (
	"bytes"
	"context"
	"encoding/csv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ringTable is the table of figures of two classes on a ring of 8 nodes, with tiny networks.
func ringTable(t *testing.T) study.Table {
	t.Helper()
	const samples, nodes = 40, 8
	features, labels := make([]float32, samples*nodes), make([]int64, samples)
	for i := range samples {
		labels[i] = int64(i % 2)
		for node := range nodes {
			features[i*nodes+node] = float32(math.Sin(float64(i*node))) + float32(labels[i]*int64(node/4))
		}
	}
	var edges []int64
	for node := range int64(nodes) {
		edges = append(edges, node, (node+1)%nodes)
	}
	path := filepath.Join(t.TempDir(), "ring.npz")
	require.NoError(t, npz.Write(path, []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{samples, nodes, 1}, Data: features}},
		{Name: "labels", Array: &npz.Array{Shape: []int{samples}, Data: labels}},
		{Name: "edges", Array: &npz.Array{Shape: []int{nodes, 2}, Data: edges}},
	}))
	table := study.Table{Name: "figures-ring"}
	for row, set := range map[string]training.Patch{TaskAndC: {"ccp_hierarchy": nil},
		TaskOnly: {"ccp_hierarchy": "task-only"}, OrderByRank: {}, RandomOrder: {"ccp_slots": "random"}} {
		maps.Copy(set, training.Patch{"data": path, "recipe": "paper", "epochs": 2, "levels": "4x4/3,1x4/2", "hidden": "none",
			"batch": 8})
		table.Rows = append(table.Rows, study.Row{Name: row, Asked: set})
	}
	slices.SortFunc(table.Rows, func(a, b study.Row) int { return -strings.Compare(a.Name, b.Name) }) // the losses first
	return table
}

// trainRows runs the table's runs.
func trainRows(t *testing.T, backend compute.Backend, folder string, table study.Table, seeds int) {
	t.Helper()
	err := study.Run(t.Context(), backend, study.Cells(folder, []study.Table{table}, seeds),
		study.Options{Begin: func(int, int, study.Cell) {},
			Failed: func(cell study.Cell, err error) { t.Errorf("%s: %v", cell.Row, err) }})
	require.NoError(t, err)
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return v
}

func TestDraw(t *testing.T) {
	backend, folder, table := backendtest.Go(t), t.TempDir(), ringTable(t)
	options := func(announced *int) datasets.Options {
		return datasets.Options{Progress: func(string, float64) { *announced++ }}
	}
	var announced int
	figures, err := Draw(t.Context(), backend, folder, table, 2, options(&announced))
	require.NoError(t, err)
	require.Len(t, figures, 4)
	for _, f := range figures {
		assert.Empty(t, f.Files)
		require.Len(t, f.Notes, 2, "of each row that it needs")
		assert.Contains(t, f.Notes[0], "no run of")
	}

	trainRows(t, backend, folder, table, 2)
	figures, err = Draw(t.Context(), backend, folder, table, 2, options(&announced))
	require.NoError(t, err)
	assert.Equal(t, 2*Side*Side, announced)
	for i, name := range []string{"figures-ring-fields", "figures-ring-landscape", "figures-ring-objective",
		"figures-ring-order"} {
		assert.Equal(t, name, figures[i].Name)
		assert.Empty(t, figures[i].Notes)
		require.Len(t, figures[i].Files, 3)
		for _, file := range figures[i].Files {
			assert.FileExists(t, file)
		}
	}
	dirs := map[string][]string{}
	for _, row := range table.Rows {
		dirs[row.Name] = row.Dirs(folder, 2)
	}
	fieldsHold(t, dirs, readCSV(t, figures[0].Files[2]))
	landscapesHold(t, backend, dirs, readCSV(t, figures[1].Files[2]))
	coursesHold(t, dirs, readCSV(t, figures[2].Files[2]), readCSV(t, figures[3].Files[2]))

	// Landscapes are kept with their runs, and the pictures come out the same.
	before, err := os.ReadFile(figures[1].Files[0])
	require.NoError(t, err)
	announced = 0
	figures, err = Draw(t.Context(), backend, folder, table, 2, options(&announced))
	require.NoError(t, err)
	assert.Zero(t, announced)
	after, err := os.ReadFile(figures[1].Files[0])
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after))

	// Files of others stay.
	require.NoError(t, os.WriteFile(figures[3].Files[2], []byte("mine\n"), 0o600))
	_, err = Draw(t.Context(), backend, folder, table, 2, options(&announced))
	messagetest.Names(t, err, figures[3].Files[0]+" … no figure … move")
	for _, path := range figures[3].Files {
		require.NoError(t, os.Remove(path))
	}

	// Without recorded hierarchies there are no fields.
	require.NoError(t, os.RemoveAll(filepath.Join(dirs[TaskOnly][0], "hierarchy")))
	figures, err = Draw(t.Context(), backend, folder, table, 2, options(&announced))
	require.NoError(t, err)
	require.Len(t, figures[0].Notes, 1)
	messagetest.Names(t, figures[0].Notes[0], "no recorded hierarchies")
	assert.Empty(t, figures[0].Files)
}

// fieldsHold compares with the hierarchies recorded.
func fieldsHold(t *testing.T, dirs map[string][]string, rows [][]string) {
	t.Helper()
	assert.Equal(t, []string{"loss", "stage", "level", "node", "cluster"}, rows[0])
	recorded, err := training.ReadHierarchies(dirs[TaskAndC][0])
	require.NoError(t, err)
	require.NotEmpty(t, recorded)
	first := recorded[0]
	require.Len(t, rows, 1+2*2*2*8, "losses, stages, levels, nodes")
	for node := range 8 {
		k := first.Clusters[0][node]
		assert.Equal(t, []string{TaskAndC, "epoch 1", "1", strconv.Itoa(node), strconv.Itoa(int(k))}, rows[1+node])
		assert.Equal(t, strconv.Itoa(int(first.Clusters[1][k])), rows[1+8+node][4])
	}
}

// landscapesHold looks at the middle: there the objective is that of the trained network.
func landscapesHold(t *testing.T, backend compute.Backend, dirs map[string][]string, rows [][]string) {
	t.Helper()
	assert.Equal(t, []string{"loss", "a", "b", "cross_entropy", "c", "minimised"}, rows[0])
	require.Len(t, rows, 1+2*Side*Side)
	for i, loss := range losses {
		middle := rows[1+i*Side*Side+Side*Side/2]
		assert.Equal(t, []string{loss, "0.0", "0.0"}, middle[:3])
		metadata, graph, err := models.ReadMetadata(dirs[loss][0])
		require.NoError(t, err)
		store, state := model.NewStore(), any(nil)
		_, _, err = checkpoint.Load(dirs[loss][0], checkpoint.Last, store, &state)
		require.NoError(t, err)
		c, err := models.NewClassifier(backend, metadata, graph)
		require.NoError(t, err)
		require.NoError(t, c.Update(store))
		health, err := c.Health(0)
		require.NoError(t, err)
		assert.InDelta(t, health[0].Objective+health[1].Objective, float(t, middle[4]), 1e-5)
		require.NoError(t, c.Close())
		minimised := float(t, middle[3])
		if loss == TaskAndC {
			minimised -= float(t, middle[4])
		}
		assert.InDelta(t, minimised, float(t, middle[5]), 1e-5)
		assert.Equal(t, []string{loss, "-0.9", "-1.0"}, rows[2+i*Side*Side][:3])
	}
}

func coursesHold(t *testing.T, dirs map[string][]string, objective, order [][]string) {
	t.Helper()
	assert.Equal(t, []string{"loss", "level", "epoch", "seeds", "mean", "deviation"}, objective[0])
	require.Len(t, objective, 1+2*3*2, "losses, levels and their sum, epochs")
	a, err := training.ReadHistory(dirs[TaskAndC][0])
	require.NoError(t, err)
	b, err := training.ReadHistory(dirs[TaskAndC][1])
	require.NoError(t, err)
	assert.Equal(t, []string{TaskAndC, "1", "2", "2"}, objective[2][:4])
	assert.InDelta(t, (a[1].Objective[0]+b[1].Objective[0])/2, float(t, objective[2][4]), 1e-5)
	assert.InDelta(t, math.Abs(a[1].Objective[0]-b[1].Objective[0])/math.Sqrt2, float(t, objective[2][5]), 1e-5)
	assert.Equal(t, "sum", objective[5][1])
	assert.InDelta(t, (a[0].Objective[0]+b[0].Objective[0])/2+0.5, float(t, objective[5][4]), 1e-5)

	assert.Equal(t, []string{"order", "epoch", "seeds", "mean", "deviation"}, order[0])
	require.Len(t, order, 1+2*2)
	a, err = training.ReadHistory(dirs[RandomOrder][0])
	require.NoError(t, err)
	b, err = training.ReadHistory(dirs[RandomOrder][1])
	require.NoError(t, err)
	assert.Equal(t, RandomOrder, order[4][0])
	assert.InDelta(t, 50*(a[1].Validation.Accuracy+b[1].Validation.Accuracy), float(t, order[4][3]), 1e-4)
}

// Where only some figures have their runs, these are drawn; what is broken is named.
func TestDrawSome(t *testing.T) {
	backend, folder, table := backendtest.Go(t), t.TempDir(), ringTable(t)
	some := table
	some.Rows = table.Rows[2:]
	trainRows(t, backend, folder, some, 1)
	o := datasets.Options{Progress: func(string, float64) {}}
	figures, err := Draw(t.Context(), backend, folder, table, 1, o)
	require.NoError(t, err)
	assert.Empty(t, figures[0].Files)
	assert.Len(t, figures[3].Files, 3)

	dir := table.Rows[2].Dirs(folder, 1)[0]
	snapshots, err := filepath.Glob(filepath.Join(dir, "last-*", "state.json"))
	require.NoError(t, err)
	for _, state := range snapshots {
		require.NoError(t, os.Rename(state, state+".away"))
	}
	_, err = Draw(t.Context(), backend, folder, table, 1, o)
	assert.ErrorContains(t, err, filepath.Join(dir, "last-"))
	for _, state := range snapshots {
		require.NoError(t, os.Rename(state+".away", state))
	}

	trainRows(t, backend, folder, table, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Draw(ctx, backend, folder, table, 1, o)
	require.ErrorIs(t, err, context.Canceled)
	assert.NoFileExists(t, filepath.Join(table.Rows[0].Dirs(folder, 1)[0], landscapeFile))
}

func TestCourse(t *testing.T) {
	epoch := func(accuracy float64) training.Epoch {
		return training.Epoch{Validation: &training.Score{Accuracy: accuracy}}
	}
	accuracy := func(e training.Epoch) float64 { return e.Validation.Accuracy }
	c, table := course([][]training.Epoch{{epoch(1), epoch(4)}, {epoch(3)}}, accuracy)
	assert.Equal(t, []float64{1, 2}, c.X)
	assert.Equal(t, []float64{2, 4}, c.Y)
	assert.InDeltaSlice(t, []float64{math.Sqrt2, 0}, c.Spread, 1e-12)
	assert.Equal(t, [][]any{{1, 2, 2.0, math.Sqrt2}, {2, 1, 4.0, 0.0}}, table)
	c, _ = course([][]training.Epoch{{epoch(1)}}, accuracy)
	assert.Nil(t, c.Spread, "one seed has no spread")
	c, table = course(nil, accuracy)
	assert.Empty(t, c.X)
	assert.Empty(t, table)
}

func TestWithoutDropout(t *testing.T) {
	before := models.DefaultOptions()
	before.Dropout, before.MembershipRate, before.Own = 0.1, 100, models.Patch{"own_dropout": 0.3}
	for _, options := range []models.Options{before, models.DefaultOptions()} {
		after := withoutDropout(models.Spec{Options: options}).Options
		assert.Equal(t, []float64{0, 0, 0}, []float64{after.Dropout, after.ReadoutDropout, after.InputDropout})
		assert.Equal(t, options.MembershipRate, after.MembershipRate)
		assert.Empty(t, after.Own)
	}
	assert.Equal(t, 0.3, before.Own["own_dropout"], "the original stays")
}

// Weights are the averages where there are some.
func TestWeightsOf(t *testing.T) {
	store := model.NewStore()
	for path, value := range map[string]any{
		"/model/level_1/U": [][]float32{{1, 2}, {3, 4}, {5, 6}}, "/model/level_1/W": [][][]float32{{{1}, {2}}},
		"/model/level_1/b": []float32{1},
		"/model/classes/W": [][]float32{{1, 2}, {3, 4}}, variables.Average + "/model/classes/W": [][]float32{{5, 6}, {7, 8}},
		"/model/level_1/alpha": [][]float32{{1}}, "/AdamOptimizer/W": [][]float32{{1}},
	} {
		_, err := store.CreateVariable(path, tensors.MustFromAnyValue(value))
		require.NoError(t, err)
	}
	weights, err := weightsOf(store)
	require.NoError(t, err)
	assert.Equal(t, []Weight{
		{Path: "/model/classes/W", Values: []float32{5, 6, 7, 8}, Filters: 2, Run: 1},
		{Path: "/model/level_1/U", Values: []float32{1, 2, 3, 4, 5, 6}, Filters: 3, Run: 2},
		{Path: "/model/level_1/W", Values: []float32{1, 2}, Filters: 1, Run: 2},
	}, weights)
	assert.Equal(t, [][]float32{{5, 6}, {7, 8}}, store.GetVariable("/model/classes/W").MustValue().Value())
}

// No sample, no loss.
func TestSamplesOfNone(t *testing.T) {
	_, _, err := samples(&datasets.Dataset{Name: "empty"})
	messagetest.Names(t, err, "empty … no training samples")
}
