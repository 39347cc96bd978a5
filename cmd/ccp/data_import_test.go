package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// No line of what an import prints is wider than the page, its first one neither.
func TestFieldsAreFoldedToTheWidthOfAPage(t *testing.T) {
	field := "  note      " + strings.TrimSpace(strings.Repeat("abcdefg ", 40))
	for _, line := range lines(folded("mine.npz: 3 samples\n" + field + "\n")) {
		assert.LessOrEqual(t, len(line), 98)
	}
}

// Where each class has one recording, no test can be held out, and the last line proposes windows, whose import can be
// trained on.
func TestDataImportOfOneRecordingPerClass(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, class := range []string{"rise", "fall"} {
		require.NoError(t, os.MkdirAll("one/"+class, 0o755))
		var b strings.Builder
		b.WriteString("time,x\n")
		for at := range 100 {
			fmt.Fprintf(&b, "%d,%d\n", at, at*(at+i)%7)
		}
		require.NoError(t, os.WriteFile("one/"+class+"/a.csv", []byte(b.String()), 0o644))
	}
	last := func(printed string) string { return lines(printed)[len(lines(printed))-1] }
	try := last(succeed(t, "data", "import", "one", "--out", "whole.npz"))
	assert.Contains(t, try, "--window")
	assert.NotContains(t, try, "train --data")
	assert.Contains(t, last(succeed(t, "data", "import", "one", "--window", "5s", "--out", "windows.npz")),
		"train --data windows.npz")
}

// An import goes from a folder of the UEA archive to a trained network, with the commands that each step prints.
func TestDataImport(t *testing.T) {
	dir, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	var series strings.Builder
	for i := range 20 {
		fmt.Fprintf(&series, "%d,1,2,3,?,2,1,%d:0,0,1,1,2,2,3,3:rise\n9,8,7,6,5,4,3,%d:0,1,0,1,0,1,0,1:fall\n", i%3, i%5, i%4)
	}
	require.NoError(t, os.MkdirAll("uea/Moves", 0o755))
	for _, half := range []string{"TRAIN", "TEST"} {
		require.NoError(t, os.WriteFile("uea/Moves/Moves_"+half+".ts",
			[]byte("@problemName Moves\n@dimensions 2\n@classLabel true rise fall\n@data\n"+series.String()), 0o644))
	}
	collects := debug.SetGCPercent(100)
	stdout := succeed(t, "data", "import", "uea/Moves")
	assert.Equal(t, 100, debug.SetGCPercent(collects), "as before the command")
	head, try, _ := strings.Cut(stdout, "try: ")
	at, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(dir)) // where the golden files are
	golden(t, "data-import.output", regexp.MustCompile(`\d+ kB`).ReplaceAllString(head, "SIZE"))
	require.NoError(t, os.Chdir(at))
	assert.True(t, strings.HasSuffix(try, " train --data Moves.npz\n"), try)
	assert.Contains(t, succeed(t, "data", "check", "Moves.npz"),
		"the network reads 8 frames, the transforms all 8 time points\n")
	succeed(t, append([]string{"train", "--data", "Moves.npz", "--checkpoint", "run"}, tiny...)...)

	// What was learned has the sensors' names.
	succeed(t, "clusters", "--backend", "go", "--checkpoint", "run", "--out", "clusters")
	nodes, err := os.ReadFile("clusters/level_1_nodes.csv")
	require.NoError(t, err)
	assert.Equal(t, []string{"dim_0@0", "dim_1@0", "dim_0@1", "dim_1@1"}, columnsOf(t, nodes)["name"][:4])
	assert.Regexp(t, `(?s)dim_\d@\d.*\n  sensors, mean absolute: dim_\d \d.*\n  frames, mean absolute: \d \d`,
		succeed(t, "explain", "--backend", "go", "--checkpoint", "run", "--out", "why"))

	code, _, stderr := execute(t, "train", "--data", "uea/Moves")
	assert.Equal(t, 2, code)
	messagetest.Names(t, stderr, ".npz file … ccp data import … uea/Moves")
	code, _, stderr = execute(t, "data", "import", "uea/Moves")
	assert.Equal(t, 1, code)
	messagetest.Names(t, stderr, "ccp: … Moves.npz exists … --overwrite")
	var document struct {
		File    string `json:"file"`
		Samples int    `json:"samples"`
		Classes []struct {
			Name    string `json:"class"`
			Samples int    `json:"samples"`
		} `json:"classes"`
		Sensors    []string `json:"sensors"`
		Timepoints struct {
			Shortest int     `json:"shortest"`
			Median   int     `json:"median"`
			Longest  int     `json:"longest"`
			Rate     float64 `json:"rate"`
		} `json:"timepoints"`
		Channels int    `json:"channels"`
		ReadAs   string `json:"read_as"`
		Filled   struct {
			Values  int `json:"values"`
			Zeros   int `json:"zeros"`
			Means   int `json:"means"`
			Samples int `json:"samples"`
			Of      int `json:"of"`
		} `json:"filled"`
		Links    int      `json:"links"`
		Graph    string   `json:"graph"`
		Training int      `json:"training"`
		Test     int      `json:"test"`
		SplitBy  string   `json:"split_by"`
		Groups   []string `json:"groups"`
		Notes    []string `json:"notes"`
		Bytes    int64    `json:"bytes"`
		Command  string   `json:"command"`
	}
	decode(t, succeed(t, "data", "import", "uea/Moves", "--overwrite", "--out", "four.npz", "--json"), &document)
	assert.Equal(t, []int{80, 8, 40}, []int{document.Samples, document.Timepoints.Longest, document.Filled.Values})

	code, _, stderr = execute(t, "data", "import", "uea")
	assert.Equal(t, 1, code)
	messagetest.Names(t, stderr, "ccp: … "+filepath.Join("uea", "Moves")+" … .ts files … by itself")
}

