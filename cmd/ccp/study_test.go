package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/study"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A comparison prints a table, keeps it with its runs, and has nothing left to do when it is asked for again.
func TestCompare(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "compared")
	args := []string{"compare", "--backend", "go", "--models", "softmax,tcn", "--seeds", "2", "--epochs", "1", "--folder", folder}
	code, stdout, stderr := execute(t, args...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "Models on digits (reduced: 1 epochs, 2 of 4 runs)\n")
	assert.Regexp(t, `(?m)^softmax +\d\d\.\d ± \d+\.\d +2 +650 +1 `, stdout)
	assert.Regexp(t, `(?m)^not run: tcn: model tcn`, stdout, "a model that does not suit the data does not end the others")
	for _, name := range []string{"compare.md", "compare.csv", "compare.json"} {
		assert.FileExists(t, filepath.Join(folder, name))
	}
	assert.Contains(t, stderr, "run 1 of 4: softmax, seed 1, in "+folder)

	again := succeed(t, append(args, "--json")...)
	var summaries []study.Summary
	require.NoError(t, json.Unmarshal([]byte(again), &summaries))
	require.Len(t, summaries, 1)
	assert.Equal(t, 2, summaries[0].Lines[0].Runs)
	assert.Contains(t, summaries[0].Origin.Command, "ccp compare --backend go")
}

func TestReproduce(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := execute(t, "reproduce", "ntu", "--backend", "go")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `(?m)^ccp, cross-view .* 86.8$`, stdout, "the paper's numbers are shown in any case")
	assert.Contains(t, stdout, "get the skeletons of NTU RGB+D")
	assert.Contains(t, stderr, "NW-UCLA can stand in for it: ccp reproduce ntu --data nw-ucla")

	job := succeed(t, "reproduce", "loss", "--data", "digits", "--seeds", "2", "--jobs=slurm", "--folder", "shared")
	assert.Contains(t, job, "#SBATCH --array=1-10\n")
	assert.Contains(t, job, "\nexec ccp reproduce loss --data digits --seeds 2 --folder shared\n")
	assert.NoDirExists(t, "shared", "nothing was run")

	table := succeed(t, "reproduce", "order", "--backend", "go", "--data", "digits", "--seeds", "1", "--epochs", "1", "--budget", "1ns")
	assert.Contains(t, table, "on digits in place of the paper's cifar10 (reduced: 1 of 100 epochs, 0 of 2 runs)")
	_, err := os.Stat(filepath.Join("runs", "reproduce", "order-digits.csv"))
	assert.NoError(t, err)
}

// Figures are drawn from runs that the tables loss and order share; without all of them some are left out, and said to be.
func TestReproduceFigures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "reproduced")
	data := ringFile(t, ring(80))
	args := []string{"reproduce", "figures", "--backend", "go", "--data", data, "--seeds", "1", "--epochs", "1", "--folder", folder}
	nothing := succeed(t, append(args, "--budget", "1ns")...)
	assert.Contains(t, nothing, `the course of C: not drawn: no run of "task + C" is finished`)
	succeed(t, "reproduce", "order", "--backend", "go", "--data", data, "--seeds", "1", "--epochs", "1", "--folder", folder)
	code, stdout, stderr := execute(t, append(args, "--json")...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "run 1 of 4: task + C, seed 1")
	assert.NotContains(t, stderr, "order by rank, seed 1", "the table order has run it")
	var summaries []study.Summary
	decode(t, stdout, &summaries)
	require.Len(t, summaries, 1)
	require.Len(t, summaries[0].Figures, 4)
	for _, f := range summaries[0].Figures {
		assert.Len(t, f.Files, 3, f.Name)
		assert.Empty(t, f.Notes)
		for _, file := range f.Files {
			assert.FileExists(t, file)
		}
	}
	again := succeed(t, args...)
	assert.Regexp(t, `(?m)^learning curves by the order of the nodes: .*-order\.\{png,svg,csv\}$`, again)
	kept, err := os.ReadFile(filepath.Join(folder, summaries[0].Name+".md"))
	require.NoError(t, err)
	assert.Contains(t, string(kept), "![the course of C]("+summaries[0].Name+"-objective.png)")
}
