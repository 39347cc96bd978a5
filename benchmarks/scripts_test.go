package benchmarks

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// Every script here and among the examples is Python that parses. TestScriptsNameWhatExists in cmd/ccp holds the
// commands in them against the program.
func TestScriptsParse(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	parse := []string{"-c", "import ast, sys\n" +
		"for path in sys.argv[1:]: ast.parse(open(path, encoding='utf-8').read(), path)"}
	for _, pattern := range []string{"*.py", "*/*.py", "../examples/*.py", "../examples/*/*.py"} {
		scripts, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, scripts, pattern)
		parse = append(parse, scripts...)
	}
	output, err := exec.Command(python, parse...).CombinedOutput()
	assert.NoError(t, err, "%s", output)
}

// table.py joins what compare and anchors.py wrote: a later file counts, seeds are averaged, a set without a model of
// ours is left out, ranks are among those that have the set, and means below are of whole columns only.
func TestSuiteTable(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	files := []string{"suite/table.py",
		file("1.csv", "set,model,runs,accuracy,deviation,seconds\nA,ccp,3,50,1.25,3\nA,fc,1,70,0,1\nA,gat,0,0,0,0\n"),
		file("2.csv", "set,model,runs,accuracy,deviation,loss,seconds\n"+
			"A,ccp,3,80,2,.5,5\nB,ccp,3,90,0,.25,7\nB,fc,1,90,0,,1\n"),
		file("anchors.csv", "set,model,seed,accuracy,seconds\nA,svm,,0.8,2\nB,svm,,0.7,4\nB,hydra,1,0.9,2\nB,hydra,2,1,4\n"+
			"C,svm,,1,1\n")}
	output, err := exec.Command(python, files...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Equal(t, `| set | ccp | fc | kernel SVM | HYDRA |
| --- | --- | --- | --- | --- |
| A | **80.0 ± 2.0** | 70.0 | **80.0** |  |
| B | 90.0 ± 0.0 | 90.0 | 70.0 | **95.0 ± 7.1** |
| mean accuracy, 2 sets | 85.0 | 80.0 | 75.0 |  |
| mean log-loss, 2 sets | 0.375 |  |  |  |
| mean rank, 2 sets | 2.00 | 2.75 | 2.75 |  |
| mean seconds, 2 sets | 6 | 1 | 3 |  |
| mean accuracy, 1 set | 90.0 | 90.0 | 70.0 | 95.0 |
| mean log-loss, 1 set | 0.250 |  |  |  |
| mean rank, 1 set | 2.50 | 2.50 | 4.00 | 1.00 |
| mean seconds, 1 set | 7 | 1 | 4 | 3 |
`, string(output))
	published := file("published.csv", "set,model,accuracy,loss\nA,else,0.9,0.5\nB,else,0.8,0.75\n")
	output, err = exec.Command(python, files[0], files[2], published, "--models", "ccp,else").Output()
	require.NoError(t, err)
	assert.Contains(t, string(output), "| mean accuracy, 2 sets | 85.0 | 85.0 |\n")
	assert.Contains(t, string(output), "| mean log-loss, 2 sets | 0.375 | 0.625 |\n")
	assert.Contains(t, string(output), "| mean seconds, 2 sets | 6 |  |\n")
	output, err = exec.Command(python, append(files, "--plain", "--models", "HYDRA,ccp", "--sets", "B")...).Output()
	require.NoError(t, err)
	assert.Contains(t, string(output), "| B | **95.0** | 90.0 |\n")
	output, err = exec.Command(python, append(files, "--models", "ccp,minirocket")...).CombinedOutput()
	require.Error(t, err)
	messagetest.Names(t, string(output), "no model minirocket … ccp, fc … kernel SVM, HYDRA")
	output, err = exec.Command(python, "suite/table.py", file("x.csv", "a,b\n1,2\n")).CombinedOutput()
	require.Error(t, err)
	messagetest.Names(t, string(output), "x.csv … no columns … set, model and accuracy")
}

// make.py says which package holds a set's data.
func TestSuiteNeedsPackage(t *testing.T) {
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		t.Skip("CCP_PYTHON names no Python with numpy")
	}
	if exec.Command(python, "-c", "import aeon").Run() == nil {
		t.Skip("it has the package")
	}
	output, err := exec.Command(python, "suite/make.py", "--out", t.TempDir(), "ArrowHead").CombinedOutput()
	require.Error(t, err)
	messagetest.Names(t, string(output), "no Python package aeon … pip install")
}

// generated.py writes files that need no mending. Noise has no split: the program draws it.
func TestGenerated(t *testing.T) {
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		t.Skip("CCP_PYTHON names no Python with numpy")
	}
	for kind, samples := range map[string][2]int{"waves": {320, 160}, "orders": {300, 180}, "incidents": {100, 300},
		"frequencies": {120, 200}, "regions": {400, 300},
		"wear": {320, 160}, "lengths": {120, 120}, "counts": {3100, 1400}, "factors": {600, 300},
		"moving": {250, 250}, "relations": {400, 400}, "mixing": {240, 240}, "distant": {300, 300},
		"noise": {100, 20}} {
		path := filepath.Join(t.TempDir(), kind+".npz")
		output, err := exec.Command(python, "generated.py", kind, path, "3").CombinedOutput()
		require.NoError(t, err, "%s", output)
		report, err := datasets.CheckNPZ(path, datasets.Options{})
		require.NoError(t, err)
		require.Empty(t, report.Errors, kind)
		assert.Equal(t, samples[:], []int{len(report.Data.Train), len(report.Data.Test)}, kind)
		if kind != "incidents" && kind != "noise" { // 1,500 sensors at 6 time points look as if they were transposed
			assert.Empty(t, report.Warnings, kind)
		}
	}
	output, err := exec.Command(python, "generated.py", "noise", "--baseline").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "none: what ccp prints")
}
