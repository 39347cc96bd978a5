package models

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpecCheck(t *testing.T) {
	good := Spec{Options: DefaultOptions(), Model: "ccp", Levels: derivedLevels(12), Hidden: []int{64},
		Info: signal.Info{Nodes: 12, Channels: 3, ClassNames: make([]string, 4)}}
	require.NoError(t, good.Check())
	for want, change := range map[string]func(s *Spec){
		`there is no model "gnc"; did you mean gcn? There are bayes, ccp, chebyshev, `: func(s *Spec) { s.Model = "gnc" },
		"a classifier needs at least 2 classes, the data has 1": func(s *Spec) {
			s.ClassNames = s.ClassNames[:1]
		},
		"level 1: L=9 exceeds its 8 nodes": func(s *Spec) { s.Nodes = 8 },
		"hidden layer 1: its width is -1":  func(s *Spec) { s.Hidden = []int{-1} },
		"ccp_dropout=1: it must be in [0, 1)": func(s *Spec) {
			s.Options = settings(Patch{"ccp_dropout": 1.0})
		},
	} {
		s := good
		change(&s)
		assert.ErrorContains(t, s.Check(), want)
	}
	assert.Subset(t, Names(), []string{"ccp", "fc", "svm"})
}

// A name belongs to one network, and an option's name means one thing.
func TestRegisterErrors(t *testing.T) {
	type rate struct {
		Rate float64 `param:"test_rate" default:"0.5" rule:"share"`
	}
	for _, name := range []string{"", "ccp"} {
		assert.PanicsWithValue(t, fmt.Sprintf("models: a network cannot be registered as %q: the name is empty or "+
			"taken", name),
			func() { Register(name, Network{}) })
	}
	fields := optionFields
	defer func() {
		delete(registry, "test one")
		delete(registry, "test two")
		optionFields = fields
	}()
	Register("test one", Network{Options: rate{}})
	Register("test two", Network{Options: rate{}})
	for _, wrong := range []any{struct {
		Rate float64 `param:"test_rate" default:"0.4" rule:"share"`
	}{}, struct {
		Rate float32 `param:"test_rate" default:"0.5" rule:"share"`
	}{}, struct {
		Rate float64 `param:"l2" default:"0.0001" rule:"not negative"`
	}{}} {
		assert.Panics(t, func() { Register("test three", Network{Options: wrong}) })
	}
	assert.NotContains(t, Names(), "test three")

	spec := Spec{Model: "test two", Info: signal.Info{Nodes: 1, Channels: 1, ClassNames: make([]string, 2)},
		Options: settings(Patch{"test_rate": 0.1})}
	o := spec.Options
	assert.Equal(t, []rate{{0.1}, {0.5}}, []rate{OptionsOf[rate](o), OptionsOf[rate](DefaultOptions())})
	require.EqualError(t, spec.Put("test_rate", 1), "test_rate=1: it must be in [0, 1)")
	require.NoError(t, spec.Check())
	assert.Equal(t, 0.5, Spec{Model: "test one"}.Values()["test_rate"])
	spec.Model = "ccp"
	require.EqualError(t, spec.Check(), "test_rate: model ccp has no test_rate; only test one and test two has")
}

// A checkpoint of a network that the program does not know says what to import, whatever its options are.
func TestLoadUnregistered(t *testing.T) {
	dir, _ := saveTiny(t, backendtest.Go(t))
	path := filepath.Join(dir, checkpoint.MetadataFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text = bytes.Replace(text, []byte(`"model": "ccp"`), []byte(`"model": "mine"`), 1)
	text = bytes.Replace(text, []byte(`"params": {}`), []byte(`"params": {"mine_rate": 1}`), 1)
	require.NoError(t, os.WriteFile(path, text, 0o644))
	_, err = Load(dir, LoadOptions{})
	require.EqualError(t, err, path+": model mine is not registered in this program: import the package that "+
		"registers it, such as "+
		`_ "github.com/clusterpool/ccp/models/baselines"`)
}

// A service that classifies links neither the baselines nor terminal programs.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "github.com/clusterpool/ccp/ccp\n")
	for _, no := range []string{"ccp/models/baselines", "ccp/datasets\n", "gomlx/ui", "lipgloss"} {
		assert.NotContains(t, string(out), no)
	}
}

