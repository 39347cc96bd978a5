package ccp

import (
	"math/bits"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// row is a row of a sparse matrix: Σ_s weights[s] · x[from[s]].
type row struct {
	from    []int32
	weights []float64
}

// widest is the most entries that a row of a table may have. Each entry is an operation of the computation, not a turn of
// a loop in it: so the compiler reads whole rows of x, which is an order of magnitude faster.
const widest = 32

// split cuts rows of more than `widest` entries into parts of that many. sums are the rows that add the parts up again, in
// terms of parts; nil if nothing was cut.
func split(rows []row) (parts, sums []row) {
	if !slices.ContainsFunc(rows, func(r row) bool { return len(r.from) > widest }) {
		return rows, nil
	}
	for _, r := range rows {
		sum := row{}
		for start := 0; start == 0 || start < len(r.from); start += widest {
			end := min(start+widest, len(r.from))
			sum.from, sum.weights = append(sum.from, int32(len(parts))), append(sum.weights, 1)
			parts = append(parts, row{r.from[start:end], r.weights[start:end]})
		}
		sums = append(sums, sum)
	}
	return parts, sums
}

// table is a sparse matrix of at most `widest` entries a row, its rows grouped by their number of entries, rounded up to a
// power of two, which bounds the padding.
type table struct {
	buckets []bucket
	place   *Node // [rows]: where each row stands in the concatenated buckets; nil when there is one bucket
}

// bucket holds rows of `width` entries, shape `[rows, width]`, padded with row 0 of x at weight 0.
type bucket struct{ from, weights *Node }

func newTable(scope *model.Scope, g *Graph, rows []row, dtype dtypes.DType) (t table) {
	order, width := make([]int, len(rows)), make([]int, len(rows))
	for i, r := range rows {
		order[i], width[i] = i, 1<<bits.Len(uint(max(1, len(r.from))-1))
	}
	slices.SortStableFunc(order, func(i, j int) int { return width[i] - width[j] })
	for start := 0; start < len(order); {
		w, end := width[order[start]], start
		for end < len(order) && width[order[end]] == w {
			end++
		}
		count := end - start
		from, weights := make([]int32, count*w), make([]float64, count*w)
		for at, i := range order[start:end] {
			copy(from[at*w:], rows[i].from)
			copy(weights[at*w:], rows[i].weights)
		}
		scope := scope.At("width_%d", w)
		t.buckets = append(t.buckets, bucket{
			from:    constant(scope, g, "from", tensors.FromFlatDataAndDimensions(from, count, w)),
			weights: constant(scope, g, "weights", floats(dtype, weights, count, w)),
		})
		start = end
	}
	if len(t.buckets) > 1 {
		place := make([]int32, len(rows))
		for at, i := range order {
			place[i] = int32(at)
		}
		t.place = constant(scope, g, "place", tensors.FromFlatDataAndDimensions(place, len(rows)))
	}
	return t
}

// times is the table times x. x: `[columns, K]`, result `[rows, K]`.
func (t table) times(x *Node) *Node {
	parts := make([]*Node, len(t.buckets))
	for i, b := range t.buckets {
		for s := range b.from.Shape().Dim(1) {
			column := AxisRange(s, s+1)
			term := Mul(Gather(x, Slice(b.from, AxisRange(), column)), Slice(b.weights, AxisRange(), column))
			if parts[i] == nil {
				parts[i] = term
			} else {
				parts[i] = Add(parts[i], term)
			}
		}
	}
	if t.place == nil {
		return parts[0]
	}
	return Gather(Concatenate(parts, 0), ExpandAxes(t.place, -1))
}
