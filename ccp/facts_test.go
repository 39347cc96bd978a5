package ccp_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compute1 runs a graph function on a backend and returns its float64 outputs, flat.
func compute1(t *testing.T, backend compute.Backend, fn func(scope *model.Scope, g *Graph) []*Node) [][]float64 {
	t.Helper()
	out, err := model.CallOnceN(backend, model.NewStore(), fn)
	require.NoError(t, err)
	flat := make([][]float64, len(out))
	for i, o := range out {
		if o.DType() == dtypes.Int32 {
			for _, v := range tensors.MustCopyFlatData[int32](o) {
				flat[i] = append(flat[i], float64(v))
			}
			continue
		}
		flat[i] = values(o)
	}
	return flat
}

// hard gives memberships as logits so far apart that their softmax is one-hot.
func hard(g *Graph, cluster []int, k int) *Node {
	u := make([][]float64, len(cluster))
	for i, c := range cluster {
		u[i] = make([]float64, k)
		u[i][c] = 2000
	}
	return Const(g, u)
}

func onBoth(t *testing.T, fn func(t *testing.T, backend compute.Backend)) { backendtest.Run(t, fn) }

// The paper's ranking figure: with unit edges and hard memberships the rank of a member is twice its edges inside the
// cluster, of a non-member its edges into the cluster.
func TestRankOfHardMemberships(t *testing.T) {
	c := readReference(t)[1]
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		n, k := len(c.A), len(c.R)/3
		cluster := make([]int, n)
		for i := range cluster {
			for j := range k {
				if c.Levels[0].K[i][j] > 0.5 {
					cluster[i] = j
				}
			}
		}
		got := compute1(t, backend, func(_ *model.Scope, g *Graph) []*Node {
			level := ccp.Cluster(ccp.Dense{A: Const(g, c.A)}, ccp.Memberships(hard(g, cluster, k)), 5)
			return []*Node{level.Rank}
		})[0]
		assert.Equal(t, []float64{6, 4, 4, 2, 1, 8, 6, 6, 4, 4, 8, 6, 6, 4, 4}, got)
	})
}

// With hard memberships P[k,k] is twice the number of edges inside k, P[k,k'] the number between k and k'; whatever the
// memberships, the sum of P is that of A0.
func TestPooledAffinityCountsEdges(t *testing.T) {
	m, err := affinity.RandomConnected(30, 70, 5)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	cluster := make([]int, m.N())
	for i := range cluster {
		cluster[i] = rng.IntN(4)
	}
	want := make([]float64, 16)
	for _, e := range m.EdgeList() {
		want[4*cluster[e.I]+cluster[e.J]]++
		want[4*cluster[e.J]+cluster[e.I]]++
	}
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		got := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
			a := ccp.NewSparse(scope, g, m.AsNormalized(), dtypes.Float64)
			one := ccp.Memberships(hard(g, cluster, 4))
			soft := ccp.Memberships(MulScalar(hard(g, cluster, 4), 1e-3))
			p := ccp.Coarsen(a, soft, a.Times(soft))
			return []*Node{ccp.Coarsen(a, one, a.Times(one)), ReduceAllSum(p), p, TransposeAllDims(p, 1, 0)}
		})
		assert.Equal(t, want, got[0])
		assert.InDelta(t, 2*70.0, got[1][0], 1e-10)
		assert.InDeltaSlice(t, got[2], got[3], 1e-12)
	})
}

// A level with one cluster has M = 1, C = ½ exactly and gives no gradient to its U.
func TestOneCluster(t *testing.T) {
	m, err := affinity.Grid(3, 4, 8)
	require.NoError(t, err)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		got := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
			u := Const(g, [][]float64{{1}, {-2}, {3}, {0}, {5}, {6}, {-7}, {8}, {9}, {1}, {2}, {3}})
			level := ccp.Cluster(ccp.NewSparse(scope, g, m.AsNormalized(), dtypes.Float64), ccp.Memberships(u), 4)
			return []*Node{level.Objective, Gradient(Add(level.Objective, ReduceAllSum(level.Rank)), u)[0]}
		})
		assert.Equal(t, 0.5, got[0][0])
		assert.Equal(t, make([]float64, 12), got[1])
	})
}

