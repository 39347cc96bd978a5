package ccp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// made is one level's part of some hierarchies, as SetFrozen takes it.
type made struct {
	nodes []int32
	ranks []float64
	size  int
}

// drawnLevel draws k neighbourhoods of `size` out of n nodes for each of some hierarchies.
func drawnLevel(random *rand.Rand, hierarchies, n, k, size int) (l made) {
	l.size = size
	for range hierarchies * k {
		for _, node := range random.Perm(n)[:size] {
			l.nodes, l.ranks = append(l.nodes, int32(node)), append(l.ranks, random.Float64())
		}
	}
	return l
}

// some are those of the hierarchies from first to last, of which there are k clusters each.
func (l made) some(k, first, last int) made {
	return made{l.nodes[first*k*l.size : last*k*l.size], l.ranks[first*k*l.size : last*k*l.size], l.size}
}

// frozenStore has the frozen levels given, of twoLevels.
func frozenStore(t *testing.T, first, second made) *model.Store {
	t.Helper()
	store := newStore(5)
	store.SetParam("/l2", 0.0)
	require.NoError(t, ccp.SetFrozen(store.Scope("/level_1"), first.nodes, first.ranks, first.size))
	require.NoError(t, ccp.SetFrozen(store.Scope("/level_2"), second.nodes, second.ranks, second.size))
	return store
}

// factors are those of the outputs of a hierarchy, `[4, 2, 7]`.
func factors(hierarchy int) *tensors.Tensor {
	flat := make([]float32, 4*2*7)
	for i := range flat {
		flat[i] = float32(math.Sin(float64(hierarchy*len(flat) + i)))
	}
	return tensors.FromFlatDataAndDimensions(flat, 4, 2, 7)
}

// setFrozen puts other hierarchies into a store.
func setFrozen(t *testing.T, store *model.Store, levels ...made) {
	t.Helper()
	for i, level := range levels {
		scope := store.Scope(fmt.Sprintf("/level_%d", i+1))
		require.NoError(t, ccp.SetFrozen(scope, level.nodes, level.ranks, level.size))
	}
}

// plus returns a + b; a may be nil, which is zero.
func plus(a, b []float64) []float64 {
	sum := slices.Clone(b)
	for i, v := range a {
		sum[i] += v
	}
	return sum
}

