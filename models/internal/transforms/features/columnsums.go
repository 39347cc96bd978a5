package features

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

// columnSums adds up columns of a recording, drawn for each group of kernels, so that the cost does not depend on the
// number of columns. Of four columns or more every second group adds two, and the others look at one: a sum of many
// hides what a single sensor shows.
type columnSums struct {
	columns int       // of a recording
	summed  int       // columns of a sum
	drawn   []float32 // the columns of each sum, `[groups, summed]`; float32 because checkpoints have arrays of that type
}

// newColumnSums makes the sums of so many groups. Nothing is drawn yet.
func newColumnSums(s Shape, groups int) columnSums {
	m := columnSums{columns: s.Columns, summed: max(1, min(s.Columns/2, cmp.Or(s.MostSummed, 8)))}
	m.drawn = make([]float32, groups*m.summed)
	return m
}

// draw draws the columns of each group without replacement.
func (m *columnSums) draw(rng *rand.Rand) {
	for pair := range slices.Chunk(m.drawn, 2*m.summed) {
		for group := range slices.Chunk(pair, m.summed) {
			copy(group, loop.Convert[float32](rng.Perm(m.columns)[:m.summed]))
		}
		// The second group adds its first column twice, in place of its last one. With two columns a sum it thus looks at
		// one.
		pair[len(pair)-1] = pair[len(pair)-m.summed]
	}
}

// columnsOf returns the columns of a group.
func (m *columnSums) columnsOf(group int) []float32 { return m.drawn[group*m.summed:][:m.summed] }

// add adds the columns of a group to a sum.
func (m *columnSums) add(sum []float32, columns [][]float32, group int) {
	for _, c := range m.columnsOf(group) {
		shiftAdd(sum, 1, columns[int(c)], 0)
	}
}

// Check returns an error if a drawn column is none of the recording.
func (m *columnSums) Check() (array string, err error) {
	for i, c := range m.drawn {
		if !(c >= 0 && int(c) < m.columns) { // which NaN is not, either
			return "columns", fmt.Errorf("value %d is column %v of %d", i, c, m.columns)
		}
	}
	return "", nil
}

// export returns the sums of the groups from..to, `[batch, groups, timepoints]`.
func (m *columnSums) export(g *onnx.Graph, x string, from, to int) (sum string) {
	columns := g.Constant(loop.Convert[int64](m.drawn[from*m.summed:to*m.summed]), to-from, m.summed)
	for i := range m.summed { // one after another, so that sums are rounded as add rounds them
		sum = g.Plus(sum, g.Op("Gather", x, g.Op("Gather", columns, i, onnx.Axis(1)), onnx.Axis(1)))
	}
	return sum
}
