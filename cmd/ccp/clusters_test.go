package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type clustersDocument struct {
	Command     string `json:"command"`
	Checkpoint  string `json:"checkpoint"`
	Snapshot    string `json:"snapshot"`
	Data        string `json:"data"`
	Hierarchy   int    `json:"hierarchy"`
	Hierarchies int    `json:"hierarchies"`
	Levels      []struct {
		Level      int      `json:"level"`
		Nodes      int      `json:"nodes"`
		Clusters   int      `json:"clusters"`
		Neighbours int      `json:"neighbours"`
		InUse      int      `json:"in_use"`
		Unselected float64  `json:"unselected"`
		Overlap    float64  `json:"overlap"`
		Entropy    float64  `json:"entropy"`
		Objective  float64  `json:"objective"`
		GateLow    float64  `json:"gate_low"`
		GateHigh   float64  `json:"gate_high"`
		Warnings   []string `json:"warnings"`
	} `json:"levels"`
	Words []struct {
		Level   int      `json:"level"`
		Cluster int      `json:"cluster"`
		Nodes   int      `json:"nodes"`
		Words   []string `json:"words"`
	} `json:"words"`
	Files []string `json:"files"`
}

// columnsOf reads a table as ccp clusters writes it: a list of columns by their names.
func columnsOf(t *testing.T, text []byte) map[string][]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	columns := map[string][]string{}
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			columns[name] = append(columns[name], row[i])
		}
	}
	return columns
}

func TestClusters(t *testing.T) {
	dir, folder := trained(t), filepath.Join(t.TempDir(), "clusters")
	text := succeed(t, "clusters", "--backend", "go", "--checkpoint", dir)
	assert.Regexp(t, `(?m)^digits, best-\d+\n\n  level  nodes  clusters  in use  L  unselected  overlap  entropy +C `+
		`+of +gates\n +1 +64 +4 `, text)
	assert.Regexp(t, `(?m)^warning: level 1: no neighbourhood holds \d+% of its nodes, whose signals are lost; `+
		`its 4 clusters of L=4 have 16 slots only: give it more clusters or a larger L$`, text)

	var c clustersDocument
	decode(t, succeed(t, "clusters", "--backend", "go", "--checkpoint", dir, "--json", "--out", folder), &c)
	require.Len(t, c.Levels, 2)
	assert.Equal(t, "digits", c.Data)
	assert.Equal(t, []int{64, 4, 4, 1},
		[]int{c.Levels[0].Nodes, c.Levels[0].Clusters, c.Levels[1].Nodes, c.Levels[1].Clusters})
	assert.InDelta(t, 0.5, c.Levels[1].Objective, 1e-5, "one cluster holds everything")
	assert.GreaterOrEqual(t, c.Levels[0].Unselected, 0.75)
	assert.Empty(t, c.Words, "pixels have no names")
	require.Len(t, c.Files, 2*6)
	files := map[string][]byte{}
	for _, path := range c.Files {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		files[filepath.Base(path)] = raw
		if strings.HasSuffix(path, ".png") {
			assert.True(t, bytes.HasPrefix(raw, []byte("\x89PNG")), path)
		}
	}
	nodes := columnsOf(t, files["level_1_nodes.csv"])
	require.Len(t, nodes["node"], 64)
	memberships := columnsOf(t, files["level_1_memberships.csv"])
	largest := map[string]float64{}
	for i, node := range memberships["node"] {
		w, err := strconv.ParseFloat(memberships["weight"][i], 64)
		require.NoError(t, err)
		largest[node] = max(largest[node], w)
	}
	for i, node := range nodes["node"] {
		w, err := strconv.ParseFloat(nodes["weight"][i], 64)
		require.NoError(t, err)
		assert.InDelta(t, largest[node], w, 1e-6, "the weight in the cluster that the node is drawn in")
	}
	assert.Len(t, columnsOf(t, files["level_1_neighbourhoods.csv"])["gate"], 16)
	clusters := columnsOf(t, files["level_2_clusters.csv"])
	assert.Equal(t, []string{"64"}, clusters["nodes"])
	assert.Equal(t, []string{"64"}, clusters["mass"])

	code, stdout, stderr := execute(t, "clusters", "--backend", "go", "--checkpoint", dir, "--out", folder)
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Equal(t, "ccp: "+folder+" exists; --overwrite replaces its files\n", stderr)
	assert.Contains(t, succeed(t, "clusters", "--backend", "go", "--checkpoint", dir, "--out", folder, "--overwrite"),
		folder+": 12 files\n")
}

