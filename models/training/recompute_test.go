package training

import (
	"maps"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Twenty steps in which neighbourhoods are gathered again in the backward pass are those in which they are kept, with
// dropout everywhere it can be and a learned hierarchy; at one level or at all, and on four devices.
func TestRecomputeTrainsTheSame(t *testing.T) {
	graph, err := affinity.Grid(6, 6, 8)
	require.NoError(t, err)
	d := noisyData(graph, 2)
	c := Patch{"data": "noise", "model": "ccp"}
	c["levels"], c["hidden"], c["batch"] = "19x8/9,6x12/4,1x16/4", []int{12}, 16
	with := func(setting string) Patch {
		c := maps.Clone(c)
		only(c, map[string]any{"ccp_dropout": 0.2, "input_dropout": 0.1})
		if setting != "" {
			c[setting] = true
		}
		return c
	}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		want, _ := stepsOn(t, backend, with(""), d, 1, 20)
		for _, run := range []struct {
			setting string
			devices int
		}{{"ccp_recompute", 1}, {"level_1/ccp_recompute", 1}, {"ccp_recompute", 4}} {
			if run.devices > backend.NumDevices() {
				continue
			}
			got, _ := stepsOn(t, backend, with(run.setting), d, run.devices, 20)
			require.Len(t, got, 20)
			for step := range want {
				require.InDeltaSlice(t, want[step], got[step], 1e-5, "%s, %d devices, step %d", run.setting, run.devices, step+1)
			}
		}
	})
}

// The compiler has not undone it: a step of a network with large neighbourhoods needs less than half of the memory
// between its arguments and results.
func TestRecomputeSavesMemory(t *testing.T) {
	c := ringConfig(writeRing(t, 200))
	c["levels"], c["batch"] = "10x64/8,8x64/8", 64
	kept, err := DryRun(t.Context(), backendtest.XLA(t), c, Options{})
	require.NoError(t, err)
	c["ccp_recompute"] = true
	again, err := DryRun(t.Context(), backendtest.XLA(t), c, Options{})
	require.NoError(t, err)
	assert.Less(t, again.Memory.Temporary, kept.Memory.Temporary/2)
	assert.Equal(t, Sized{"level_2's gathered neighbourhoods", "(Float32)[64, 8, 8, 64]", 4 * 64 * 8 * 8 * 64}, kept.Largest[0])
	assert.Contains(t, again.Largest, Sized{"level_2's gathered neighbourhoods, those of a block of clusters", "(Float32)[64, 1, 8, 64]", 4 * 64 * 8 * 64})
}
