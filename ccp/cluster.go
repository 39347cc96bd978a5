package ccp

import (
	"github.com/clusterpool/ccp/internal/ops"
	. "github.com/gomlx/gomlx/core/graph"
)

// Level holds what clustering one level gives, before any signal: it is the same for the whole batch.
type Level struct {
	Neighbourhood *Node                   // int32 [K, L]: each cluster's nodes, most central first
	Rank          *Node                   // [K, L]: their ranks, differentiable
	Objective     *Node                   // scalar C; nil where the hierarchy is frozen
	Coarse        Affinity                // the next level's, normalised
	Path          string                  // of the scope that it was built in, as Levels gives it
	Blocks        int                     // residual ones after it
	nodes         int                     // N
	built         NodeId                  // of what the level gives: later levels have greater ones
	rankOf        func(nodes *Node) *Node // of nodes in their clusters, int32 `[K, L]`, same shape out
}

// Cluster computes the cluster step of a level (Algorithm 1 of the paper, without its filter): pooled affinity,
// objective, ranks and neighbourhoods of `size` nodes. The memberships m are `[N, K]`.
func Cluster(a Affinity, m *Node, size int) Level {
	level, rank := cluster(a, m)
	return level.at(selectNodes(rank, size))
}

// cluster is Cluster without the choice of neighbourhoods, for layers that held theirs before the training (directed
// and random slots). It also returns the ranks of all nodes, `[N, K]`, by which Cluster chooses.
func cluster(a Affinity, m *Node) (level Level, rank *Node) {
	links := a.Times(m) // how strongly each node is tied to the members of each cluster
	pooled := a.pool(m, links)
	rank = centrality(m, links)
	return Level{
		Objective: objective(cohesion(pooled), volume(a.Degrees(), m)),
		Coarse:    dense{normalize(pooled)},
		rankOf:    func(nodes *Node) *Node { return at(rank, nodes) },
	}, rank
}

// at gives the level these neighbourhoods, int32 `[K, L]`.
func (level Level) at(nodes *Node) Level {
	level.Neighbourhood, level.Rank = nodes, level.rankOf(nodes)
	return level
}

// gram computes mᵀ·links, which is symmetric. For a large result it computes only the blocks on and above the
// diagonal, 10 of 16. It transposes m first because XLA's CPU products are slower along the first axis.
func gram(m, links *Node) *Node {
	const blocks, large = 4, 1024
	k := m.Shape().Dim(1)
	rows := ops.Turned(m) // [K, N]
	if k < large || k%blocks != 0 {
		return Dot(rows, links).Product()
	}
	size := k / blocks
	var upper [blocks][blocks]*Node
	for j := range blocks {
		from, to := j*size, (j+1)*size
		column := Dot(Slice(rows, AxisRange(0, to)), Slice(links, AxisRange(), AxisRange(from, to))).Product()
		for i := range j + 1 {
			upper[i][j] = Slice(column, AxisRange(i*size, (i+1)*size))
		}
	}
	var whole []*Node
	for i := range blocks {
		var row []*Node
		for j := range blocks {
			if j >= i {
				row = append(row, upper[i][j])
			} else {
				row = append(row, TransposeAllDims(upper[j][i], 1, 0))
			}
		}
		whole = append(whole, Concatenate(row, 1))
	}
	return Concatenate(whole, 0)
}

// normalize computes D^−½·P·D^−½, the next level's affinity. D holds the row sums of P with its diagonal. p: `[K,
// K]`, same shape out. A row of sum zero stays zero.
func normalize(p *Node) *Node {
	inverse := inverseRoot(ReduceSum(p, 1))
	return Mul(Mul(p, ExpandAxes(inverse, 1)), ExpandAxes(inverse, 0))
}

// inverseRoot computes 1/√sums, and zero for a sum that is not present. sums: `[K]`, same shape out.
func inverseRoot(sums *Node) *Node {
	some := present(sums)
	// The inner Where keeps the gradient of the branch not taken finite.
	return Where(some, Reciprocal(Sqrt(Where(some, sums, OnesLike(sums)))), ZerosLike(sums))
}

// cohesion reads P[k,k] = Σ_i M[i,k] Σ_{j≠i} A[i,j] M[j,k] for each cluster k. p: the pooled affinity `[K, K]`,
// result `[K]`.
func cohesion(p *Node) *Node {
	return ReduceSum(Where(Diagonal(p.Graph(), p.Shape().Dim(0)), p, ZerosLike(p)), 1)
}

// volume computes Σ_i d_i M[i,k] for each cluster k. degrees: `[N]`, m: `[N, K]`, result `[K]`.
func volume(degrees, m *Node) *Node {
	return ReduceSum(Mul(ExpandAxes(degrees, 1), m), 0)
}

// objective computes C = ½ Σ_k cohesion_k / volume_k, a scalar to be maximised. Both are `[K]`. The cohesion is the
// diagonal of the pooled affinity. The volume is Σ_i d_i M[i,k], with the degrees d of A0. A cluster that nobody
// belongs to adds nothing, see present.
func objective(cohesion, volume *Node) *Node {
	some := present(volume)
	inverse := StopGradient(Reciprocal(Where(some, volume, OnesLike(volume))))
	// Its value and its gradient are the ratio's. Its form does not square a small volume, as the derivative of a
	// quotient does: d(c/v) = dc/v − (c/v)·dv/v.
	ratio := Mul(cohesion, inverse)
	constant := StopGradient(ratio)
	ratio = Sub(Add(ratio, constant), Mul(constant, Mul(volume, inverse)))
	return MulScalar(ReduceAllSum(Where(some, ratio, ZerosLike(ratio))), 0.5)
}

// present reports which clusters have members: their volume is more than 1e-20 of the largest. Softmax takes the
// memberships of a cluster as near to zero as floats go. There quotients and their derivatives are no longer numbers.
// The shapes are: x `[K]`, not negative; the result, bool, `[K]`.
func present(x *Node) *Node {
	return GreaterThan(x, MulScalar(StopGradient(ReduceAllMax(x)), 1e-20))
}