// Names of classes, samples and files are a stranger's, who may have written escape codes and line breaks into them.
func TestNamesAreNoEscapeCodes(t *testing.T) {
	folder := t.TempDir()
	class := "wa\x1b]0;owned\x07ve\nx\ty"
	table := "sample,x,label\n"
	for i := range 40 {
		table += fmt.Sprintf("s%d,%d,\"%s\"\n", i, i%2, []string{class, "still"}[i%2])
	}
	table += fmt.Sprintf("\"o\x1b[2Jdd\",1,\"%s\"\n", class)
	path, run := write(t, filepath.Join(folder, "r.csv"), table), filepath.Join(folder, "run")
	var printed strings.Builder
	for _, words := range [][]string{{"data", "import", "--out", folder + "/m.npz", path},
		{"data", "check", folder + "/m.npz"},
		{"train", "--data", folder + "/m.npz", "--checkpoint", run, "--backend", "go", "--model", "fc", "--epochs", "1"},
		{"eval", "--backend", "go", "--checkpoint", run, "--split", "all"},
		{"explain", "--backend", "go", "--checkpoint", run}, {"predict", "--backend", "go", "--checkpoint", run,
			write(t, folder+"/n.csv", "sample,x\n\"o\x1b[2Jdd\",5000\n")},
		{"predict", "--backend", "go", "--checkpoint", run, folder + "/no\x1b[2J.csv"},
		{"data", "import", folder + "/no\x1b[2J.csv"}} {
		code, stdout, stderr := execute(t, words...)
		assert.Equal(t, strings.Contains(words[len(words)-1], "\x1b"), code != 0, stderr)
		if words[0] == "predict" && code == 0 {
			assert.Contains(t, stdout, "o\x1b[2Jdd", "off a terminal the table is as the names are")
			stdout = ""
		}
		assert.NotContains(t, stdout+stderr, "\x1b", words)
		assert.NotContains(t, stdout+stderr, "ve\nx", words)
		fmt.Fprint(&printed, words, code, "\n", stdout, stderr)
	}
	assert.Contains(t, printed.String(), "wa\ufffd]0;owned\ufffdve x y")
}
