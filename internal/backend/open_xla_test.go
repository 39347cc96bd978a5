package backend_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/installer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

func TestOpenPrefersXLA(t *testing.T) {
	backendtest.XLA(t) // Installs the plugin, or skips.
	t.Setenv(compute.ConfigEnvVar, "")
	var log bytes.Buffer
	b, info, err := backend.Open(backend.Options{Log: &log})
	require.NoError(t, err)
	defer b.Finalize()
	assert.Contains(t, []string{"xla:cpu", "xla:cuda"}, info.Name)
	assert.FileExists(t, info.Plugin)
	assert.Regexp(t, `^\d+\.\d+$`, info.Version)
	assert.Positive(t, info.Devices)
	if !installer.HasNvidiaGPU() { // With a GPU and no CUDA plugin, a notice says that the GPU is idle.
		assert.Empty(t, log.String())
	}

	t.Run("by path", func(t *testing.T) {
		again, same, err := backend.Open(backend.Options{Name: "xla:" + info.Plugin})
		require.NoError(t, err)
		defer again.Finalize()
		assert.Equal(t, info, same)
	})
	t.Run("wrong option", func(t *testing.T) {
		_, _, err := backend.Open(backend.Options{Name: info.Name + ",no_such_option"})
		require.ErrorContains(t, err, "no_such_option")
	})
}

func TestDoctorTriesXLA(t *testing.T) {
	backendtest.XLA(t)
	t.Setenv(compute.ConfigEnvVar, "")
	r := backend.Doctor(backend.Options{})
	assert.Contains(t, []string{"xla:cpu", "xla:cuda"}, r.Chosen)
	working := map[string]bool{}
	for _, trial := range r.Trials {
		working[trial.Name] = trial.Error == ""
	}
	assert.True(t, working["go"])
	assert.True(t, working[r.Chosen], r)
}

func ExampleOpen() {
	b, info, err := backend.Open(backend.Options{Name: "go"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Finalize()
	fmt.Println(info.Name, info.Devices)
	// Output: go 1
}

func ExampleDoctor() {
	report := backend.Doctor(backend.Options{})
	fmt.Println(report.Trials[0].Name, report.Trials[0].Error == "")
	// Output: go true
}