// On the raw 32x32 grid perfect 2x2 blocks at every level give C = 50.8 + 15.9 + 4.5 + 1.3 + 0.5 = 73.0; random
// memberships about 2.5. The objective does not depend on whether the affinity is dense or sparse.
func TestObjectiveOfBlocks(t *testing.T) {
	m, err := affinity.Grid(32, 32, 8)
	require.NoError(t, err)
	require.Equal(t, 3906, m.Edges())
	sizes := []int{16, 8, 4, 2, 1} // clusters are size x size blocks
	objectives := func(backend compute.Backend, u func(g *Graph, level, side int) *Node) []float64 {
		out := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
			a := ccp.NewSparse(scope, g, m.AsNormalized(), dtypes.Float64)
			var cs []*Node
			for i, size := range sizes {
				level := ccp.Cluster(a, ccp.Memberships(u(g, i, size)), 4)
				cs, a = append(cs, level.Objective), level.Coarse
			}
			return cs
		})
		return slices.Concat(out...)
	}
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		blocks := objectives(backend, func(g *Graph, _, size int) *Node {
			side := 2 * size
			cluster := make([]int, side*side)
			for i := range cluster {
				cluster[i] = i/side/2*size + i%side/2
			}
			return hard(g, cluster, size*size)
		})
		assert.InDeltaSlice(t, []float64{50.8, 15.9, 4.5, 1.3, 0.5}, blocks, 0.06)
		rng := rand.New(rand.NewPCG(3, 4))
		random := objectives(backend, func(g *Graph, _, size int) *Node {
			u := make([][]float64, 4*size*size)
			for i := range u {
				u[i] = make([]float64, size*size)
				for j := range u[i] {
					u[i][j] = rng.NormFloat64()
				}
			}
			return Const(g, u)
		})
		sum := 0.0
		for _, c := range random {
			sum += c
		}
		assert.InDelta(t, 2.5, sum, 0.1)
	})
}

// With hard blocks and full gates on a grid the filter is a strided convolution, up to the order of the taps.
func TestFilterIsStridedConvolution(t *testing.T) {
	const side, filters, channels, batch = 6, 3, 2, 2
	m, err := affinity.Grid(side, side, 8)
	require.NoError(t, err)
	cluster := make([]int, side*side)
	for i := range cluster {
		cluster[i] = i/side/2*(side/2) + i%side/2
	}
	rng := rand.New(rand.NewPCG(7, 8))
	random := func(dims ...int) ([]float64, *tensors.Tensor) {
		size := 1
		for _, d := range dims {
			size *= d
		}
		flat := make([]float64, size)
		for i := range flat {
			flat[i] = rng.NormFloat64()
		}
		return flat, tensors.FromFlatDataAndDimensions(flat, dims...)
	}
	x, xt := random(batch, side*side, channels)
	w, wt := random(filters, 4, channels)
	b, bt := random(filters)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		got := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
			a := ccp.NewSparse(scope, g, m.AsNormalized(), dtypes.Float64)
			level := ccp.Cluster(a, ccp.Memberships(hard(g, cluster, 9)), 4)
			full := OnesLike(level.Rank)
			return []*Node{level.Neighbourhood,
				Add(ccp.Filter(ConstTensor(g, xt), level.Neighbourhood, full, ConstTensor(g, wt)),
					Reshape(ConstTensor(g, bt), 1, 1, filters))}
		})
		for k := range 9 {
			nodes := got[0][4*k : 4*k+4]
			sorted := slices.Sorted(slices.Values(nodes))
			corner := float64(k/3*2*side + k%3*2)
			block := []float64{corner, corner + 1, corner + side, corner + side + 1}
			assert.Equal(t, block, sorted, "cluster %d is its block", k)
			for s := range batch {
				for j := range filters {
					want := b[j]
					for l, node := range nodes {
						for i := range channels {
							want += w[(j*4+l)*channels+i] * x[(s*side*side+int(node))*channels+i]
						}
					}
					assert.InDelta(t, want, got[1][(s*9+k)*filters+j], 1e-12)
				}
			}
		}
	})
}

