package datasets

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/npz"
)

// FuzzNPZ reads files whose bytes are mutations of valid ones: whatever loads is a valid data set.
func FuzzNPZ(f *testing.F) {
	texts := path4().with("labels", vectorOf(slices.Repeat([]string{"a", "b"}, 10)...))
	for _, a := range []arrays{
		path4(),
		texts.with("weights", vectorOf(1.0, 2, 3)).with("class_names", vectorOf("b", "a")),
		path4().with("edges", nil).with("coordinates", matrixOf(1, 0.0, 1, 2, 3)).with("split",
			vectorOf(slices.Repeat([]int8{0, 1, 2, 0}, 5)...)),
		path4().with("edges", nil).with("adjacency", matrixOf(4, make([]uint8, 16)...)),
		path4().with("edges", nil).with("indptr", vectorOf[int32](0, 1, 2, 2, 2)).with("indices",
			vectorOf[int32](1, 0)).with("data", vectorOf(1.0, 1)),
	} {
		content, err := os.ReadFile(a.write(f))
		require.NoError(f, err)
		f.Add(content, 0)
	}
	f.Fuzz(func(t *testing.T, content []byte, knn int) {
		path := filepath.Join(t.TempDir(), "a.npz")
		require.NoError(t, os.WriteFile(path, content, 0o644))
		if d, err := Load(t.Context(), path, Options{HoldOut: true, KNN: knn % 8}); err == nil {
			require.NoError(t, d.Validate())
			require.NotEmpty(t, d.Provenance)
		}
	})
}

// FuzzNPZArrays builds well-formed archives of arbitrary values, which mutations of bytes seldom reach: a zip archive
// has checksums.
func FuzzNPZArrays(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []byte{0, 1, 0, 1, 0, 1}, []byte{0, 1}, []byte{1},
		[]byte{0, 0, 1, 2, 2, 0}, uint8(0))
	f.Add([]byte{1, 2, 3, 4}, []byte{0, 1}, []byte{0, 1, 2}, []byte{1, 0}, []byte{}, uint8(1))
	f.Add([]byte{1, 2, 3, 4}, []byte{0, 1}, []byte{0, 1, 1, 0}, []byte{1, 0}, []byte{}, uint8(2))
	f.Fuzz(func(t *testing.T, features, labels, graph, weights, split []byte, form uint8) {
		if len(labels) == 0 || len(features)%len(labels) != 0 || len(graph) > 64 || len(features) > 4096 {
			t.Skip()
		}
		signed := func(values []byte) *npz.Array {
			out := make([]int8, len(values))
			for i, value := range values {
				out[i] = int8(value)
			}
			return vectorOf(out...)
		}
		a := arrays{"features": matrixOf(max(1, len(features)/len(labels)), features...), "labels": signed(labels)}
		if len(split) > 0 {
			a["split"] = signed(split)
		}
		switch form % 4 {
		case 0:
			a["edges"] = &npz.Array{Shape: []int{len(graph) / 2, 2}, Data: signed(graph).Data.([]int8)[:len(graph)/2*2]}
			a["weights"] = signed(weights)
		case 1:
			a["indptr"], a["indices"], a["data"] = signed(graph), signed(weights), signed(weights)
		case 2:
			side := int(math.Sqrt(float64(len(graph))))
			a["adjacency"] = &npz.Array{Shape: []int{side, side}, Data: signed(graph).Data.([]int8)[:side*side]}
		}
		knn := 0
		if form%4 == 3 {
			knn = int(form / 4)
		}
		if d, err := Load(t.Context(), a.write(t), Options{HoldOut: true, KNN: knn}); err == nil {
			require.NoError(t, d.Validate())
			require.NotEmpty(t, d.Provenance)
		}
	})
}
