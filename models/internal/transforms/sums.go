package transforms

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

// sums adds up columns of a recording, drawn for each group of kernels, so that the cost does not depend on their number. Of four
// columns or more every second group adds two, and the others look at one: a sum of many hides what a single sensor shows.
type sums struct {
	of, added int       // columns, in all and of a sum
	columns   []float32 // `[groups, added]`
}

// lacksTaps returns a function of what samples lack for kernels of so many time points.
func lacksTaps(taps int) func(h header) string {
	return func(h header) string {
		if lacks := h.lacksSeries(); lacks != "" || h.Length >= taps {
			return lacks
		}
		return fmt.Sprintf("%d time points, and the median recording has %d", taps, h.Length)
	}
}

func newSums(h header, groups int) sums {
	s := sums{of: h.Columns, added: max(1, min(h.Columns/2, cmp.Or(h.Added, 8)))}
	s.columns = make([]float32, groups*s.added)
	return s
}

func (s *sums) draw(rng *rand.Rand) {
	for pair := range slices.Chunk(s.columns, 2*s.added) {
		for group := range slices.Chunk(pair, s.added) {
			copy(group, loop.Convert[float32](rng.Perm(s.of)[:s.added]))
		}
		pair[len(pair)-1] = pair[len(pair)-s.added] // which is added twice
	}
}

// add adds the columns of a group to a sum, from that time point on.
func (s *sums) add(to []float32, columns [][]float32, group int) {
	for _, c := range s.columns[group*s.added:][:s.added] {
		shiftAdd(to, 1, columns[int(c)], 0)
	}
}

// check returns an error if there is no such column.
func (s *sums) check() error {
	for i, c := range s.columns {
		if !(c >= 0 && int(c) < s.of) { // NaN, too
			return fmt.Errorf("value %d is column %v of %d", i, c, s.of)
		}
	}
	return nil
}

// export returns the sums of some groups, `[batch, groups, timepoints]`.
func (s *sums) export(g *onnx.Graph, x string, from, to int) (sum string) {
	columns := g.Constant(loop.Convert[int64](s.columns[from*s.added:to*s.added]), to-from, s.added)
	for i := range s.added { // one after another, as add
		sum = g.Plus(sum, g.Op("Gather", x, g.Op("Gather", columns, i, onnx.Axis(1)), onnx.Axis(1)))
	}
	return sum
}