// By hand: U, W, b, α, β of two levels, two dense layers, scale and offset of three batch norms.
func TestParameters(t *testing.T) {
	graph, err := affinity.Grid(3, 4, 8)
	require.NoError(t, err)
	s := Spec{Options: DefaultOptions(), Model: "ccp", Levels: mustLevels("4x6/4,1x8/3"), Hidden: []int{10},
		Info: signal.Info{Nodes: 12, Channels: 3, ClassNames: make([]string, 5)}}
	want := 12*4 + 4*3*6 + 6 + 2 + 4*1 + 3*6*8 + 8 + 2 + 8*10 + 10 + 10*5 + 5 + 2*(6+8+10)
	assert.Equal(t, want, parametersOf(s, backendtest.Go(t), graph))
	for _, way := range []ccp.Plan{ccp.Random, ccp.Prepared} {
		s.Options = settings(Patch{"ccp_hierarchy": way})
		assert.Equal(t, want-12*4-4*1, parametersOf(s, backendtest.Go(t), graph), "%s: U does not learn", way)
	}
}

// The paper's networks have the trainable parameters that its description gives; the second figure is without the
// scales and offsets of batch normalisation.
func TestPaperParameters(t *testing.T) {
	backend := backendtest.Go(t)
	grid, err := affinity.Grid(32, 32, 8)
	require.NoError(t, err)
	words, err := affinity.RandomConnected(10_000, 60_000, 1)
	require.NoError(t, err)
	var bones [][2]int // how the joints are joined does not matter here
	for joint := range 24 {
		bones = append(bones, [2]int{joint, joint + 1})
	}
	skeleton, err := affinity.SpaceTime(bones, 25, 80)
	require.NoError(t, err)
	require.Equal(t, 3895, skeleton.Edges())
	for name, c := range map[string]struct {
		graph             *affinity.Matrix
		channels, classes int
		levels            string
		hidden            int
		all, withoutNorm  string
	}{
		"image": {grid, 3, 10, "256x256/16,64x384/16,16x512/8,4x768/8,1x1024/4", 1024, "10.80M", "10.79M"},
		"words": {words, 1, 20, "2048x128/16,512x192/16,128x256/8,32x384/8,4x512/8,1x512/4", 256, "25.94M",
			"25.93M"},
		"skeleton": {skeleton, 6, 60, "512x256/16,128x384/16,32x512/8,8x768/8,1x1024/8", 1024, "14.82M", "14.82M"},
	} {
		s := Spec{Options: DefaultOptions(), Model: "ccp", Levels: mustLevels(c.levels), Hidden: []int{c.hidden},
			Info: signal.Info{Nodes: c.graph.N(), Channels: c.channels, ClassNames: make([]string, c.classes)}}
		require.NoError(t, s.Check())
		normalisation := 0
		for _, level := range s.Levels {
			normalisation += 2 * level.Filters
		}
		for _, width := range s.Hidden {
			normalisation += 2 * width
		}
		n := parametersOf(s, backend, c.graph)
		assert.Equal(t, c.all, fmt.Sprintf("%.2fM", float64(n)/1e6), name)
		assert.Equal(t, c.withoutNorm, fmt.Sprintf("%.2fM", float64(n-normalisation)/1e6), name)
	}
}

// signals are `n` random signals of a spec's shape.
func signals(s Spec, n int, seed uint64) [][]float32 {
	return backendtest.Signals(n, s.Nodes*s.Channels, seed)
}
