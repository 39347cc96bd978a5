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

// Objective is C = ½ Σ_k cohesion_k / volume_k, a scalar to be maximised. A cluster of volume zero adds nothing.
// cohesion, volume: `[K]`.
func Objective(cohesion, volume *Node) *Node {
	some := IsPositive(volume)
	ratio := Div(cohesion, Where(some, volume, OnesLike(volume)))
	return MulScalar(ReduceAllSum(Where(some, ratio, ZerosLike(ratio))), 0.5)
}
