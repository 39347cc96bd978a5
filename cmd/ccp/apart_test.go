package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/npz"
)

// Six sensors of which the last two tell the class, linked in three pairs or not at all: whichever way the hierarchy
// comes about, the training finds them, and no level leaves nodes out.
func TestSensorsApart(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	var table strings.Builder
	table.WriteString("sample,a,b,c,d,e,f,label\n")
	features, labels := make([]float32, 0, 120*6), make([]int64, 120)
	for s := range labels {
		labels[s] = int64(s % 2)
		fmt.Fprintf(&table, "s%d", s)
		for sensor := range 6 {
			v := rng.NormFloat64()
			if sensor > 3 {
				v += float64(4*labels[s] - 2)
			}
			features = append(features, float32(v))
			fmt.Fprintf(&table, ",%.3f", v)
		}
		fmt.Fprintf(&table, ",%d\n", labels[s])
	}
	require.NoError(t, os.WriteFile("readings.csv", []byte(table.String()), 0o644))
	require.NoError(t, os.WriteFile("links.csv", []byte("a,b\nc,d\ne,f\n"), 0o644))
	succeed(t, "data", "import", "readings.csv", "--links", "links.csv", "--out", "pairs.npz")
	require.NoError(t, npz.Write("none.npz", []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{120, 6}, Data: features}},
		{Name: "labels", Array: &npz.Array{Shape: []int{120}, Data: labels}},
		{Name: "edges", Array: &npz.Array{Shape: []int{0, 2}, Data: []int64{}}},
	}))
	for _, data := range []string{"pairs", "none"} {
		for _, plan := range []string{"prepared", "learned"} {
			run := data + "-" + plan
			stdout := succeed(t, "train", "--json", "--backend", "go", "--epochs", "6", "--data", data+".npz",
				"--hierarchy", plan, "--checkpoint", run)
			var result struct {
				Test struct {
					Accuracy float64 `json:"accuracy"`
				} `json:"test"`
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &result))
			assert.Greater(t, result.Test.Accuracy, 0.9, run)
			assert.Contains(t, succeed(t, "clusters", "--backend", "go", "--checkpoint", run), "No level has collapsed.", run)
		}
	}
}
