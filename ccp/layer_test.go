package ccp_test

import (
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoLevels pools a 4x4 grid to 5 clusters, then to 2. x: [batch, 16, 3], result [batch, 2, 7].
func twoLevels(scope *model.Scope, x *Node) *Node {
	m, err := affinity.Grid(4, 4, 8)
	if err != nil {
		panic(err)
	}
	return twoLevelsOn(ccp.FromMatrix(scope.In("graph"), x.Graph(), m.Normalized(), x.DType()), scope, x)
}

// twoFrozen are twoLevels once their hierarchy is frozen.
func twoFrozen(scope *model.Scope, x *Node) *Node { return twoLevelsOn(ccp.Frozen(16), scope, x) }

func twoLevelsOn(a ccp.Affinity, scope *model.Scope, x *Node) *Node {
	x, a = ccp.New(scope.In("level_1"), x, a, 5, 6).Neighbours(4).Done()
	x, _ = ccp.New(scope.In("level_2"), x, a, 2, 7).Neighbours(3).Done()
	return x
}

func newStore(seed int64) *model.Store {
	store := model.NewStore()
	store.SetParam("/"+model.ParamInitialSeed, seed)
	return store
}

func randomSignal(g *Graph, dtype dtypes.DType, batch, nodes, channels int) *Node {
	x := ConvertDType(IotaFull(g, shapes.Make(dtypes.Int32, batch, nodes, channels)), dtype)
	return Sin(MulScalar(Square(x), 0.37))
}

func TestLayerShapesAndVariables(t *testing.T) {
	for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.Float64} {
		onBoth(t, func(t *testing.T, backend compute.Backend) {
			store := newStore(1)
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				return twoLevels(scope, randomSignal(g, dtype, 3, 16, 3))
			})
			require.NoError(t, err)
			assert.True(t, shapes.Make(dtype, 3, 2, 7).Equal(out.Shape()), out.Shape())
			for path, dims := range map[string][]int{
				"/level_1/U": {16, 5}, "/level_1/W": {6, 4, 3}, "/level_1/b": {6}, "/level_1/alpha": {1, 1},
				"/level_2/U": {5, 2}, "/level_2/W": {7, 3, 6}, "/level_2/beta": {1, 1}, "/level_2/batch_norm/scale": {7}} {
				v := store.GetVariable(path)
				require.NotNil(t, v, path)
				assert.True(t, v.Trainable, path)
				assert.Equal(t, shapes.Make(dtype, dims...), v.Shape(), path)
			}
		})
	}
}

// The objective of each level is subtracted from the training loss, once, whatever the batch.
func TestObjectiveInTheLoss(t *testing.T) {
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		{
			var sums []float64
			for _, batch := range []int{1, 5} {
				store := newStore(1)
				out, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
					store.SetTraining(g, true)
					twoLevels(scope, randomSignal(g, dtypes.Float64, batch, 16, 3))
					levels := ccp.Levels(store, g)
					require.Len(t, levels, 2)
					require.Equal(t, "/level_1", levels[0].Path)
					return []*Node{train.GetRegularizationLoss(g), Add(levels[0].Objective, levels[1].Objective)}
				})
				require.NoError(t, err)
				loss, objective := out[0].Value().(float64), out[1].Value().(float64)
				assert.InDelta(t, -objective, loss, 1e-12)
				sums = append(sums, objective)
			}
			assert.Equal(t, sums[0], sums[1], "C does not depend on the batch")
		}
	})
}