// Relabelling the nodes of graph, U and signal together changes no output.
func TestRelabelling(t *testing.T) {
	const n, k, channels = 24, 5, 3
	rng := rand.New(rand.NewPCG(11, 12))
	m, err := affinity.RandomConnected(n, 60, 3)
	require.NoError(t, err)
	u, x := make([][]float64, n), make([][]float64, n)
	for i := range n {
		u[i], x[i] = make([]float64, k), make([]float64, channels)
		for j := range k {
			u[i][j] = rng.NormFloat64()
		}
		for j := range channels {
			x[i][j] = rng.NormFloat64()
		}
	}
	w := make([][][]float64, 1)
	for range 4 {
		w[0] = append(w[0], []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()})
	}
	order := rng.Perm(n)
	permuted, err := m.Permuted(order)
	require.NoError(t, err)
	pick := func(rows [][]float64) (out [][]float64) {
		for _, i := range order {
			out = append(out, rows[i])
		}
		return out
	}
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		outputs := func(m *affinity.Matrix, u, x [][]float64) [][]float64 {
			return compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
				level := ccp.Cluster(ccp.NewSparse(scope, g, m.AsNormalized(), dtypes.Float64), ccp.Memberships(Const(g, u)), 4)
				gate := ccp.Gate(level.Rank, Const(g, 1.1), Const(g, -0.2))
				out := ccp.Filter(Const(g, [][][]float64{x}), level.Neighbourhood, gate, Const(g, w))
				return []*Node{level.Objective, level.Rank, level.Coarse.(ccp.Dense).A, out}
			})
		}
		want, got := outputs(m, u, x), outputs(permuted, pick(u), pick(x))
		for i := range want {
			assert.InDeltaSlice(t, want[i], got[i], 1e-12)
		}
	})
}

// Select agrees with a full stable sort, ties to the lower index, at all sizes from 1 to N, for few clusters, where
// all ranks are compared, and for many, where the largest are taken in turn.
func TestSelectAgreesWithSort(t *testing.T) {
	for _, n := range []int{1, 2, 17, 64, 333} {
		t.Run(strconv.Itoa(n), func(t *testing.T) { checkSelect(t, n, 6) })
	}
	t.Run("many clusters", func(t *testing.T) { checkSelect(t, 333, 300) })
}

func checkSelect(t *testing.T, n, k int) {
	rng := rand.New(rand.NewPCG(21, 22))
	rank := make([][]float64, n)
	for i := range rank {
		rank[i] = make([]float64, k)
		for j := range rank[i] {
			rank[i][j] = float64(rng.IntN(4)) // many ties
		}
	}
	rank[n/3][0], rank[n/2][0], rank[n-1][1] = math.Inf(1), math.Inf(1), math.Inf(-1)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		for _, size := range []int{1, min(4, n), min(16, n), n} {
			if size > 64 {
				continue
			}
			got := compute1(t, backend, func(_ *model.Scope, g *Graph) []*Node {
				return []*Node{ccp.Select(Const(g, rank), size)}
			})[0]
			for c := range k {
				nodes := make([]int, n)
				for i := range nodes {
					nodes[i] = i
				}
				slices.SortStableFunc(nodes, func(a, b int) int { return -compareFloat(rank[a][c], rank[b][c]) })
				for l := range size {
					require.Equal(t, float64(nodes[l]), got[c*size+l], "cluster %d, place %d of %d", c, l, size)
				}
			}
		}
	})
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Isolated nodes, all nodes isolated, and clusters nobody belongs to: no NaN in values or gradients.
func TestIsolatedNodesGiveNoNaN(t *testing.T) {
	for name, edges := range map[string][]affinity.Edge{
		"one": {{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}},
		"all": nil,
	} {
		t.Run(name, func(t *testing.T) {
			m, err := affinity.New(5, edges)
			require.NoError(t, err)
			onBoth(t, func(t *testing.T, backend compute.Backend) {
				got := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
					u := hard(g, []int{0, 0, 0, 1, 1}, 3)
					a := ccp.NewSparse(scope, g, m.Normalized(), dtypes.Float64)
					first := ccp.Cluster(a, ccp.Memberships(u), 5)
					second := ccp.Cluster(first.Coarse, ccp.Memberships(Const(g, [][]float64{{1, 2}, {3, 1}, {0, 0}})), 3)
					total := Add(Add(first.Objective, second.Objective), ReduceAllSum(second.Rank))
					return []*Node{total, first.Rank, second.Rank, second.Coarse.(ccp.Dense).A, Gradient(total, u)[0]}
				})
				for i, out := range got {
					for _, v := range out {
						require.False(t, math.IsNaN(v) || math.IsInf(v, 0), "output %d: %v", i, out)
					}
				}
			})
		})
	}
}