func TestClustersErrors(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	fc := filepath.Join(folder, "fc")
	succeed(t, "train", "--backend", "go", "--checkpoint", fc, "--model", "fc", "--fc", "8", "--epochs", "1")
	begun := trained(t)
	for _, pattern := range []string{"best-*", "last-*"} {
		snapshots, err := filepath.Glob(filepath.Join(begun, pattern))
		require.NoError(t, err)
		for _, path := range snapshots {
			require.NoError(t, os.RemoveAll(path))
		}
	}
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"clusters", 2, "--checkpoint DIR is needed"},
		{"clusters --checkpoint x --out " + file, 1, file + " is not a directory"},
		{"clusters --backend go --checkpoint " + folder, 1, folder + " is not a checkpoint"},
		{"clusters --backend go --checkpoint " + fc, 1, fc + ": model fc has no clusters; only ccp with levels has"},
		{"clusters --backend go --checkpoint " + begun, 1, "no usable snapshot"},
	} {
		t.Run(c.want, func(t *testing.T) {
			code, stdout, stderr := execute(t, strings.Fields(c.line)...)
			assert.Equal(t, c.code, code, stderr)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, c.want)
		})
	}
}

// Several hierarchies are shown one at a time.
func TestClustersOfSeveralHierarchies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--checkpoint", dir, "--hierarchy", "prepared", "--levels", "16x4/9,1x4/4",
		"--fc", "0", "--epochs", "1",
		"--set", "ccp_hierarchies=3", "--set", "ccp_stem=2", "--set", "ccp_blocks=0")
	run := func(more ...string) []string {
		return append([]string{"clusters", "--backend", "go", "--checkpoint", dir}, more...)
	}
	assert.Regexp(t, `^digits, (best|last)-\d+, hierarchy 1 of 3\n`, succeed(t, run()...))
	var documents [3]clustersDocument
	tables := map[string]bool{}
	for i := range documents {
		folder := filepath.Join(t.TempDir(), "out")
		decode(t, succeed(t, run("--json", "--out", folder, "--hierarchy", fmt.Sprint(i+1))...), &documents[i])
		assert.Equal(t, []int{i + 1, 3}, []int{documents[i].Hierarchy, documents[i].Hierarchies})
		table, err := os.ReadFile(filepath.Join(folder, "level_1_nodes.csv"))
		require.NoError(t, err)
		tables[string(table)] = true
	}
	assert.Len(t, tables, 3, "they differ")
	code, _, stderr := execute(t, run("--hierarchy", "4")...)
	assert.Equal(t, 2, code)
	assert.Equal(t, "ccp: --hierarchy 4: "+dir+" has hierarchies 1 to 3\nSee `ccp clusters --help`.\n", stderr)
}

// Words stand for clusters where nodes have names and no grid; the data set gone, numbers do.
func TestClustersOfWords(t *testing.T) {
	folder := t.TempDir()
	data, dir := filepath.Join(folder, "own.npz"), filepath.Join(folder, "run")
	writeOwn(t, data)
	succeed(t, "train", "--backend", "go", "--data", data,
		"--checkpoint", dir, "--hierarchy", "prepared", "--levels", "2x4/3,1x4/2", "--fc", "4", "--epochs", "1")
	text := succeed(t, "clusters", "--backend", "go", "--checkpoint", dir, "--out", filepath.Join(folder, "out"))
	assert.Regexp(t, `(?s)most central nodes of the clusters of level 1\n   0  w\d w\d w\d, of 3\n   1  w\d w\d w\d, of 3\n`, text)
	require.NoError(t, os.Remove(data))
	code, without, stderr := execute(t, "clusters", "--backend", "go", "--checkpoint", dir)
	assert.Zero(t, code)
	assert.Regexp(t, "^nodes are shown without coordinates, if they had any: .*own.npz: no such file", stderr)
	assert.True(t, strings.HasPrefix(text, without), "the checkpoint keeps the names")
}

// writeOwn writes a small data set on a ring of six words.
func writeOwn(t *testing.T, path string) {
	t.Helper()
	const samples, nodes = 40, 6
	features, labels, names := make([]float32, samples*nodes), make([]int32, samples), make([]string, nodes)
	adjacency := make([]float32, nodes*nodes)
	for i := range nodes {
		names[i] = fmt.Sprintf("w%d", i)
		j := (i + 1) % nodes
		adjacency[i*nodes+j], adjacency[j*nodes+i] = 1, 1
	}
	for i := range samples {
		labels[i] = int32(i % 2)
		for j := range nodes {
			features[i*nodes+j] = float32((i*7+j*3)%5) + float32(labels[i]*int32(j))
		}
	}
	require.NoError(t, npz.Write(path, []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{samples, nodes, 1}, Data: features}},
		{Name: "labels", Array: &npz.Array{Shape: []int{samples}, Data: labels}},
		{Name: "adjacency", Array: &npz.Array{Shape: []int{nodes, nodes}, Data: adjacency}},
		{Name: "node_names", Array: &npz.Array{Shape: []int{nodes}, Data: names}},
	}))
}
