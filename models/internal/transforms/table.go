package transforms

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

// mostInMemory is how many bytes of features a table holds in memory, at most, if there is a ridge classifier with a
// weight for each feature: it reads the features of one block of samples after another.
const mostInMemory = 16 << 20

// table has features of samples, `[samples][width]`, standardised if there is a standardiser. Those of many samples are
// more than the samples themselves, so that they lie in a file, and are standardised as they are read.
type table struct {
	samples, width int
	memory         [][]float32 // nil: in the file
	file           *os.File
	standardiser   *features.Standardiser // of features that lie in the file; nil: they are read as they are
}

// newTable returns a table of zeros in memory, if it has no more bytes than are bearable, or else in a new file of the
// folder, which close deletes. An empty folder is the system's for temporary files.
func newTable(folder string, samples, width, bearable int) (*table, error) {
	t := &table{samples: samples, width: width}
	if 4*samples*width <= bearable {
		t.memory = slices.Collect(slices.Chunk(make([]float32, samples*width), width))
		return t, nil
	}
	var err error // a read-only folder, or a full disk
	if folder != "" {
		err = os.MkdirAll(folder, 0o777)
	}
	if err == nil {
		t.file, err = os.CreateTemp(folder, "features-*")
	}
	if err != nil {
		return nil, t.explained(err)
	}
	_ = os.Remove(t.file.Name()) // where a system can, so that nothing is left behind if the program is killed
	return t, nil
}

// close frees the table, and deletes its file.
func (t *table) close() {
	t.memory = nil
	if t.file != nil {
		_ = t.file.Close() // nothing of it is wanted any more
		_ = os.Remove(t.file.Name())
	}
}

// explained returns an error of the file with the way out.
func (t *table) explained(err error) error {
	return fmt.Errorf("transforms: the features of %d samples, %d MB, lie in a temporary file while they are fitted: %w",
		t.samples, (4*t.samples*t.width)>>20, err)
}

// rows returns zeros for the features of the samples from..to, which put takes.
func (t *table) rows(from, to int) [][]float32 {
	if t.memory != nil {
		return t.memory[from:to]
	}
	return slices.Collect(slices.Chunk(make([]float32, (to-from)*t.width), t.width))
}

// put stores what has been written to rows.
func (t *table) put(from int, rows [][]float32) error {
	if t.memory != nil {
		return nil
	}
	for i, row := range rows {
		_, err := t.file.WriteAt(bytesOf(row), int64(from+i)*int64(4*t.width))
		if err != nil {
			return t.explained(err)
		}
	}
	return nil
}

// bytesOf returns the memory of values.
func bytesOf(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}

// pick returns the features of some samples. They are the table's own if it is in memory.
func (t *table) pick(some []int) ([][]float32, error) {
	if t.memory != nil {
		return pick(t.memory, some), nil
	}
	rows := t.rows(0, len(some))
	for i, sample := range some {
		_, err := t.file.ReadAt(bytesOf(rows[i]), int64(sample)*int64(4*t.width))
		if err != nil {
			return nil, t.explained(err)
		}
		if t.standardiser != nil {
			t.standardiser.Apply(rows[i])
		}
	}
	return rows, nil
}

// each calls do with the features of all samples, one block after another, and returns the first error.
func (t *table) each(do func(rows [][]float32) error) error {
	for some := range slices.Chunk(loop.Indices(t.samples), blockSize) {
		rows, err := t.pick(some)
		if err != nil {
			return err
		}
		if err := do(rows); err != nil {
			return err
		}
	}
	return nil
}

// standardise measures the features, and standardises them.
func (t *table) standardise(s features.Standardiser) error {
	var failed error
	s.Measure(t.samples, func(do func(rows [][]float32) bool) {
		failed = cmp.Or(failed, t.each(func(rows [][]float32) error { do(rows); return nil }))
	})
	if failed != nil {
		return failed
	}
	if t.memory == nil {
		t.standardiser = &s
		return nil
	}
	for _, row := range t.memory {
		s.Apply(row)
	}
	return nil
}

// means returns the mean of each feature.
func (t *table) means() ([]float64, error) {
	var failed error
	means := features.Means(t.samples, t.width, func(do func(rows [][]float32) bool) {
		failed = t.each(func(rows [][]float32) error { do(rows); return nil })
	})
	return means, failed
}

// columns returns the features of some samples by feature, `[features][samples]`.
func (t *table) columns(some []int) ([]float32, error) {
	const atOnce = 16 // values of a feature, which share a line of the processor's cache
	columns, n := make([]float32, len(some)*t.width), len(some)
	for from := 0; from < n; from += atOnce {
		rows, err := t.pick(some[from:min(from+atOnce, n)])
		if err != nil {
			return nil, err
		}
		for j := range t.width {
			for i, row := range rows {
				columns[j*n+from+i] = row[j]
			}
		}
	}
	return columns, nil
}