// All hierarchies at once give what each of them gives alone, one after the other, at every level, and one that is
// drawn gives what it gives alone; gradients of the weights, which they share, are the sum of theirs.
func TestFrozenHierarchies(t *testing.T) {
	const hierarchies = 3
	random := rand.New(rand.NewPCG(1, 2))
	levels := []made{drawnLevel(random, hierarchies, 16, 5, 4), drawnLevel(random, hierarchies, 5, 2, 3)}
	weights := []string{"/level_1/W", "/level_1/b", "/level_1/alpha", "/level_1/beta", "/level_2/W", "/level_2/b",
		"/level_2/alpha", "/level_2/beta"}
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		// network gives both levels' outputs, and the gradients of a sum of the last one's with a factor for each cluster
		// and filter.
		network := func(scope *model.Scope, a ccp.Affinity, factors *Node) []*Node {
			g := factors.Graph()
			x := randomSignal(g, dtypes.Float32, 4, 16, 3)
			first, coarse := ccp.New(scope.In("level_1"), x, a, 5, 6).Neighbours(4).Done()
			second, _ := ccp.New(scope.In("level_2"), first, coarse, 2, 7).Neighbours(3).Done()
			variables := make([]*Node, len(weights))
			for i, path := range weights {
				variables[i] = scope.Store().GetVariable(path).NodeValue(g)
			}
			return append([]*Node{first, second}, Gradient(ReduceAllSum(Mul(second, factors)), variables...)...)
		}
		call := func(exec *model.Exec, err error, inputs ...any) [][]float64 {
			require.NoError(t, err)
			out, err := exec.Call(inputs...)
			require.NoError(t, err)
			flat := make([][]float64, len(out))
			for i, o := range out {
				flat[i] = values(o)
			}
			return flat
		}
		both := frozenStore(t, levels[0], levels[1])
		allExec, err := model.NewExec(backend, both, func(scope *model.Scope, f []*Node) []*Node {
			return network(scope, ccp.Frozen(16), Concatenate(f, 1))
		})
		all := call(allExec, err, factors(0), factors(1), factors(2))
		drawn := frozenStore(t, levels[0], levels[1])
		drawnExec, drawnErr := model.NewExec(backend, drawn, func(scope *model.Scope, which, f *Node) []*Node {
			return network(scope, ccp.FrozenDraw(16, which), f)
		})
		single := frozenStore(t, levels[0].some(5, 0, 1), levels[1].some(2, 0, 1))
		aloneExec, aloneErr := model.NewExec(backend,
			single, func(scope *model.Scope, f *Node) []*Node { return network(scope, ccp.Frozen(16), f) })
		sums := make([][]float64, len(weights))
		for h := range hierarchies {
			setFrozen(t, single, levels[0].some(5, h, h+1), levels[1].some(2, h, h+1))
			alone := call(aloneExec, aloneErr, factors(h))
			for i, drawn := range call(drawnExec, drawnErr, int32(h), factors(h)) {
				assert.InDeltaSlice(t, alone[i], drawn, 1e-5, "hierarchy %d drawn, output %d", h, i)
			}
			for level, width := range []int{5 * 6, 2 * 7} {
				for sample := range 4 {
					at := (sample*hierarchies + h) * width
					assert.InDeltaSlice(t, alone[level][sample*width:(sample+1)*width], all[level][at:at+width], 1e-5,
						"hierarchy %d, level %d", h, level+1)
				}
			}
			for i := range sums {
				sums[i] = plus(sums[i], alone[2+i])
			}
		}
		for i, path := range weights {
			assert.InDeltaSlice(t, sums[i], all[2+i], 1e-4, path)
			assert.NotZero(t, sums[i][0], "%s has a gradient", path)
		}
	})
}

// Neighbourhoods that were not made for the layers are refused.
func TestFrozenHierarchiesThatDoNotFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	first, second := drawnLevel(random, 3, 16, 5, 4), drawnLevel(random, 3, 5, 2, 3)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		const has = "/level_1 … frozen hierarchy … "
		const needs = " … [5, 4]"
		for want, store := range map[string]*model.Store{
			has + "[14, 4]" + needs:               frozenStore(t, made{first.nodes[:56], first.ranks[:56], 4}, second),
			has + "[20, 3]" + needs:               frozenStore(t, made{first.nodes, first.ranks, 3}, second),
			"/level_2 … 2 frozen hierarchies … 3": frozenStore(t, first, second.some(2, 0, 2)),
			"/level_2 … 1 frozen hierarchies … 3": frozenStore(t, first, second.some(2, 0, 1)),
		} {
			_, err := model.CallOnce(backend, store, func(scope *model.Scope, g *Graph) *Node {
				return twoFrozen(scope, randomSignal(g, dtypes.Float32, 1, 16, 3))
			})
			messagetest.Names(t, err, want)
		}
	})
}

