package variables

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestRead(t *testing.T) {
	store := backendtest.Store(t, map[string]any{
		"/net/level_1/W":     [][]float32{{1, 2, 3}, {4, 5, 6}},
		"/net/level_1/index": []int32{7, -8},
		"/net/level_2/W":     [][][]float64{{{1}, {2}}, {{3}, {4}}},
		"/alpha":             float32(0.5),
	})
	root := store.RootScope()
	net := root.In("net")
	level := net.In("level_1")

	weights, err := Read[float32](level, "W", 2, 3)
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, weights, "row-major")
	weights[0] = 99
	again, err := Read[float32](level, "W", 2, 3)
	require.NoError(t, err)
	assert.Equal(t, float32(1), again[0], "a copy")

	index, err := Read[int32](level, "index", 2)
	require.NoError(t, err)
	assert.Equal(t, []int32{7, -8}, index)
	cube, err := Read[float64](net.In("level_2"), "W", 2, 2, 1)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2, 3, 4}, cube)
	alpha, err := Read[float32](root, "alpha")
	require.NoError(t, err)
	assert.Equal(t, []float32{0.5}, alpha, "a scalar has no dimensions")
}

func TestReadErrors(t *testing.T) {
	store := backendtest.Store(t, map[string]any{
		"/net/W": [][]float32{{1, 2, 3}, {4, 5, 6}},
		"/net/i": []int64{1},
		"/top":   []float32{1},
	})
	net := store.RootScope().In("net")
	for _, c := range []struct {
		name string
		read func() (any, error)
		want string
	}{
		{"missing", func() (any, error) { return Read[float32](net, "V", 1) }, "/net/V … checkpoint"},
		{"of the scope above", func() (any, error) { return Read[float32](net, "top", 1) },
			"/net/top … checkpoint"},
		{"of the scope below", func() (any, error) { return Read[float32](store.RootScope(), "W", 2, 3) },
			"/W … checkpoint"},
		{"other type", func() (any, error) { return Read[float64](net, "W", 2, 3) },
			"/net/W … (Float32)[2, 3] … (Float64)[2, 3]"},
		{"integers of another width", func() (any, error) { return Read[int32](net, "i", 1) },
			"/net/i … (Int64)[1] … (Int32)[1]"},
		{"other size", func() (any, error) { return Read[float32](net, "W", 2, 4) },
			"/net/W … (Float32)[2, 3] … (Float32)[2, 4]"},
		{"transposed", func() (any, error) { return Read[float32](net, "W", 3, 2) }, "the model needs (Float32)[3, 2]"},
		{"flat", func() (any, error) { return Read[float32](net, "W", 6) }, "the model needs (Float32)[6]"},
		{"scalar", func() (any, error) { return Read[float32](net, "W") }, "the model needs (Float32)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, err := c.read()
			messagetest.Names(t, err, c.want)
			assert.Empty(t, values)
		})
	}
}

func TestReadWithoutAValue(t *testing.T) {
	store := backendtest.Store(t, map[string]any{"/W": []float32{1, 2}})
	store.GetVariable("/W").MustValue().MustFinalizeAll()
	_, err := Read[float32](store.RootScope(), "W", 2)
	require.ErrorContains(t, err, "variable /W: ")
}

func ExampleRead() {
	store := model.NewStore()
	if _, err := store.CreateVariable("/level_1/b", tensors.FromValue([]float32{1, 2})); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(Read[float32](store.RootScope().In("level_1"), "b", 2))
	// Output: [1 2] <nil>
}
