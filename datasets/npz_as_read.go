package datasets

// This file reads what an import saw of recordings before it filled their gaps and made their times even.

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/internal/audit"
)

// asReadColumns are those of `as_read`: the fields of audit.AsRead.
const asReadColumns = 5

// readAsRead reads `as_read`, [samples, 5], which ccp data import writes.
func (r *npzReader) readAsRead() error {
	if r.series == nil || !r.Has("as_read") || r.samples <= 0 {
		return nil
	}
	a, err := r.Array("as_read")
	if err != nil {
		return err
	}
	if !slices.Equal(a.Shape, []int{r.samples, asReadColumns}) {
		return fmt.Errorf("as_read has shape %v; want [%d, %d], as ccp data import writes it; leave it out if samples were "+
			"changed after the import", a.Shape, r.samples, asReadColumns)
	}
	values, err := a.Floats()
	if err != nil {
		return err
	}
	for i, v := range values {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("as_read[%d, %d] is %g; want a number from 0; leave the array out", i/asReadColumns,
				i%asReadColumns, v)
		}
	}
	for row := range slices.Chunk(values, asReadColumns) {
		r.raw.asRead = append(r.raw.asRead, audit.AsRead{TimePoints: row[0], Rate: row[1], Jitter: row[2], Missing: row[3],
			MadeUp: row[4]})
	}
	return nil
}
