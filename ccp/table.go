package ccp

import (
	"math/bits"
	"slices"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// row is a row of a sparse matrix, Σ_s weights[s] · x[from[s]], or, where edges is set in place of weights,
// Σ_s values[edges[s]] · x[from[s]] with values that the computation makes.
type row struct {
	from    []int32
	weights []float64
	edges   []int32
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
			part := row{from: r.from[start:end]}
			if r.edges != nil {
				part.edges = r.edges[start:end]
			} else {
				part.weights = r.weights[start:end]
			}
			parts = append(parts, part)
		}
		sums = append(sums, sum)
	}
	return parts, sums
}

// tables are a sparse matrix as a product: the first is applied first, the others add up what was cut.
type tables []table

// newTables makes the tables of rows in variables of scope. edges is E, the number of values, where rows have edges; else 0.
func newTables(scope *model.Scope, g *Graph, rows []row, edges int, dtype dtypes.DType) (t tables) {
	for len(rows) > 0 {
		parts, sums := split(rows)
		t = append(t, newTable(scope.At("table_%d", len(t)), g, parts, edges, dtype))
		rows, edges = sums, 0
	}
	return t
}

// times is the matrix times x. x: `[columns, K]`, values: `[E]`, or nil where no row has edges; result `[rows, K]`.
func (t tables) times(x, values *Node) *Node {
	if values != nil { // padding has edge E
		values = Concatenate([]*Node{values, Zeros(values.Graph(), shapes.Make(values.DType(), 1))}, 0)
	}
	for _, table := range t {
		x = table.times(x, values)
	}
	return x
}

// table is a sparse matrix of at most `widest` entries a row, its rows grouped by their number of entries, rounded up to a
// power of two, which bounds the padding.
type table struct {
	buckets []bucket
	place   *Node // [rows]: where each row stands in the concatenated buckets; nil when there is one bucket
}

// bucket holds rows of `width` entries, shape `[rows, width]`, padded with row 0 of x at weight 0. One of weights and edges
// is nil.
type bucket struct{ from, weights, edges *Node }

func newTable(scope *model.Scope, g *Graph, rows []row, edges int, dtype dtypes.DType) (t table) {
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
		scope := scope.At("width_%d", w)
		t.buckets = append(t.buckets, newBucket(scope, g, rows, order[start:end], w, edges, dtype))
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

func newBucket(scope *model.Scope, g *Graph, rows []row, members []int, w, edges int, dtype dtypes.DType) (b bucket) {
	count := len(members)
	from := make([]int32, count*w)
	for at, i := range members {
		copy(from[at*w:], rows[i].from)
	}
	b.from = constant(scope, g, "from", tensors.FromFlatDataAndDimensions(from, count, w))
	if edges > 0 {
		which := make([]int32, count*w)
		for at, i := range members {
			for s := copy(which[at*w:], rows[i].edges); s < w; s++ {
				which[at*w+s] = int32(edges) // of value zero
			}
		}
		b.edges = constant(scope, g, "edges", tensors.FromFlatDataAndDimensions(which, count, w))
		return b
	}
	weights := make([]float64, count*w)
	for at, i := range members {
		copy(weights[at*w:], rows[i].weights)
	}
	b.weights = constant(scope, g, "weights", floats(dtype, weights, count, w))
	return b
}

// times is the table times x. x: `[columns, K]`, values: `[E+1]` or nil, result `[rows, K]`.
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
			term := Mul(Gather(x, column(b.from)), weight)
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

// grouping sums entries that belong to groups. Its gradient hands each entry that of its group.
type grouping struct {
	tables tables
	group  *Node // int32 [entries, 1]
}

// newGrouping groups len(of) entries into `groups` sums, entry j into of[j].
func newGrouping(scope *model.Scope, g *Graph, of []int32, groups int, dtype dtypes.DType) grouping {
	lists := inverse(of, groups)
	rows, ones := make([]row, groups), make([]float64, len(of))
	for j := range ones {
		ones[j] = 1
	}
	for k := range rows {
		rows[k] = row{from: lists.at(k), weights: ones[:len(lists.at(k))]}
	}
	group := tensors.FromFlatDataAndDimensions(of, len(of), 1)
	return grouping{newTables(scope, g, rows, 0, dtype), constant(scope, g, "group", group)}
}

// sum adds up the entries of each group. x: `[entries]`, result `[groups]`.
func (s grouping) sum(x *Node) *Node {
	return nn.WithGradient(
		func() *Node {
			sums := s.tables.times(ExpandAxes(x, 1), nil)
			return Reshape(sums, sums.Shape().Dim(0))
		},
		func(v *Node) []*Node { return []*Node{Gather(v, s.group)} }, x)
}

// lists are many short lists in one array.
type lists struct {
	start []int
	items []int32
}

func (l lists) at(k int) []int32 { return l.items[l.start[k]:l.start[k+1]] }

// inverse lists, for each of `groups` groups, the entries that belong to it, in ascending order.
func inverse(of []int32, groups int) lists {
	l := lists{make([]int, groups+1), make([]int32, len(of))}
	for _, k := range of {
		l.start[k+1]++
	}
	for k := range groups {
		l.start[k+1] += l.start[k]
	}
	next := slices.Clone(l.start)
	for j, k := range of {
		l.items[next[k]] = int32(j)
		next[k]++
	}
	return l
}
