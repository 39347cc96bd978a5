//go:build cgo

package models_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
)

// A program that links ccp, or opens XLA, has the malloc that it had before: it maps large blocks, and threads have
// heaps. Only KeepMemory changes that, once XLA is open. The command line does not matter.
func TestMallocIsLeftAlone(t *testing.T) {
	if _, err := os.Stat("/lib64/ld-linux-x86-64.so.2"); errors.Is(err, os.ErrNotExist) {
		t.Skip("this is for glibc")
	}
	backendtest.XLA(t)
	program := filepath.Join(t.TempDir(), "linked")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./testdata/linked").CombinedOutput()
	require.NoError(t, err, string(out))
	run := func(mode string, environment ...string) string {
		cmd := exec.Command(program, mode, "train", "--arch", "cifar10")
		cmd.Env = append(os.Environ(), "GOMLX_BACKEND=xla:cpu", "CCP_MALLOC=", "GLIBC_TUNABLES=")
		cmd.Env = append(cmd.Env, environment...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	const untouched, kept = "true true\n", "false true\n"
	assert.Equal(t, untouched, run("link"))
	assert.Equal(t, untouched, run("open"))
	assert.Equal(t, kept, run("keep"))
	assert.Equal(t, untouched, run("keep", "CCP_MALLOC=default"))
	assert.Equal(t, "false false\n", run("one heap"))
	assert.Equal(t, "false false\n", run("one heap", "GLIBC_TUNABLES=glibc.malloc.tcache_count=4"))
	assert.Equal(t, untouched, run("one heap", "CCP_MALLOC=default"))

	plugins := t.TempDir() // Without a plugin, opening the best backend neither installs one nor prints.
	assert.Equal(t, untouched, run("open", "PJRT_PLUGIN_LIBRARY_PATH="+plugins, "GOMLX_BACKEND="))
	entries, err := os.ReadDir(plugins)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