// A cluster whose memberships are almost at the end of float32 has finite gradients, and one beyond it counts as
// absent.
func TestVanishingCluster(t *testing.T) {
	m, err := affinity.Grid(4, 4, 8)
	require.NoError(t, err)
	for _, depth := range []float32{40, 60, 80, 100, 300} { // memberships of e^-depth
		onBoth(t, func(t *testing.T, backend compute.Backend) {
			got := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
				u := make([][]float32, 16)
				for i := range u {
					u[i] = []float32{float32(i%3) * 0.1, 0, -depth + float32(i%2)}
				}
				in := Const(g, u)
				first := ccp.Cluster(ccp.NewSparse(scope, g, m.Normalized(), dtypes.Float32), ccp.Memberships(in), 5)
				second := ccp.Cluster(first.Coarse, Const(g, [][]float32{{1, 2}, {3, 1}, {0, 0}}), 3)
				total := Add(Add(first.Objective, second.Objective), ReduceAllSum(second.Rank))
				return []*Node{first.Objective, second.Rank, Gradient(total, in)[0]}
			})
			for i, out := range got {
				for _, v := range out {
					require.False(t, math.IsNaN(v) || math.IsInf(v, 0), "depth %v, output %d: %v", depth, i, out)
				}
			}
		})
	}
}

// The product of a large level is put together from the blocks on and above its diagonal.
func TestLargePooledAffinity(t *testing.T) {
	const n, k = 24, 1024
	m, err := affinity.Grid(4, 6, 8)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(5, 6))
	u := make([][]float64, n)
	for i := range u {
		u[i] = make([]float64, k)
		for j := range u[i] {
			u[i][j] = 3 * rng.NormFloat64()
		}
	}
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		got := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
			in := Const(g, u)
			m1 := ccp.Memberships(in)
			a := ccp.NewSparse(scope, g, m.AsNormalized(), dtypes.Float64)
			links := a.Times(m1)
			p := ccp.Coarsen(a, m1, links)
			plain := Dot(TransposeAllDims(m1, 1, 0), links).Product()
			weight := Sin(IotaFull(g, p.Shape()))
			return []*Node{ReduceAllMax(Abs(Sub(p, plain))), Gradient(ReduceAllSum(Mul(p, weight)), in)[0],
				Gradient(ReduceAllSum(Mul(plain, weight)), in)[0]}
		})
		assert.Less(t, got[0][0], 1e-14)
		assert.InDeltaSlice(t, got[2], got[1], 1e-10)
	})
}

// A node with far more neighbours than a table's row holds: its row is cut and added up again.
func TestSparseProductOfHubs(t *testing.T) {
	const n = 100
	var edges []affinity.Edge
	for i := 1; i < n; i++ {
		edges = append(edges, affinity.Edge{I: 0, J: i, Weight: float64(i)})
		if i%3 == 0 {
			edges = append(edges, affinity.Edge{I: 1, J: i + 1, Weight: 1 / float64(i)})
		}
	}
	edges = append(edges, affinity.Edge{I: 5, J: 5, Weight: 7}) // a self-loop, which A0 has not
	m, err := affinity.New(n+3, edges)                          // and two isolated nodes
	require.NoError(t, err)
	onBoth(t, func(t *testing.T, backend compute.Backend) {
		got := compute1(t, backend, func(scope *model.Scope, g *Graph) []*Node {
			x := Sin(IotaFull(g, shapes.Make(dtypes.Float64, n+3, 3)))
			sparse := ccp.NewSparse(scope, g, m.AsNormalized(), dtypes.Float64)
			dense := ccp.Dense{A: Reshape(Const(g, m.Dense()), n+3, n+3)}
			weight := Cos(IotaFull(g, x.Shape()))
			gradient := func(a ccp.Affinity) *Node { return Gradient(ReduceAllSum(Mul(a.Times(x), weight)), x)[0] }
			return []*Node{sparse.Times(x), dense.Times(x), gradient(sparse), gradient(dense), sparse.Degrees(), dense.Degrees()}
		})
		for i := 0; i < len(got); i += 2 {
			assert.InDeltaSlice(t, got[i+1], got[i], 1e-10)
		}
	})
}
