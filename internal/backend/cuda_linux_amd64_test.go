package backend

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/installer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// On a machine with a GPU, XLA installs and opens the CUDA plugin in go-xla's folder nvidia. The toy plugin cannot be
// loaded, so XLA for the CPU is next, with a notice.
func TestOpenInstallsAndFindsCUDA(t *testing.T) {
	library := tinyLibrary(t)
	home, gpu, install := t.TempDir(), installer.HasNvidiaGPU, installCUDA
	t.Cleanup(func() { installer.HasNvidiaGPU, installCUDA = gpu, install })
	require.NotNil(t, installCUDA)
	t.Setenv("HOME", home)
	t.Setenv(pluginDirsEnv, "")
	t.Setenv("LD_LIBRARY_PATH", "")
	t.Setenv(compute.ConfigEnvVar, "")
	installer.HasNvidiaGPU = func() bool { return true }
	installs := 0
	plugin := filepath.Join(home, ".local", "lib", "go-xla", "nvidia", "pjrt_c_api_cuda_plugin.so")
	installCUDA = func(dir string) error {
		installs++
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "nvidia"), 0o755))
		return os.WriteFile(filepath.Join(dir, "nvidia", filepath.Base(plugin)), library, 0o755)
	}
	var log syncLog
	op := newOpener(Options{Install: true, Log: &log})
	op.offline = false // Whatever the environment says.
	for range 2 {
		_, _, err := op.openKind("cuda", "")
		require.ErrorContains(t, err, plugin, "it is found and opened")
	}
	assert.Equal(t, 1, installs)
	messagetest.Names(t, log.String(), "installing XLA for CUDA … once")
	messagetest.Names(t, log.String(), "installed XLA for CUDA")

	op.offline = true
	_, _, err := op.openXLA("")
	messagetest.Names(t, err, `no XLA plugin "cpu" … only cuda … downloads are off`)
	assert.Contains(t, log.String(), "the GPU stays idle: ")

	r := Doctor(Options{})
	assert.Len(t, r.Trials, 2)
	assert.Equal(t, "xla:"+plugin, r.Trials[1].Config)
	assert.Equal(t, "go", r.Chosen)

	t.Setenv(pluginDirsEnv, t.TempDir())
	require.ErrorContains(t, installPlugin(op, "cuda"), pluginDirsEnv+" points elsewhere; unset it")
}