// A frozen hierarchy gives the outputs of the learned one, without U or affinity in the computation.
func TestFreeze(t *testing.T) {
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		store := newStore(3)
		run := func(network func(*model.Scope, *Node) *Node) []float64 {
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				return network(scope, randomSignal(g, dtypes.Float64, 4, 16, 3))
			})
			require.NoError(t, err)
			return tensors.MustCopyFlatData[float64](out)
		}
		learned := run(twoLevels)
		freezer, err := ccp.NewFreezer(backend, store, shapes.Make(dtypes.Float64, 1, 16, 3), twoLevels)
		require.NoError(t, err)
		before, err := freezer.Hierarchy(0)
		require.NoError(t, err)
		assert.Nil(t, store.GetVariable("/level_1/frozen_rank"), "computing C keeps nothing")
		frozen, err := freezer.Freeze()
		require.NoError(t, err)
		assert.Equal(t, before, frozen)
		require.Len(t, frozen.Objective, 2)
		require.Len(t, frozen.Coverage, 2)
		assert.Greater(t, frozen.Objective[0], 0.0)
		require.NoError(t, store.DeleteVariable("/level_1/U"))
		assert.InDeltaSlice(t, learned, run(twoFrozen), 1e-6)
		assert.Nil(t, store.GetVariable("/level_1/U"))
	})
}

func TestFreezeAgainFollowsU(t *testing.T) {
	backend := backendtest.Go(t)
	store := newStore(3)
	freezer, err := ccp.NewFreezer(backend, store, shapes.Make(dtypes.Float64, 1, 16, 3), twoLevels)
	require.NoError(t, err)
	before, err := freezer.Freeze()
	require.NoError(t, err)
	u := store.GetVariable("/level_1/U")
	values := tensors.MustCopyFlatData[float64](u.MustValue())
	for i := range values {
		values[i] *= 3
	}
	require.NoError(t, u.SetValue(tensors.FromFlatDataAndDimensions(values, 16, 5)))
	after, err := freezer.Freeze()
	require.NoError(t, err)
	assert.NotEqual(t, before.Objective, after.Objective)
}

func TestLayerOptions(t *testing.T) {
	build := func(params map[string]any, change func(l *ccp.Layer) *ccp.Layer) error {
		store := newStore(1)
		store.SetParams(params)
		_, err := model.CallOnce(backendtest.Go(t), store, func(scope *model.Scope, g *Graph) *Node {
			x, _ := change(ccp.New(scope.In("level_1"), randomSignal(g, dtypes.Float64, 2, 16, 3),
				ccp.Dense{A: Ones(g, shapes.Make(dtypes.Float64, 16, 16))}, 4, 5).Neighbours(6)).Done()
			return x
		})
		return err
	}
	same := func(l *ccp.Layer) *ccp.Layer { return l }
	for want, change := range map[string]func(l *ccp.Layer) *ccp.Layer{
		"L=17 … 16 nodes … lower L": func(l *ccp.Layer) *ccp.Layer {
			return l.Neighbours(17)
		},
		"ccp_dropout=2 … [0, 1)": func(l *ccp.Layer) *ccp.Layer { return l.Dropout(2) },
	} {
		messagetest.Names(t, build(nil, change), "/level_1 … "+want)
	}
	for want, params := range map[string]map[string]any{
		"/level_1 … ccp_padding=node … nodes, zeros":                 {ccp.ParamPadding: "node"},
		"/level_1 … candidates … directed … random … neighbourhoods": {ccp.ParamSlots: "directed"},
		"/level_1 … ccp_padding=ones … one of": {
			"/level_1/" + ccp.ParamPadding: "ones"},
		"/level_1 … ccp_membership_rate=0 … positive":                     {ccp.ParamMembershipRate: 0},
		"/level_1 … ccp_dropout=2 … [0, 1)":                               {ccp.ParamDropout: 2},
		"/level_1 … ccp_hierarchy=frozen … learned":                       {ccp.ParamHierarchy: "frozen"},
		"/ccp_dropuot … no such parameter … ccp_dropout? … ccp_hierarchy": {"ccp_dropuot": 0.1},
		"/level_7/ccp_order … no such parameter … ccp_dropout":            {"/level_7/ccp_order": "elu,bn"},
	} {
		messagetest.Names(t, build(params, same), want)
	}
	others := map[string]any{"ccp": 1, "/level_1/order": "elu,bn", "ccp_dropout": "0.5"}
	require.NoError(t, build(others, same), "those of others, and a text")
}

