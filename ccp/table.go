package ccp

import (
	"math/bits"
	"slices"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// row is a row of a sparse matrix, Σ_s w[edges[s]] · x[from[s]] with the weights w of edges. If edges is nil, all
// weights are 1.
type row struct{ from, edges []int32 }

// widest is the most entries that a row of a table may have. Each entry is an operation of the computation, not a
// turn of a loop in it. So the compiler reads whole rows of x, which is an order of magnitude faster.
const widest = 32

// split cuts rows of more than `widest` entries into parts. It also returns the rows that add the parts up again, by
// the parts' numbers, or nil if no row was cut.
func split(rows []row) (parts, sums []row) {
	if !slices.ContainsFunc(rows, func(r row) bool { return len(r.from) > widest }) {
		return rows, nil
	}
	for _, r := range rows {
		sum := row{}
		for start := 0; start == 0 || start < len(r.from); start += widest {
			end := min(start+widest, len(r.from))
			sum.from = append(sum.from, int32(len(parts)))
			part := row{from: r.from[start:end]}
			if r.edges != nil {
				part.edges = r.edges[start:end]
			}
			parts = append(parts, part)
		}
		sums = append(sums, sum)
	}
	return parts, sums
}

// tables multiply by a sparse matrix: the first is applied first, the others add up the parts of rows that were cut.
type tables []table

// newTables makes the tables of rows, with the weights of a list of edges, in variables of scope.
func newTables(scope *model.Scope, g *Graph, rows []row, list edgeList, dtype dtypes.DType) (t tables) {
	for len(rows) > 0 {
		parts, sums := split(rows)
		t = append(t, newTable(scope.At("table_%d", len(t)), g, parts, list, dtype))
		rows, list = sums, edgeList{}
	}
	return t
}

// times multiplies the matrix by x. x: `[columns, K]`. values: `[E]`, the edges' weights if they are computed, else
// nil. Result `[rows, K]`.
func (t tables) times(x, values *Node) *Node {
	if values != nil { // padding has edge E
		values = Concatenate([]*Node{values, Zeros(values.Graph(), shapes.Make(values.DType(), 1))}, 0)
	}
	for _, table := range t {
		x = table.times(x, values)
	}
	return x
}

// table is a sparse matrix of at most `widest` entries a row. The number of entries is rounded up to a power of two,
// which bounds the padding, and rows of equal width form a bucket.
type table struct {
	buckets []bucket
	place   *Node // [rows, 1]: where each row stands in the concatenated buckets; nil when there is one bucket
}

// bucket holds rows of one width, `[rows, width]`, padded with row 0 of x at weight 0. If the weights are computed,
// it has edges, else weights.
type bucket struct{ from, weights, edges *Node }

// newTable makes constants of sparse rows. Rows are padded to a power of two and grouped by it, so that one wide row
// does not widen all.
func newTable(scope *model.Scope, g *Graph, rows []row, list edgeList, dtype dtypes.DType) (t table) {
	widths := make([]int, len(rows))
	for i, r := range rows {
		widths[i] = 1 << bits.Len(uint(max(1, len(r.from))-1))
	}
	buckets, place := ops.Buckets(widths, func(a, b int) bool { return a == b })
	for _, members := range buckets {
		w := widths[members[0]]
		t.buckets = append(t.buckets, newBucket(scope.At("width_%d", w), g, rows, members, w, list, dtype))
	}
	if len(buckets) > 1 {
		t.place = ops.Indices(scope, g, "place", place)
	}
	return t
}

// newBucket makes the constants of the rows that have w entries when they are padded. What pads a row is node 0 with
// weight 0, or the value behind the last edge.
func newBucket(scope *model.Scope, g *Graph, rows []row, members []int32, w int, list edgeList,
	dtype dtypes.DType) (b bucket) {
	from, which := make([]int32, len(members)*w), slices.Repeat([]int32{int32(len(list.pairs))}, len(members)*w)
	weights := make([]float64, len(which))
	for at, i := range members {
		copy(from[at*w:], rows[i].from)
		copy(which[at*w:], rows[i].edges)
		for s := range rows[i].from {
			weights[at*w+s] = 1
			if list.weights != nil {
				weights[at*w+s] = list.weights[rows[i].edges[s]]
			}
		}
	}
	b.from = ops.Indices(scope, g, "from", from, len(members), w)
	if list.values != nil {
		b.edges = ops.Indices(scope, g, "edges", which, len(members), w)
	} else {
		b.weights = ops.Constant(scope, g, "weights", floats(dtype, weights, len(members), w))
	}
	return b
}

// times multiplies the table by x. x: `[columns, K]`, values: `[E+1]` or nil, result `[rows, K]`.
func (t table) times(x, values *Node) *Node {
	parts := make([]*Node, len(t.buckets))
	for i, b := range t.buckets {
		if x.Shape().Dim(1) == 1 { // rows of one value: a loop over a table's row is as fast, and compiles sooner
			weights := b.weights
			if b.edges != nil {
				weights = Gather(values, ExpandAxes(b.edges, -1))
			}
			terms := Mul(Gather(Reshape(x, x.Shape().Dim(0)), ExpandAxes(b.from, -1)), weights)
			parts[i] = ReduceAndKeep(terms, ReduceSum, 1)
			continue
		}
		for s := range b.from.Shape().Dim(1) {
			column := func(table *Node) *Node { return Slice(table, AxisRange(), AxisRange(s, s+1)) }
			var weight *Node // [rows, 1]
			if b.edges != nil {
				weight = ExpandAxes(Gather(values, column(b.edges)), 1)
			} else {
				weight = column(b.weights)
			}
			parts[i] = ops.Plus(parts[i], Mul(Gather(x, column(b.from)), weight))
		}
	}
	if t.place == nil {
		return parts[0]
	}
	return Gather(Concatenate(parts, 0), t.place)
}

// grouping sums the entries of groups. The gradient of an entry is the gradient of its group.
type grouping struct {
	tables tables
	group  *Node // int32 [entries, 1]
}

// newGrouping groups len(of) entries into `groups` sums, entry j into of[j].
func newGrouping(scope *model.Scope, g *Graph, of []int32, groups int, dtype dtypes.DType) grouping {
	rows := make([]row, groups)
	for k, members := range inverse(of, groups) {
		rows[k].from = members
	}
	return grouping{newTables(scope, g, rows, edgeList{}, dtype), ops.Indices(scope, g, "group", of)}
}

// sum adds up the entries of each group. x: `[entries]`, result `[groups]`.
func (s grouping) sum(x *Node) *Node {
	return ops.WithGradient(
		func() *Node { return Squeeze(s.tables.times(ExpandAxes(x, 1), nil), 1) },
		func(v *Node) []*Node { return []*Node{Gather(v, s.group)} }, x)
}

// inverse lists the entries of each group in ascending order.
func inverse(of []int32, groups int) [][]int32 {
	lists := make([][]int32, groups)
	for j, k := range of {
		lists[k] = append(lists[k], int32(j))
	}
	return lists
}
