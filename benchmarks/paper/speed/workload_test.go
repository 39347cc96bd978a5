package speed

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The products of the paper's CIFAR-10 network, counted by hand: 2·clusters·L·channels·filters for each level, then the
// dense layers.
func TestFlops(t *testing.T) {
	w, err := New(backendtest.Go(t), "cifar10", "infer-frozen", 1, nil)
	require.NoError(t, err)
	want := 2.0 * (256*16*3*256 + 64*16*256*384 + 16*8*384*512 + 4*8*512*768 + 1*4*768*1024 + 1024*1024 + 1024*10)
	assert.Equal(t, want, w.Flops)
	assert.Equal(t, 1024, w.Spec.Nodes)
	_, err = New(backendtest.Go(t), "cifar100", "train", 1, nil)
	assert.ErrorContains(t, err, `no architecture "cifar100"`)
	_, err = New(backendtest.Go(t), "cifar10", "test", 1, nil)
	assert.ErrorContains(t, err, `no mode "test"`)
}

// The lattice's inner nodes have 16 neighbours. Its network ends in one cluster that sees all that is left. On a
// prepared hierarchy, it trains and classifies.
func TestLattice(t *testing.T) {
	_, m, err := Network("lattice-400")
	require.NoError(t, err)
	inner, _ := m.Row(10*20 + 10)
	assert.Len(t, inner, 16)
	prepared := models.Patch{"ccp_hierarchy": ccp.Prepared}
	for _, mode := range Modes {
		w, err := New(backendtest.Go(t), "lattice-400", mode, 2, prepared)
		require.NoError(t, err, mode)
		assert.Equal(t, 1, w.Spec.Levels[len(w.Spec.Levels)-1].Clusters)
		_, err = w.Step()
		require.NoError(t, err, mode)
	}
}

// Every architecture's network fits its graph, and the graph convolutions have the shapes of their data set.
func TestNetworks(t *testing.T) {
	assert.Len(t, Architectures(), 15)
	for _, arch := range Architectures() {
		spec, graph, err := Network(arch)
		require.NoError(t, err, arch)
		assert.NoError(t, spec.Check(), arch)
		assert.Equal(t, spec.Nodes, graph.N(), arch)
	}
	spec, graph, err := Network("20news-gat")
	require.NoError(t, err)
	assert.Equal(t, "gat", spec.Model)
	assert.Equal(t, []models.Level{{Clusters: 10_000, Filters: 8, Neighbours: 1}}, spec.Levels)
	assert.Equal(t, 118_741, graph.Edges())
	_, _, err = Network("digits-gat")
	messagetest.Names(t, err, `"digits-gat" … digits? … 20news`)
}

// What other implementations read is what ours computes with: shapes, graph, and a step of it.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "digits")
	require.NoError(t, Write(dir, "digits", 3))
	assert.ErrorIs(t, Write(dir, "digits", 3), os.ErrExist)
	text, err := os.ReadFile(filepath.Join(dir, "network.json"))
	require.NoError(t, err)
	var spec models.Spec
	require.NoError(t, json.Unmarshal(text, &spec))
	w, err := New(backendtest.Go(t), "digits", "infer-frozen", 3, nil)
	require.NoError(t, err)
	assert.Equal(t, []any{w.Spec.Levels, w.Spec.Hidden}, []any{spec.Levels, spec.Hidden})
	graph, err := affinity.ReadFS(os.DirFS(dir), "graph.npz")
	require.NoError(t, err)
	assert.Equal(t, 210, graph.Edges())
	file, err := npz.Open(filepath.Join(dir, "signals.npz"))
	require.NoError(t, err)
	defer file.Close()
	signals, err := file.Array("signals")
	require.NoError(t, err)
	assert.Equal(t, []int{4, 3, 64, 1}, signals.Shape)
	labels, err := file.Array("labels")
	require.NoError(t, err)
	assert.Equal(t, []int{4, 3}, labels.Shape)
	_, err = w.Step()
	require.NoError(t, err)
}

// A graph convolution trains too; settings that it does not have are left out.
func TestConvolution(t *testing.T) {
	w, err := New(backendtest.Go(t), "cifar10-gcn", "train", 1, models.Patch{"ccp_dropout": 0.2})
	require.NoError(t, err)
	_, err = w.Step()
	require.NoError(t, err)
}

// XLA's library of products has the gradients of a step: it takes no product along the first axis of both factors, and
// none of bfloat16 that the compiler has made one of float32. The text of the compiled program says so.
func TestGradientsAreProductsOfTheLibrary(t *testing.T) {
	backendtest.XLA(t)
	program := filepath.Join(t.TempDir(), "step")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../../step").CombinedOutput()
	require.NoError(t, err, string(out))
	gradient := regexp.MustCompile(`f32\[\d+,(3072|4096)\]\S* dot\(`) // of a kernel, [filters, L·C], and of neighbourhoods, [batch·K, L·C]
	factors := []string{"float32"}
	if backend.MultipliesBFloat16() {
		factors = append(factors, "bfloat16")
	}
	for _, dtype := range factors {
		dump := t.TempDir()
		cmd := exec.Command(program, "--arch", "cifar10", "--batch", "16", "--steps", "1", "--warmup", "0", "--dtype", dtype)
		cmd.Env = append(os.Environ(), "GOMLX_BACKEND=xla:cpu", "XLA_FLAGS=--xla_dump_to="+dump+" --xla_dump_hlo_as_text")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		dumped, err := filepath.Glob(filepath.Join(dump, "*Trainer*.cpu_after_optimizations.txt"))
		require.NoError(t, err)
		require.Len(t, dumped, 1)
		text, err := os.ReadFile(dumped[0])
		require.NoError(t, err)
		var found int
		for _, computation := range strings.Split(string(text), "\n\n") {
			if !gradient.MatchString(computation) {
				continue
			}
			found++
			assert.NotContains(t, computation, "lhs_contracting_dims={0}")
			assert.Equal(t, dtype == "bfloat16", strings.Contains(computation, "bf16["), computation)
		}
		assert.GreaterOrEqual(t, found, 8, "two of each of the levels 2 to 5")
	}
}
