package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models/study"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A comparison prints a table, keeps it with its runs, and has nothing left to do when it is asked for again.
func TestCompare(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "compared")
	args := []string{"compare", "--backend", "go", "--models", "softmax,tcn", "--seeds", "2", "--epochs", "1",
		"--folder", folder}
	code, stdout, stderr := execute(t, args...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "Models on digits (reduced: 1 epochs, 2 of 4 runs)\n")
	assert.Regexp(t, `(?m)^softmax +\d\d\.\d ± \d+\.\d +2 +650 +1 `, stdout)
	assert.Regexp(t, `(?m)^not run: tcn: model tcn`, stdout, "a model that does not suit the data does not end the others")
	for _, name := range []string{"compare.md", "compare.csv", "compare.json"} {
		assert.FileExists(t, filepath.Join(folder, name))
	}
	assert.Contains(t, stderr, "run 1 of 4: softmax, seed 1, in "+folder)
	assert.Regexp(t, `(?s)^4 trainings in all; a first table comes when each row has run once\nrun 1 of 4.* in \S+s; `+
		`left: softmax about \S+s, tcn \?\n`+
		`.*\n\nModels on digits \(reduced: 1 epochs, 1 of 4 runs\)\n.*\nsoftmax +\d\d\.\d +1 .*\n\nrun 3 of 4.*% in \S+s\n$`, stderr)

	again := succeed(t, append(args, "--json")...)
	var summaries []study.Summary
	require.NoError(t, json.Unmarshal([]byte(again), &summaries))
	require.Len(t, summaries, 1)
	assert.Equal(t, 2, summaries[0].Lines[0].Runs)
	assert.Contains(t, summaries[0].Origin.Command, "ccp compare --backend go")
}

// Several data sets make one table: a row for each, a column for each model that could be run.
func TestCompareSuite(t *testing.T) {
	suite, folder := t.TempDir(), filepath.Join(t.TempDir(), "compared")
	grouped := func(n int) []npz.Named {
		groups := make([]int64, n)
		for i := range groups {
			groups[i] = int64(i / (n / 2))
		}
		return with(ring(n), "groups", groups, n)
	}
	require.NoError(t, npz.Write(filepath.Join(suite, "b.npz"), grouped(80)))
	require.NoError(t, npz.Write(filepath.Join(suite, "Another ring.NPZ"), grouped(120)))
	require.NoError(t, os.WriteFile(filepath.Join(suite, "notes.txt"), nil, 0o644))
	args := []string{"compare", "--backend", "go", "--data", suite + "/", "--models", "softmax,tcn,svm", "--seeds", "1",
		"--epochs", "1", "--folder", folder}
	code, stdout, stderr := execute(t, args...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, "\ntest accuracy, seed 1, on ")
	assert.Regexp(t, `^Models on 2 data sets: \d+ \(reduced: 1 epochs, 4 of 6 runs\)
accuracy % +softmax +svm
Another ring +\d+\.\d +\d+\.\d
b +\d+\.\d +\d+\.\d

mean accuracy +\d+\.\d +\d+\.\d
mean log-loss +\d\.\d+ +\d\.\d+
mean rank +[12]\.\d\d +[12]\.\d\d
sets won +[012] +[012]
training s +\S+ +\S+
parameters +148 +148

not run: tcn on Another ring, b: model tcn needs`, stdout)
	assert.Contains(t, stdout, "kept in "+folder+"/compare.{md,csv,json}\n")
	for _, name := range []string{"compare.md", "compare.csv", "compare.json"} {
		assert.FileExists(t, filepath.Join(folder, name))
	}

	var summaries []study.Summary
	decode(t, succeed(t, append(args, "--json", "--folds", "groups")...), &summaries)
	require.Len(t, summaries, 1)
	suited := summaries[0]
	assert.Equal(t, "a fold for each group", suited.Folds)
	assert.Equal(t, []string{"Another ring", "b"}, suited.Counted)
	assert.Equal(t, 2, suited.Sets[0].Lines[0].Runs, "a group is a fold")
	assert.Equal(t, "2/groups", suited.Sets[0].Lines[0].Each[1].Fold.String())

	// A fold that is trained or evaluated alone is the comparison's.
	ended := suited.Sets[1].Lines[0].Each[1]
	var e evalJSON
	decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", filepath.Join(folder, ended.Folder), "--json"), &e)
	assert.Equal(t, 40, e.Samples)
	assert.InDelta(t, ended.Accuracy, e.Accuracy, 1e-9)
	var alone training.Result
	decode(t, succeed(t, "train", "--backend", "go", "--data", filepath.Join(suite, "b.npz"), "--model", "softmax",
		"--epochs", "1", "--fold", "2/groups", "--checkpoint", filepath.Join(t.TempDir(), "run"), "--json"), &alone)
	assert.InDelta(t, ended.Accuracy, alone.Test.Accuracy, 1e-9)
}

