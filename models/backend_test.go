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
// heaps. Only a program that imports internal/heap/keep has one heap. The command line does not matter.
func TestMallocIsLeftAlone(t *testing.T) {
	if _, err := os.Stat("/lib64/ld-linux-x86-64.so.2"); errors.Is(err, os.ErrNotExist) {
		t.Skip("this is for glibc")
	}
	backendtest.XLA(t)
	dir := t.TempDir()
	run := func(tag, mode string, environment ...string) string {
		program := filepath.Join(dir, "linked"+tag)
		out, err := exec.Command("go", "build", "-buildvcs=false", "-tags", tag, "-o", program,
			"./testdata/linked").CombinedOutput()
		require.NoError(t, err, string(out))
		cmd := exec.Command(program, mode, "train", "--arch", "digits")
		cmd.Env = append(os.Environ(), "GOMLX_BACKEND=xla:cpu", "GLIBC_TUNABLES=")
		cmd.Env = append(cmd.Env, environment...)
		out, err = cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	const untouched = "true true\n"
	assert.Equal(t, untouched, run("", "link"))
	assert.Equal(t, untouched, run("", "open"))
	assert.Equal(t, "false false\n", run("heap", "link"))
	assert.Equal(t, "false false\n", run("heap", "open"))

	plugins := t.TempDir() // Without a plugin, opening the best backend neither installs one nor prints.
	assert.Equal(t, untouched, run("", "open", "PJRT_PLUGIN_LIBRARY_PATH="+plugins, "GOMLX_BACKEND="))
	entries, err := os.ReadDir(plugins)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