// Clusters 0 and 1 have two nodes of three slots, cluster 2 has three. Node 5 is a stranger wherever it is: its gate
// is 0 with zeros, and σ(β) with nodes.
func TestPadding(t *testing.T) {
	nodes, ranks := []int32{0, 1, 5, 2, 3, 5, 4, 3, 0}, []float64{0.9, 0.5, 0, 0.7, 0.2, 0, 0.8, 0.4, 0.1}
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		for _, padding := range []string{"zeros", "nodes"} {
			store := newStore(2)
			store.SetParam("/ccp_padding", padding)
			require.NoError(t, ccp.SetFrozen(store.Scope("/level_1"), nodes, ranks, 3))
			run := func(stranger float64) [][]float64 {
				out, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
					at := OneHot(Const(g, []int32{5}), 6, dtypes.Float32) // [1, 6]
					x := Add(randomSignal(g, dtypes.Float32, 2, 6, 2), MulScalar(Reshape(at, 1, 6, 1), stranger))
					pooled, _ := ccp.New(scope.In("level_1"), x, ccp.Frozen(6), 3, 4).Neighbours(3).Done()
					loss := ReduceAllSum(Square(pooled))
					return []*Node{pooled, Gradient(loss, x)[0]}
				})
				require.NoError(t, err)
				return [][]float64{values(out[0]), values(out[1])}
			}
			before, after := run(0), run(3)
			scope := store.Scope("/level_1")
			_, err := scope.CreateVariable("clusters", tensors.FromFlatDataAndDimensions([]int32{0, 0, 1, 1, 2, 2}, 6))
			require.NoError(t, err)
			level, err := ccp.ReadLevel(scope, 6, 3, 3)
			require.NoError(t, err)
			alpha := tensors.MustCopyFlatData[float32](store.GetVariable("/level_1/alpha").MustValue())[0]
			beta := tensors.MustCopyFlatData[float32](store.GetVariable("/level_1/beta").MustValue())[0]
			for i, rank := range ranks {
				want := 1 / (1 + math.Exp(-float64(alpha)*rank-float64(beta)))
				if rank == 0 && padding == "zeros" {
					want = 0
				}
				assert.InDelta(t, want, level.Gates[i/3][i%3], 1e-6, "%s: slot %d", padding, i)
			}
			for sample := range 2 {
				for channel := range 2 {
					gradient := math.Abs(before[1][(sample*6+5)*2+channel])
					assert.Equal(t, padding == "nodes", gradient > 1e-9, "%s: the stranger's gradient is %g", padding, gradient)
					assert.NotZero(t, before[1][(sample*6+3)*2+channel], "that of a node of two clusters")
				}
				own := before[0][sample*12+8 : sample*12+12]
				assert.Equal(t, own, after[0][sample*12+8:sample*12+12], "%s: cluster 2 has no strangers", padding)
			}
			if padding == "zeros" {
				assert.Equal(t, before[0], after[0])
			} else {
				assert.NotEqual(t, before[0], after[0])
			}
		}
	})
}

// What fills up a neighbourhood adds nothing to the gradients of the gate and of the filter: with zeros they are
// those of the same level whose stranger has no signal.
func TestPaddingHasNoGradient(t *testing.T) {
	nodes, ranks := []int32{0, 1, 5, 2, 3, 5, 4, 3, 5}, []float64{0.9, 0.5, 0, 0.7, 0.2, 0, 0.8, 0.4, 0}
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		run := func(padding string, stranger float32) [][]float64 {
			store := newStore(2)
			store.SetParam("/ccp_padding", padding)
			store.SetParam("/l2", 0.0)
			require.NoError(t, ccp.SetFrozen(store.Scope("/level_1"), nodes, ranks, 3))
			signal := make([]float32, 6*2)
			for i := range signal {
				signal[i] = float32(math.Sin(float64(i + 1)))
			}
			signal[10], signal[11] = stranger, -stranger
			out, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
				x := Const(g, tensors.FromFlatDataAndDimensions(signal, 1, 6, 2))
				pooled, _ := ccp.New(scope.In("level_1"), x, ccp.Frozen(6), 3, 4).Neighbours(3).Done()
				variable := func(name string) *Node { return store.GetVariable("/level_1/" + name).NodeValue(g) }
				return Gradient(ReduceAllSum(Square(pooled)), variable("W"), variable("alpha"), variable("beta"))
			})
			require.NoError(t, err)
			assert.True(t, shapes.Make(dtypes.Float32, 4, 3, 2).Equal(out[0].Shape()))
			return [][]float64{values(out[0]), values(out[1]), values(out[2])}
		}
		zeros, without := run("zeros", 2), run("nodes", 0)
		for i, name := range []string{"W", "alpha", "beta"} {
			assert.InDeltaSlice(t, without[i], zeros[i], 1e-5, name)
		}
		for filter := range 4 {
			assert.Equal(t, []float64{0, 0}, zeros[0][filter*6+4:filter*6+6], "the tap of the strangers' slot")
		}
	})
}