// A study replaces its own tables and nobody else's.
func TestStudiesSpareForeignTables(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"compare.csv", "compare.md", "compare.json", "order-digits.csv"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(`{"name": "mine"}`), 0o644))
		line := []string{"compare", "--models", "softmax"}
		if name == "order-digits.csv" {
			line = []string{"reproduce", "order", "--data", "digits"}
		}
		code, _, stderr := execute(t, append(line, "--folder", folder, "--backend", "go")...)
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, path+" is there, and is no table of ccp; choose another --folder")
		require.NoError(t, os.Remove(path))
	}
	require.NoError(t, study.Summary{Name: "compare", Origin: study.Origin{Command: "ccp"},
		Sets: []study.Summary{{}}}.Write(folder))
	require.NoError(t, study.Free(folder, "compare"))
}

func TestCompareErrors(t *testing.T) {
	empty, data := t.TempDir(), ringFile(t, ring(80))
	for want, args := range map[string][]string{
		"--data: the folder " + empty + " has no .npz file":                  {"--data", empty},
		"--models: name at least one model":                                  {"--models", ""},
		"--data: name at least one data set":                                 {"--data", ""},
		`--folds "1" is neither a number of folds, at least 2, nor "groups"`: {"--folds", "1"},
		"--knn 4: digits has its own graph; leave it out":                    {"--knn", "4"},
		`--folds "five" is neither`:                                          {"--folds", "five"},
		"--folds groups: " + data + ": there are no groups, so that none can be a fold": {"--folds", "groups",
			"--data", data},
	} {
		code, _, stderr := execute(t, append([]string{"compare", "--backend", "go"}, args...)...)
		assert.NotZero(t, code)
		assert.Contains(t, stderr, want)
	}
}

func TestDataSets(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, file := range []string{"a/x.npz", "a/y.npz", "b/x.npz", "digits/z.npz"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, nil, 0o644))
	}
	for _, c := range []struct {
		given, names []string
		about        string
	}{
		{[]string{"digits"}, []string{"digits"}, "digits"},
		{[]string{"digits/"}, []string{"z"}, "digits"},
		{[]string{"a"}, []string{"x", "y"}, "a"},
		{[]string{"a/y.npz", "digits", "a"}, []string{"y", "digits", "x"}, "y and 2 more"},
		{[]string{"a", "b"}, []string{here + "/a/x", "y", here + "/b/x"}, "x and 2 more"},
	} {
		sets, err := dataSets(c.given)
		require.NoError(t, err)
		var names []string
		for _, set := range sets {
			names = append(names, set.name)
		}
		assert.Equal(t, c.names, names)
		assert.Equal(t, c.about, dataAbout(c.given, sets))
	}
	assert.Equal(t, filepath.Join("runs", "compare-x-5-folds"), compareFolder([]string{"x.npz"}, "x", "5"))
	one, other := compareFolder([]string{"x", "y"}, "x and 1 more", ""),
		compareFolder([]string{"x", "z"}, "x and 1 more", "")
	assert.Contains(t, one, "compare-x-and-1-more-")
	assert.NotEqual(t, one, other, "neither replaces the tables of the other")
}

func TestReproduce(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := execute(t, "reproduce", "cross-view", "--backend", "go")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `(?m)^ccp .* 86.8$`, stdout, "the paper's numbers are shown in any case")
	assert.Contains(t, stdout, "get the skeletons of ")
	assert.Contains(t, stderr, " can stand in for it: ccp reproduce cross-view --data ")

	table := succeed(t, "reproduce", "order", "--backend", "go", "--data", "digits", "--seeds", "1", "--epochs", "1",
		"--budget", "1ms")
	assert.Contains(t, table, "on digits in place of the paper's ")
	assert.Contains(t, table, "(reduced: 1 of 36 epochs, 0 of 2 runs)")
	_, err := os.Stat(filepath.Join("runs", "reproduce", "order-digits.csv"))
	assert.NoError(t, err)
}

// Figures are drawn from runs that the tables loss and order share; without all of them some are left out, and said to
// be.
func TestReproduceFigures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "reproduced")
	data := ringFile(t, ring(80))
	args := []string{"reproduce", "figures", "--backend", "go", "--data", data, "--seeds", "1", "--epochs", "1",
		"--folder", folder}
	nothing := succeed(t, append(args, "--budget", "1ms")...)
	assert.Contains(t, nothing, `the course of C: not drawn: no run of "task + C" is finished`)
	succeed(t, "reproduce", "order", "--backend", "go", "--data", data, "--seeds", "1", "--epochs", "1",
		"--folder", folder)
	code, stdout, stderr := execute(t, append(args, "--json")...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "run 2 of 3: task only, seed 1")
	assert.NotContains(t, stderr, "order by rank, seed 1", "the table order has run it")
	assert.NotContains(t, stderr, "task + C, seed 1", "it is the same run")
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
