package ccp

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Cohesion of cluster k is P[k,k] = Σ_i M[i,k] Σ_{j≠i} A[i,j] M[j,k]. p: the pooled affinity `[K, K]`, result `[K]`.
func Cohesion(p *Node) *Node {
	return ReduceSum(Where(Diagonal(p.Graph(), p.Shape().Dim(0)), p, ZerosLike(p)), 1)
}

// Volume of cluster k is Σ_i d_i M[i,k]. degrees: `[N]`, m: `[N, K]`, result `[K]`.
func Volume(degrees, m *Node) *Node {
	return ReduceSum(Mul(ExpandAxes(degrees, 1), m), 0)
}

// Objective is C = ½ Σ_k cohesion_k / volume_k, a scalar to be maximised. cohesion, volume: `[K]`. A cluster that nobody
// belongs to, see present, adds nothing.
func Objective(cohesion, volume *Node) *Node {
	some := present(volume)
	inverse := StopGradient(Reciprocal(Where(some, volume, OnesLike(volume))))
	// Its value is the ratio, its gradient that of the ratio, in a form that does not square a small volume as the
	// derivative of a quotient does: d(c/v) = dc/v − (c/v)·dv/v.
	ratio := Mul(cohesion, inverse)
	constant := StopGradient(ratio)
	ratio = Sub(Add(ratio, constant), Mul(constant, Mul(volume, inverse)))
	return MulScalar(ReduceAllSum(Where(some, ratio, ZerosLike(ratio))), 0.5)
}

// present tells which clusters have members: those whose volume is more than 1e-20 of the largest. Softmax takes the
// memberships of a cluster as near to zero as floats go, where quotients and their derivatives are no longer numbers.
// x: `[K]`, not negative; result bool `[K]`.
func present(x *Node) *Node {
	return GreaterThan(x, MulScalar(StopGradient(ReduceAllMax(x)), 1e-20))
}
