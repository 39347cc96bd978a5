//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe or a device is no file to replace: it needs no --overwrite, and no report is looked for in it.
func TestOutputIntoAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, overwrite := range []bool{false, true} {
		for _, path := range []string{pipe, "/dev/null"} {
			out := target{path: path, overwrite: overwrite}
			require.NoError(t, out.free())
			require.NoError(t, out.freeReport())
		}
	}
}

// TestOneProcessADirectory starts a second training where one is under way.
func TestOneProcessADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	first := startTraining(t, "go", dir)
	require.True(t, first.readTo("epoch 1/"), first.seen.String())
	require.NoError(t, first.command.Process.Signal(syscall.SIGSTOP))
	second := startTraining(t, "go", dir)
	assert.Equal(t, 1, second.end(t))
	assert.Equal(t, "ccp: another process is training in "+dir+"; wait for it, or choose another --checkpoint\n",
		second.seen.String())
	code, _, stderr := execute(t, append([]string{"train", "--checkpoint", dir, "--overwrite"}, tiny...)...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "another process is training in "+dir)
	require.NoError(t, first.command.Process.Signal(syscall.SIGCONT))
	first.finish(t, dir)
}
