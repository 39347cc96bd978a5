package training

import (
	"errors"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a step of the ring's network has as arguments and results are its variables, Adam's and the batch, by hand;
// the temporary memory holds at least the gathered neighbourhoods. On two devices each has half a batch.
func TestDryRun(t *testing.T) {
	backend := backendtest.XLA(t)
	c := ringConfig(writeRing(t, 200))
	f, err := DryRun(t.Context(), backend, c, Options{Backend: "xla:cpu"})
	require.NoError(t, err)
	// U, W, b, gates, batch norm: level 1, level 2; hidden layer; classes.
	level1, level2 := 12*4+6*4*3+6+2+12, 4*1+8*3*6+8+2+16
	assert.Equal(t, level1+level2+(8*8+8+16)+(8*4+4), f.Parameters)
	assert.Equal(t, int64(4*(3*f.Parameters+16*12*3)), f.Weights, "weights and Adam's two averages, the batch")
	assert.Equal(t, int64(2*4*(16*4*4*3+12*4+16*1*3*6+4*1)), f.Activations, "gathered neighbourhoods and memberships")
	assert.Equal(t, Sized{"level_1's gathered neighbourhoods", "(Float32)[16, 4, 4, 3]", 4 * 16 * 4 * 4 * 3},
		f.Largest[0])

	c["dtype"] = nn.BFloat16
	c["ccp_hierarchy"] = ccp.Prepared
	two, err := DryRun(t.Context(), backend, c, Options{Devices: 2})
	require.NoError(t, err)
	assert.Less(t, two.Parameters, f.Parameters, "no U")
	assert.Contains(t, two.Largest, Sized{"level_1's gathered neighbourhoods", "(BFloat16)[8, 4, 4, 3]",
		2 * 8 * 4 * 4 * 3})
	assert.Less(t, two.Weights, f.Weights)

	t.Setenv("GOMLX_BACKEND", "go") // what a nil backend then means
	estimate, err := DryRun(t.Context(), nil, ringConfig(c["data"].(string)), Options{})
	require.NoError(t, err)
	assert.Equal(t, []int64{f.Weights, f.Activations}, []int64{estimate.Weights, estimate.Activations})

	fitted, err := DryRun(t.Context(), backend, Patch{"data": c["data"], "model": "bayes"}, Options{})
	require.NoError(t, err)
	assert.True(t, fitted.Fitted)
	assert.Equal(t, "bayes", fitted.Config.Model)
	c["batch"] = 15
	_, err = DryRun(t.Context(), backend, c, Options{Devices: 2})
	messagetest.Option(t, err, "batch", 15, "2 devices … 14 or 16")
}

// small is a backend whose device has too little memory for a training step, which it says when that is compiled.
type small struct{ compute.Backend }

type smallBuilder struct {
	compute.Builder
	name string
}

func (b small) Builder(name string) compute.Builder {
	return smallBuilder{b.Backend.Builder(name), name}
}

func (b smallBuilder) Compile() (compute.Executable, error) {
	if strings.HasPrefix(b.name, "Trainer") {
		return nil, errors.New("PJRT error (code=8): RESOURCE_EXHAUSTED: Out of memory while trying to allocate 123 " +
			"bytes.\nmore")
	}
	return b.Builder.Compile()
}

func TestOutOfMemory(t *testing.T) {
	c := ringConfig(writeRing(t, 200))
	backend, dir := backendtest.Go(t), t.TempDir()
	trainUntil(t, backend, c, dir, 1) // memberships drawn on small would belong to the backend inside
	_, err := Train(t.Context(), small{backend}, c, Options{Dir: dir})
	require.ErrorContains(t, err, "the device has not enough memory for a training step; its largest tensors: "+
		"level_1's gathered neighbourhoods (Float32)[16, 4, 4, 3], 0 MB; ")
	for _, flag := range []string{"smaller batch", "more devices", "dtype=bfloat16", "ccp_hierarchy=prepared",
		"ccp_candidates=4", "levels", "a dry run", "code=8"} {
		require.ErrorContains(t, err, flag)
	}
	assert.NotContains(t, err.Error(), "\n")
	assert.Equal(t, 5, strings.Count(err.Error(), " MB"))
}
