package report

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/picture"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPacked(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{Ints{}, `{"u16":""}`},
		{Ints{1, 258}, `{"u16":"AQACAQ=="}`},
		{Ints{1, 65535}, `{"u16":"AQD//w=="}`},
		{Ints{1, 65536}, `{"u32":"AQAAAAAAAQA="}`},
		{Floats{1, -2}, `{"f32":"AACAPwAAAMA="}`},
		{Floats{float32(math.NaN())}, `{"f32":"AADAfw=="}`}, // JSON itself has none
		{*scaled([]float64{0, 2, -1}), `{"i8":"AH/A","most":2}`},
		{*scaled([]float64{0, 0}), `{"i8":"AAA=","most":0}`},
		{*scaled(nil), `{"i8":"","most":0}`},
	} {
		raw, err := json.Marshal(c.value)
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(raw))
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		n, most, always int
		want            []int
	}{
		{0, 5, 0, nil},
		{1, 5, 0, []int{0}},
		{3, 5, 1, []int{0, 1, 2}},
		{7, 1, 4, []int{4}},
		{9, 3, 0, []int{0, 4, 8}},
		{9, 3, 7, []int{0, 7, 8}},
		{100, 4, 34, []int{0, 34, 66, 99}},
		{10, 2, 3, []int{0, 3}},
	} {
		assert.Equal(t, c.want, spread(c.n, c.most, c.always), "%+v", c)
	}
	picked := spread(1000, mostEpochs, 611)
	assert.Len(t, picked, mostEpochs)
	assert.Contains(t, picked, 611)
}

func TestColours(t *testing.T) {
	ring, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 2, J: 3, Weight: 1}, {I: 0, J: 3, Weight: 1}})
	require.NoError(t, err)
	var h Hierarchy
	colours := h.colours(newLayout(picture.NewLayout(ring, nil, nil, nil, nil)), []int32{0, 1, 2, 1}, 4)
	require.Len(t, colours, 4, "also a cluster without nodes")
	assert.NotEqual(t, colours[0], colours[1])
	assert.NotEqual(t, colours[1], colours[2])
	for _, k := range colours {
		assert.Regexp(t, "^#[0-9a-f]{6}$", h.Palette[k])
	}
	assert.Empty(t, h.colours(nil, []int32{0, 1, 2, 1}, 4), "nothing is drawn")
}

func TestLayout(t *testing.T) {
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}}, 3, 2)
	require.NoError(t, err)
	names := []string{"head@0", "hip@0", "foot@0", "head@1", "hip@1", "foot@1"}
	l := newLayout(picture.NewLayout(graph, []int{2, 3}, [][]int{{2}, {0, 1}}, nil, names))
	assert.Equal(t, picture.OnSkeleton, l.Kind)
	assert.Equal(t, []int{3, 2}, []int{l.Rows, l.Columns})
	assert.Equal(t, Ints{2, 5, 0, 3, 1, 4}, l.Cells, "a row for each joint, those of a part together, a column for each frame")
	assert.Equal(t, []string{"foot", "head", "hip"}, l.RowNames)
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}}, l.Bones)

	l = newLayout(picture.NewLayout(graph, []int{2, 3}, nil, nil, nil))
	assert.Equal(t, []any{picture.OnGrid, 2, 3}, []any{l.Kind, l.Rows, l.Columns})

	l = newLayout(picture.NewLayout(graph, nil, nil, []float64{0, 0, 10, 0, 10, 5, 0, 5, 5, 2.5, 0, 0}, nil))
	assert.Equal(t, picture.OnPlane, l.Kind)
	assert.Equal(t, Floats{0, 1, 1, 0, 0.5, 0}, l.X)
	assert.Equal(t, Floats{0.75, 0.75, 0.25, 0.25, 0.5, 0.75}, l.Y, "downwards, in the middle, in the scale of x")
	one, err := affinity.New(1, nil)
	require.NoError(t, err)
	assert.Len(t, newLayout(picture.NewLayout(one, nil, nil, nil, nil)).X, 1)
}

func TestGallery(t *testing.T) {
	samples := func(truth ...int) (all []Sample) {
		for i, k := range truth {
			all = append(all, Sample{Index: i, Truth: k})
		}
		return all
	}
	right, wrong := samples(0, 0, 2), samples(1, 1, 1)
	var truths, indices []int
	for _, s := range gallery(right, wrong, 3) {
		truths, indices = append(truths, s.Truth), append(indices, s.Index)
	}
	assert.Equal(t, []int{0, 0, 1, 1, 1, 2}, truths)
	assert.Equal(t, []int{0, 1, 0, 1, 2, 2}, indices)
	assert.Empty(t, gallery(nil, nil, 3))
	assert.Len(t, gallery(samples(make([]int, 40)...), nil, 2), mostGallery)
}

// A page of 10,000 nodes, six levels and thirty epochs is to stay below 5 MB.
func TestSize(t *testing.T) {
	r := words(t)
	assert.Len(t, r.Hierarchy.Epochs, mostEpochs)
	assert.Equal(t, 30, r.Hierarchy.Known)
	assert.Len(t, r.Hierarchy.Courses, 30)
	assert.Equal(t, 20, r.Hierarchy.Epochs[r.Hierarchy.Shown].Epoch)
	var page bytes.Buffer
	require.NoError(t, Write(&page, r))
	t.Logf("%d bytes", page.Len())
	assert.Less(t, page.Len(), 5_000_000)
}
