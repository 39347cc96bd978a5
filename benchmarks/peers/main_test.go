package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/benchmarks/internal/turns"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A * stands for any text; a workload that matches nothing is kept, for its error or as a lattice.
func TestWorkloads(t *testing.T) {
	s := settings{work: "cifar10/train,20news-g*/train,lattice-100/train"}
	assert.Equal(t, []string{"cifar10/train", "20news-gat/train", "20news-gcn/train", "lattice-100/train"}, s.workloads())
}

// Ours comes first; the others are those that have the model and are asked for. The workload is written for them.
func TestContenders(t *testing.T) {
	names := func(work, with string) (names []string) {
		dir := filepath.Join(t.TempDir(), "workload")
		contenders, err := settings{with: with, batch: 1, steps: 1}.contenders(work, "step", dir)
		require.NoError(t, err)
		assert.FileExists(t, filepath.Join(dir, "network.json"))
		for _, c := range contenders {
			names = append(names, c.Name)
		}
		return names
	}
	assert.Equal(t, []string{"ccp", "torch", "jax"}, names("digits/train", "torch,jax,pyg-*"))
	assert.Equal(t, []string{"ccp", "ccp-bfloat16", "torch", "torch-bfloat16", "torch-compiled"}, names("digits/infer-frozen", "ccp-*,torch*"))
	assert.Equal(t, []string{"ccp", "pyg-static", "pyg-blocks", "pyg-sparse"}, names("cifar10-gcn/train", "torch,pyg-*"))
	assert.Equal(t, []string{"ccp", "pyg-blocks"}, names("cifar10-gat/train", "torch,pyg-*"))
	_, err := settings{batch: 1}.contenders("mnist/train", "step", t.TempDir())
	assert.ErrorContains(t, err, `no architecture "mnist"`)
}

// Processes are pinned, the backend is set for ours, the device for others.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nshift 2\necho '{\"versions\": \"'\"$GOMLX_BACKEND $*\"'\"}'\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "taskset"), []byte(script), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	s := settings{python: "python3", with: "jax", cpus: "0", backend: "xla:cuda", batch: 2, steps: 5}
	contenders, err := s.contenders("digits/train", "step", filepath.Join(dir, "w"))
	require.NoError(t, err)
	var printed []turns.Figures
	for _, c := range contenders {
		f, err := c.Measure()
		require.NoError(t, err)
		printed = append(printed, f)
	}
	assert.Equal(t, "xla:cuda step --arch digits --batch 2 --mode train --steps 5 --warmup 3", printed[0].Versions)
	assert.Equal(t, "xla:cuda python3 benchmarks/peers/ccp_jax.py --workload "+filepath.Join(dir, "w")+" --device cuda --mode train --steps 5 --warmup 3", printed[1].Versions)
}
