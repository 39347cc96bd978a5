package datasets

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

// transposed returns the array with its axes in another order, as numpy.transpose does.
func transposed(a *npz.Array, order ...int) *npz.Array {
	size := func(axis int) int {
		n := 1
		for _, dim := range a.Shape[axis+1:] {
			n *= dim
		}
		return n
	}
	out := &npz.Array{}
	for _, axis := range order {
		out.Shape = append(out.Shape, a.Shape[axis])
	}
	values := make([]float32, a.Len())
	for i := range values {
		from, rest := 0, i
		for at := len(order) - 1; at >= 0; at-- {
			from += rest % out.Shape[at] * size(order[at])
			rest /= out.Shape[at]
		}
		values[i] = a.Data.([]float32)[from]
	}
	out.Data = values
	return out
}

// A mistake that many people make has one hint, and the file is as it should be once the hint is followed.
func TestOneHintThatWorks(t *testing.T) {
	known := func(warning string) bool { // of what is odd in path4, too
		return strings.HasPrefix(warning, "no array split") || strings.Contains(warning, "equal a sample of another class") ||
			strings.Contains(warning, "are training samples, too")
	}
	labels := path4()["labels"].Data.([]int64)
	each := func(f func(label int64) int64) *npz.Array {
		out := slices.Clone(labels)
		for i := range out {
			out[i] = f(out[i])
		}
		return vectorOf(out...)
	}
	var bits []bool
	var shares []float64
	var texts []string
	for _, label := range labels {
		bits = append(bits, label == 0, label == 1)
		shares = append(shares, float64(1-label), float64(label))
		texts = append(texts, strconv.Itoa(int(5*label)))
	}
	unchanged := path4()["labels"]
	features := path4()["features"]
	flat := &npz.Array{Shape: []int{20, 4}, Data: features.Data.([]float32)[:80]}
	points := matrixOf(2, 0., 0, 0, 1, 1, 1, 3, 1)
	for name, c := range map[string]struct {
		wrong, followed arrays
		hint            string
	}{
		"one-hot bits": {path4().with("labels", matrixOf(2, bits...)), path4(),
			"labels … [20 2] … labels.argmax(axis=1)"},
		"one-hot shares": {path4().with("labels", matrixOf(2, shares...)), path4(),
			"labels … [20 2] … labels.argmax(axis=1)"},
		"edges from 1": {path4().with("edges", matrixOf[int64](2, 1, 2, 3, 2, 3, 4)), path4(),
			"edges … 4 nodes … from 1 … edges - 1"},
		"channels before nodes": {path4().with("features", transposed(features, 0, 2, 1)), path4(),
			"features … [20 2 4] … labels and edges … 4 nodes … features.transpose(0, 2, 1)"},
		"nodes before samples": {path4().with("features", transposed(features, 1, 0, 2)), path4(),
			"features … [4 20 2] … labels and edges … 4 nodes … features.transpose(1, 0, 2)"},
		"samples last": {path4().with("features", transposed(features, 2, 1, 0)), path4(),
			"features … [2 4 20] … labels and edges … 4 nodes … features.transpose(2, 1, 0)"},
		"by coordinates": {path4().with("edges", nil).with("coordinates", points).with("features",
			transposed(features, 0, 2, 1)),
			path4().with("edges", nil).with("coordinates", points),
			"features … [20 2 4] … labels and coordinates … 4 nodes … features.transpose(0, 2, 1)"},
		"one channel": {path4().with("features", transposed(flat, 1, 0)), path4().with("features", flat),
			"features … [4 20] … labels and edges … 4 nodes … features.transpose(1, 0)"},
		"labels with gaps": {path4().with("labels", each(func(l int64) int64 { return 5 * l })),
			path4().with("labels", unchanged),
			"no samples of 4 … 0 to 5 … 1, 2, 3, 4 … numpy.unique … labels.astype(str)"},
		"labels as strings": {path4().with("labels", each(func(l int64) int64 { return 5 * l })),
			path4().with("labels", vectorOf(texts...)),
			"no samples of 4 … 0 to 5 … 1, 2, 3, 4 … numpy.unique … labels.astype(str)"},
		"labels from 1": {path4().with("labels", each(func(l int64) int64 { return l + 1 })), path4(),
			"no samples of 1 … 0 to 2 … such as 0 … numpy.unique … labels.astype(str)"},
		"a name too many": {path4().with("class_names", vectorOf("up", "down", "left")),
			path4().with("class_names", vectorOf("up", "down")),
			"no samples of 1 … 3 classes … 2 (left) … class_names"},
	} {
		t.Run(name, func(t *testing.T) {
			found := c.wrong.check(t, Options{})
			messages := found.Errors
			if found.Usable {
				messages = slices.DeleteFunc(slices.Clone(found.Warnings), known)
			}
			messagetest.EachNames(t, messages, c.hint)
			mended := c.followed.check(t, Options{})
			assert.Empty(t, mended.Errors)
			assert.Empty(t, slices.DeleteFunc(mended.Warnings, known))
			assert.Len(t, mended.Data.ClassNames, 2)
		})
	}
}