// U is rate·V with V the variable, so its spread at the start is the one asked for whatever the rate.
func TestMembershipRateKeepsTheSpread(t *testing.T) {
	backend := backendtest.Go(t)
	for _, rate := range []float64{1, 10} {
		store := newStore(1)
		store.SetParam("/"+ccp.ParamMembershipRate, rate)
		_, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
			x, _ := ccp.New(scope.In("level_1"), randomSignal(g, dtypes.Float64, 1, 16, 3),
				ccp.Dense{A: Ones(g, shapes.Make(dtypes.Float64, 16, 16))}, 64, 1).Neighbours(2).Done()
			return x
		})
		require.NoError(t, err)
		sum := 0.0
		for _, v := range tensors.MustCopyFlatData[float64](store.GetVariable("/level_1/U").MustValue()) {
			sum += rate * rate * v * v
		}
		assert.InDelta(t, 1, sum/1024, 0.2)
	}
}

// Two levels on a grid: the first takes the graph, the second what the first made of it.
func ExampleNew() {
	backend, err := compute.NewWithConfig("go")
	if err != nil {
		panic(err)
	}
	grid, err := affinity.Grid(8, 8, 8)
	if err != nil {
		panic(err)
	}
	out, err := model.CallOnce(backend, model.NewStore(), func(scope *model.Scope, g *Graph) *Node {
		x := Ones(g, shapes.Make(dtypes.Float32, 5, 64, 3)) // 5 signals, 64 nodes, 3 channels
		a := ccp.FromMatrix(scope.In("graph"), g, grid.Normalized(), dtypes.Float32)
		x, a = ccp.New(scope.In("level_1"), x, a, 16, 32).Neighbours(9).Done()
		x, _ = ccp.New(scope.In("level_2"), x, a, 4, 64).Neighbours(9).Done()
		return x
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Shape())
	// Output: (Float32)[5, 4, 64]
}

// The four losses of the paper's ablation: which of them reach the memberships.
func TestHierarchyModes(t *testing.T) {
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		for mode, want := range map[ccp.Plan]struct{ task, objective bool }{
			ccp.Learned: {true, true}, ccp.TaskOnly: {true, false}, ccp.ObjectiveOnly: {false, true},
		} {
			store := newStore(1)
			store.SetParam("/ccp_hierarchy", string(mode))
			out, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
				store.SetTraining(g, true)
				task := ReduceAllSum(Square(twoLevels(scope, randomSignal(g, dtypes.Float64, 3, 16, 3))))
				u := store.GetVariable("/level_1/U").NodeValue(g)
				total := task
				if extra := train.GetRegularizationLoss(g); extra != nil {
					total = Add(task, extra)
				}
				gradients := []*Node{Gradient(task, u)[0], Gradient(total, u)[0]}
				return []*Node{ReduceAllMax(Abs(gradients[0])), ReduceAllMax(Abs(Sub(gradients[1], gradients[0])))}
			})
			require.NoError(t, err)
			assert.Equal(t, want.task, out[0].Value().(float64) > 1e-9, "%s: the task's gradient", mode)
			assert.Equal(t, want.objective, out[1].Value().(float64) > 1e-9, "%s: the objective's gradient", mode)
		}
	})
}

// A frozen level needs its neighbourhoods.
func TestFrozenNeedsNeighbourhoods(t *testing.T) {
	store := newStore(1)
	_, err := model.CallOnce(backendtest.Go(t), store, func(scope *model.Scope, g *Graph) *Node {
		return twoFrozen(scope, randomSignal(g, dtypes.Float64, 1, 16, 3))
	})
	messagetest.Names(t, err, "/level_1 … frozen … kept frozen_neighbourhood")
}
