package datasets

import (
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/text"
	"github.com/clusterpool/ccp/datasets/wordvec"
	"github.com/clusterpool/ccp/internal/npz"
)

// writeVectors keeps word vectors.
func writeVectors(path string, v *wordvec.Vectors) error {
	return npz.Write(path, []npz.Named{
		{Name: "words", Array: list(v.Words)},
		{Name: "values", Array: &npz.Array{Shape: []int{len(v.Words), v.Dim}, Data: v.Values}},
	})
}

// readVectors reads what writeVectors wrote. It is an error if there is nothing usable.
func readVectors(path string) (*wordvec.Vectors, error) {
	file, err := npz.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	v := &wordvec.Vectors{}
	if err := readList(file, "words", &v.Words); err != nil {
		return nil, err
	}
	if err := readList(file, "values", &v.Values); err != nil {
		return nil, err
	}
	if len(v.Words) == 0 || len(v.Values)%len(v.Words) != 0 {
		return nil, file.Errorf("%d values for %d words", len(v.Values), len(v.Words))
	}
	v.Dim = len(v.Values) / len(v.Words)
	return v, nil
}

// write keeps what was prepared.
func (c *prepared) write(path string) error {
	indptr, indices, data := c.graph.CSR()
	starts := make([]int64, len(indptr))
	for i, start := range indptr {
		starts[i] = int64(start)
	}
	var steps []int64
	for _, s := range c.steps {
		steps = append(steps, int64(s.train), int64(s.test), int64(s.words))
	}
	return npz.Write(path, []npz.Named{
		{Name: "document_starts", Array: list(c.counts.Starts)},
		{Name: "document_words", Array: list(c.counts.Words)},
		{Name: "document_counts", Array: list(c.counts.Values)},
		{Name: "labels", Array: list(c.labels)},
		{Name: "words", Array: list(c.words)},
		{Name: "indptr", Array: list(starts)},
		{Name: "indices", Array: list(indices)},
		{Name: "data", Array: list(data)},
		{Name: "steps", Array: list(steps)},
	})
}

// readPrepared reads what write wrote, for a number of classes and of steps. It is an error if there is nothing usable.
func readPrepared(path string, classes, stepCount int) (*prepared, error) {
	file, err := npz.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c := &prepared{counts: &text.Bags{}}
	var starts, steps []int64
	var indices []int32
	var data []float64
	for name, into := range map[string]any{
		"document_starts": &c.counts.Starts, "document_words": &c.counts.Words, "document_counts": &c.counts.Values,
		"labels": &c.labels, "words": &c.words, "indptr": &starts, "indices": &indices, "data": &data, "steps": &steps,
	} {
		if err := readList(file, name, into); err != nil {
			return nil, err
		}
	}
	if c.graph, err = affinity.FromCSR(len(c.words), starts, indices, data); err != nil {
		return nil, file.Errorf("%w", err)
	}
	if err := c.counts.Check(len(c.words)); err != nil {
		return nil, file.Errorf("%w", err)
	}
	if len(steps) != 3*stepCount {
		return nil, file.Errorf("%d numbers for %d steps", len(steps), stepCount)
	}
	for at := 0; at < len(steps); at += 3 {
		c.steps = append(c.steps, step{int(steps[at]), int(steps[at+1]), int(steps[at+2])})
	}
	last := c.steps[len(c.steps)-1]
	c.train = last.train
	if c.train < 1 || last.test < 1 || c.train+last.test != c.counts.Len() || len(c.labels) != c.counts.Len() {
		return nil, file.Errorf("%d documents and %d labels, %d training and %d test documents",
			c.counts.Len(), len(c.labels), last.train, last.test)
	}
	for i, label := range c.labels {
		if label < 0 || int(label) >= classes {
			return nil, file.Errorf("document %d has label %d of %d", i, label, classes)
		}
	}
	return c, nil
}

// list is a one-dimensional array.
func list[T any](values []T) *npz.Array { return &npz.Array{Shape: []int{len(values)}, Data: values} }

// readList reads an array whose elements have the type that they were written with.
func readList(file *npz.File, name string, into any) error {
	a, err := file.Array(name)
	if err != nil {
		return err
	}
	ok := false
	switch into := into.(type) {
	case *[]int32:
		*into, ok = a.Data.([]int32)
	case *[]int64:
		*into, ok = a.Data.([]int64)
	case *[]float32:
		*into, ok = a.Data.([]float32)
	case *[]float64:
		*into, ok = a.Data.([]float64)
	case *[]string:
		*into, ok = a.Data.([]string)
	}
	if !ok {
		return file.Errorf("array %q has elements of type %s", name, a.Kind())
	}
	return nil
}
