package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/explain"
	"github.com/clusterpool/ccp/datasets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readCSV reads a file of `ccp explain --out` and checks its heading.
func readCSV(t *testing.T, path, heading string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Equal(t, strings.Split(heading, ","), rows[0])
	return rows[1:]
}

const mostNodes = 10 // that are listed of a class

func TestExplain(t *testing.T) {
	dir, out := trained(t), filepath.Join(t.TempDir(), "why")
	line := succeed(t, "explain", "--backend", "go", "--checkpoint", dir, "--samples", "40", "--out", out, "--json")
	var got explain.Summary
	decode(t, line, &got)
	assert.Equal(t, []any{"explain", "digits", "test", 40, "integrated", 10},
		[]any{got.Command, got.Data, got.Split, got.Samples, got.Method, got.Steps})
	assert.Equal(t, 359, got.Of)
	assert.Less(t, got.Gap, 0.01, "integrated gradients are complete")

	// The files agree with what is printed.
	samples, sums := map[string]map[string]bool{}, map[string]float64{}
	for _, row := range readCSV(t, filepath.Join(out, "contributions.csv"),
		"sample,true,predicted,explained,node,name,contribution") {
		assert.Equal(t, row[2], row[3])
		v, err := strconv.ParseFloat(row[6], 64)
		require.NoError(t, err)
		assert.NotZero(t, v)
		if samples[row[3]] == nil {
			samples[row[3]] = map[string]bool{}
		}
		samples[row[3]][row[0]] = true
		sums[row[3]+" "+row[5]] += v
	}
	require.Len(t, got.Classes, len(samples))
	all := 0
	for _, c := range got.Classes {
		require.Len(t, c.Nodes, mostNodes)
		assert.Len(t, samples[c.Name], c.Samples)
		assert.Nil(t, c.Sensors)
		all += c.Samples
		for i, node := range c.Nodes {
			assert.InDelta(t, sums[c.Name+" "+node.Name]/float64(c.Samples), node.Mean, 1e-5)
			assert.LessOrEqual(t, math.Abs(node.Mean), node.Absolute+1e-12)
			assert.LessOrEqual(t, node.Absolute, c.Nodes[max(0, i-1)].Absolute, "most first")
		}
	}
	assert.Equal(t, 40, all)
	rows := readCSV(t, filepath.Join(out, "classes.csv"), "class,samples,node,name,mean,mean_absolute")
	require.Len(t, rows, 64*len(got.Classes))
	assert.Equal(t, []string{got.Classes[0].Name, strconv.Itoa(got.Classes[0].Samples), "9", "row 1 column 1"},
		rows[9][:4])

	code, _, stderr := execute(t, "explain", "--backend", "go", "--checkpoint", dir, "--out", out)
	assert.Equal(t, []any{1, "ccp: " + out + " exists; --overwrite replaces its files\n"}, []any{code, stderr})

	text := succeed(t, "explain", "--backend", "go", "--checkpoint", dir, "--samples", "0", "--method", "gradient",
		"--class", "7", "--split", "validation")
	assert.Regexp(t, `(?s)^digits, validation split: `+
		`18 samples explained by gradient x input\npredicted by the network\ncontributions to the logit of 7: `+
		`.*\n\n7: 18 samples\n  node +mean  mean absolute\n  row \d column \d +[+-]\d`, text)
	assert.Len(t, lines(text), 4+1+2+mostNodes, "four lines of introduction, an empty one, the class and the heading")
}

func TestExplainRefuses(t *testing.T) {
	dir := trained(t)
	for flags, want := range map[string]string{
		"--split some":                 `--split "some" is none of train, validation, test`,
		"--method saliency":            `--method "saliency" is none of integrated, gradient`,
		"--steps -1":                   `--steps "-1" must be at least 0`,
		"--samples -1":                 `--samples "-1" must be at least 0`,
		"--method occlusion --steps 5": "--steps is for --method integrated; leave it out",
		"--method gradient --steps 5":  "--steps is for --method integrated; leave it out",
		"--class ten":                  `--class "ten" is none of ["0" "1"`,
	} {
		code, stdout, stderr := execute(t, append([]string{"explain", "--backend", "go", "--checkpoint", dir},
			strings.Fields(flags)...)...)
		assert.Equal(t, 2, code)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, want)
		assert.Contains(t, stderr, "ccp explain --help")
	}
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o644))
	code, _, stderr := execute(t, "explain", "--backend", "go", "--checkpoint", dir, "--out", blocked)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, blocked)
}

// Real skeletons have their joints and frames, with names.
func TestExplainSkeletons(t *testing.T) {
	data := os.Getenv("CCP_DATA")
	if data == "" {
		t.Skip("CCP_DATA is not set")
	}
	sources, dir := datasets.Names(), filepath.Join(t.TempDir(), "run")
	set := sources[slices.IndexFunc(sources, func(s datasets.Source) bool { return s.Nodes == 40*20 })]
	succeed(t, "train", "--backend", "go", "--data", set.Name, "--data-dir", data, "--model", "softmax", "--epochs", "1",
		"--checkpoint", dir)
	line := succeed(t, "explain", "--backend", "go", "--checkpoint", dir, "--data-dir", data, "--samples", "20", "--json")
	var got explain.Summary
	require.NoError(t, json.Unmarshal([]byte(line), &got))
	assert.InDelta(t, 0, got.Gap, 1e-4, "a linear model")
	require.NotEmpty(t, got.Classes)
	for _, c := range got.Classes {
		assert.Len(t, c.Sensors, 20)
		assert.Len(t, c.Frames, 40)
		assert.Regexp(t, `^[a-z ]+@\d+$`, c.Nodes[0].Name)
		assert.Regexp(t, `^[a-z ]+$`, c.Sensors[0].Name)
	}
	text := succeed(t, "explain", "--backend", "go", "--checkpoint", dir, "--data-dir", data, "--samples", "20")
	assert.Regexp(t, `\n  sensors, mean absolute: [a-z ]+ \d.*\n  frames, mean absolute: \d+ \d`, text)
}
