package networks

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Networks that only tests have: less deep or long.
func init() {
	for name, n := range map[string]models.Network{
		"resnet of 8":   {Build: resNet(8), Check: checkGrid, Lacks: []string{"readout_dropout"}},
		"resnet of 110": {Build: resNet(110), Check: checkGrid, Lacks: []string{"readout_dropout"}},
		"p-lstm of 3":   {Build: partAwareLSTM(3), Check: checkBody}, // as the reference's recordings are divided
	} {
		models.Register(name, n)
	}
}

// gridSpecs are small ones of the networks on grids, those of testdata/grids.py.
func gridSpecs() map[string]models.Spec {
	image := models.Spec{Options: models.DefaultOptions(),
		Info: signal.Info{Nodes: 42, Channels: 2, ClassNames: make([]string, 3), Grid: []int{7, 6}}}
	cnn, resnet := image, image
	cnn.Model, resnet.Model = "cnn", "resnet of 8"
	return map[string]models.Spec{"cnn": cnn, "resnet": resnet,
		"tcn": {Options: models.DefaultOptions(),
			Model: "tcn", Info: signal.Info{Nodes: 36, Channels: 2, ClassNames: make([]string, 3), Grid: []int{9, 4},
				Parts: [][]int{{0, 1}, {2, 3}}}},
		"p-lstm": {Options: models.DefaultOptions(),
			Model: "p-lstm", Info: signal.Info{Nodes: 28, Channels: 2, ClassNames: make([]string, 3), Grid: []int{7, 4},
				Parts: [][]int{{0, 2}, {1}, {3}}}}}
}

// bodySpecs are small ones of the networks of bodies, those of testdata/skeletons.py, whose graph is bodyGraph's.
func bodySpecs() map[string]models.Spec {
	specs := map[string]models.Spec{}
	for _, name := range []string{"hbrnn-l", "st-lstm", "stgc", "tgcnn", "c-cnn", "lie-group"} {
		s := models.Spec{Options: models.DefaultOptions(),
			Model: name, Info: signal.Info{Nodes: 45, Channels: 3, ClassNames: make([]string, 3), Grid: []int{9, 5},
				Parts: [][]int{{0, 1}, {2}, {3, 4}}, Bodies: 1}}
		s.Options.Own = models.Patch{}
		for _, size := range []string{"segments", "units"} {
			if s.Values()[size] != nil {
				s.Options.Own[size] = 4
			}
		}
		specs[name] = s
	}
	return specs
}

// bodyGraph is that of a body's joints in frame after frame.
func bodyGraph(t *testing.T, s models.Spec) *affinity.Matrix {
	t.Helper()
	if s.Parts == nil {
		return nil
	}
	var bones [][2]int
	for _, b := range [][2]int{{0, 1}, {1, 2}, {1, 3}, {3, 4}} {
		if b[1] < s.Grid[1] {
			bones = append(bones, b)
		}
	}
	graph, err := affinity.SpaceTime(bones, s.Grid[1], s.Grid[0])
	require.NoError(t, err)
	return graph
}

// networksOfGrids are gridSpecs and bodySpecs.
func networksOfGrids() map[string]models.Spec {
	specs := gridSpecs()
	maps.Copy(specs, bodySpecs())
	return specs
}

// made are the values of a variable by its name, as testdata/grids.py makes them.
func made(name string, n int, scale, offset float64) []float64 {
	values, start := make([]float64, n), 0
	for _, c := range []byte(name) {
		start += int(c)
	}
	for j := range values {
		i := float64(j)
		values[j] = offset + scale*math.Sin(float64(start)+0.01*i*i+i)
	}
	return values
}

// reform gives all variables of a network their made values.
func reform(t *testing.T, store *model.Store) {
	t.Helper()
	for v := range store.IterVariables() {
		name, found := strings.CutPrefix(v.Path(), "/model/")
		if !found || !variables.IsWeight(v) {
			continue
		}
		scale, offset, dims := 0.3, 0.0, v.Shape().Dimensions
		switch v.Name() {
		case "scale", "variance":
			offset = 1
		case "W":
			scale = math.Sqrt(float64(dims[len(dims)-1]) / float64(v.Shape().Size()))
		}
		require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(made(name, v.Shape().Size(), scale, offset),
			dims...)))
	}
}

// Logits, and the gradients of all variables, are those that PyTorch computes.
func TestGridsReference(t *testing.T) {
	var reference map[string]struct {
		Logits    [][]float64
		Gradients map[string]float64
	}
	for _, file := range []string{"testdata/grids.json", "testdata/skeletons.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &reference))
	}
	for name, s := range networksOfGrids() {
		t.Run(name, func(t *testing.T) {
			if name == "p-lstm" {
				s.Model = "p-lstm of 3"
			}
			s.Options.L2 = 0
			require.NoError(t, s.Check())
			want, topology := reference[name], models.Topology{Matrix: bodyGraph(t, s)}
			backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
				store := s.NewStore(1)
				x := tensors.FromFlatDataAndDimensions(made("x", 2*s.Nodes*s.Channels, 1, 0), 2, s.Nodes, s.Channels)
				_, err := model.CallOnce(backend, store, func(scope *model.Scope, x *Node) *Node {
					return s.Build(scope, topology, x)
				}, x)
				require.NoError(t, err)
				reform(t, store)
				var names []string
				out, err := model.CallOnceN(backend, store, func(scope *model.Scope, x *Node) []*Node {
					logits := s.Build(scope, topology, x)
					var weights []*Node
					names = nil
					for v := range store.IterVariables() {
						if v.Trainable && variables.IsWeight(v) {
							names = append(names, strings.TrimPrefix(v.Path(), "/model/"))
							weights = append(weights, v.NodeValue(x.Graph()))
						}
					}
					results := []*Node{logits}
					for _, d := range Gradient(ReduceAllSum(Square(logits)), weights...) {
						d = Reshape(d, d.Shape().Size())
						results = append(results, ReduceAllSum(Mul(d, Sin(Iota(x.Graph(), d.Shape(), 0)))))
					}
					return results
				}, x)
				require.NoError(t, err)
				for i, row := range out[0].Value().([][]float64) {
					assert.InDeltaSlice(t, want.Logits[i], row, 1e-9)
				}
				assert.Len(t, want.Gradients, len(names), "one for each variable")
				for i, name := range names {
					require.Contains(t, want.Gradients, name)
					assert.InDelta(t, want.Gradients[name], out[i+1].Value().(float64), 1e-8*(1+math.Abs(want.Gradients[name])), name)
				}
			})
		})
	}
}

// A sample's scores do not depend on the others of its batch, and a training step's gradients are finite.
func TestGridsBatchesAndGradients(t *testing.T) {
	for name, s := range networksOfGrids() {
		t.Run(name, func(t *testing.T) {
			// XLA takes seconds to compile a network; what is drawn in training must work there.
			onBackends(t, name == "cnn" || name == "p-lstm" || name == "st-lstm", func(t *testing.T, backend compute.Backend) {
				graph := bodyGraph(t, s)
				store := drawn(t, backend, s, graph)
				batch := signals(s, 3, 7)
				all := logitsOf(t, backend, s, store, graph, batch)
				assert.InDeltaSlice(t, all[2], logitsOf(t, backend, s, store, graph, batch[2:])[0], 1e-5)
				batch[1] = make([]float32, len(batch[1])) // an empty image, a body that is not there
				var flat []float32
				for _, x := range batch {
					flat = append(flat, x...)
				}
				out, err := model.CallOnceN(backend, store, func(scope *model.Scope, x *Node) []*Node {
					store.SetTraining(x.Graph(), true)
					loss := ReduceAllSum(Square(s.Build(scope, models.Topology{Matrix: graph}, x)))
					var finite []*Node
					weights := []*Node{x}
					for v := range store.IterVariables() {
						if v.Trainable && variables.IsWeight(v) {
							weights = append(weights, v.NodeValue(x.Graph()))
						}
					}
					for _, d := range Gradient(loss, weights...) {
						finite = append(finite, LogicalAll(IsFinite(d)))
					}
					return finite
				}, tensors.FromFlatDataAndDimensions(flat, 3, s.Nodes, s.Channels))
				require.NoError(t, err)
				for _, finite := range out {
					assert.True(t, finite.Value().(bool))
				}
			})
		})
	}
}

// By hand: weights without the biases that batch norm makes useless, batch norm's scale and offset, the class layer.
func TestGridsParameters(t *testing.T) {
	cifar := models.Spec{Options: models.DefaultOptions(),
		Info: signal.Info{Nodes: 1024, Channels: 3, ClassNames: make([]string, 10), Grid: []int{32, 32}}}
	body := models.Spec{Options: models.DefaultOptions(),
		Info: signal.Info{Nodes: 800, Channels: 9, ClassNames: make([]string, 10), Grid: []int{40, 20},
			Parts: [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}, {16, 17, 18, 19}}, Bodies: 1}}
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {4, 5}, {5, 6}, {6, 7}, {2, 8}, {8, 9},
		{9, 10}, {10, 11}, {0, 12}, {12, 13}, {13, 14}, {14, 15}, {0, 16}, {16, 17}, {17, 18}, {18, 19}}, 20, 40)
	require.NoError(t, err)
	for _, c := range []struct {
		model string
		spec  models.Spec
		want  int
	}{
		{"cnn", cifar, 25*3*64 + 2*25*64*64 + 3*(64+2*64) + 4*4*64*10 + 10},
		{"resnet", cifar, 269_722},
		{"resnet of 110", cifar, 1_727_962},
		{"tcn", body, 8*180*64 + 3*(8*64+2)*64 + (64*8+64)*128 + 2*64 +
			2*(128*8+2)*128 + (128*8+128)*256 + 2*128 + 2*(256*8+2)*256 + 2*256 + 2570},
		{"p-lstm", body, 5*36*150 + 180*250 + 5*50*150 + 250*250 + 2*(250*1000+1000) + 2510},
		{"hbrnn-l", body, 5*(36+1)*60 + 10*30*30 + 4*(120+1)*120 +
			8*60*60 + 2*(240+1)*120 + 4*60*60 + 2*(240*320+80*320+320) + 1610},
		{"st-lstm", body, 9*384 + 128*384 + 320 + 64*384 + 128*384 + 320 + 650},
		{"stgc", body, (27+192)*64 + 64 + 2*192*64 + 64 + 20*64*10 + 10},
		{"tgcnn", body, 9*64 + 3*64*64 + 64 + 2 + 5*64*10 + 10},
		{"c-cnn", body, 9*16 + 9*16*32 + 9*32*64 + 2*(16+32+64) + 3*3*64*512 + 512 + 5130},
		{"lie-group", body, 10*(7*10*19*18*5) + 10},
	} {
		s := c.spec
		s.Model = c.model
		require.NoError(t, s.Check())
		assert.Equal(t, c.want, parameters(t, s, graph), c.model)
	}
}

func TestGridsCheck(t *testing.T) {
	for want, change := range map[string]func(s *models.Spec){
		"cnn … needs … grid … none": func(s *models.Spec) {
			s.Model, s.Grid = "cnn", nil
		},
		"resnet … [7 5] … 42 nodes": func(s *models.Spec) {
			s.Model, s.Grid = "resnet", []int{7, 5}
		},
		"resnet … [42]": func(s *models.Spec) {
			s.Model, s.Grid = "resnet", []int{42}
		},
		"readout_dropout … tcn": func(s *models.Spec) {
			s.Model, s.Options.ReadoutDropout = "tcn", 0.4
		},
		"tcn … joints … nw-ucla … array parts": func(s *models.Spec) {
			s.Model, s.Parts = "tcn", nil
		},
		"p-lstm … needs … grid": func(s *models.Spec) {
			s.Grid = nil
		},
		"p-lstm … part 1 … joint 6 … 0 to 5": func(s *models.Spec) {
			s.Parts = [][]int{{0}, {1, 6}}
		},
		"p-lstm … part 0 … no joints": func(s *models.Spec) {
			s.Parts = [][]int{{}, {1}}
		},
		"c-cnn … x, y and z … 2 channels … 0 bodies": func(s *models.Spec) {
			s.Model = "c-cnn"
		},
		"lie-group … x, y and z … 5 channels … 2 bodies": func(s *models.Spec) {
			s.Model, s.Bodies, s.Channels = "lie-group", 2, 5
		},
		"units … hbrnn-l … st-lstm … stgc … tgcnn": func(s *models.Spec) {
			s.Model, s.Options.Own = "hbrnn-l", models.Patch{"units": 5}
		},
		"readout_dropout … lie-group": func(s *models.Spec) {
			s.Model, s.Channels, s.Bodies, s.Options.ReadoutDropout = "lie-group", 3, 1, 0.4
		},
		"levels … p-lstm … leave them out": func(s *models.Spec) { s.Levels = mustLevels("1x2/3") },
	} {
		s := models.Spec{Options: models.DefaultOptions(),
			Model: "p-lstm", Info: signal.Info{Nodes: 42, Channels: 2, ClassNames: make([]string, 3), Grid: []int{7, 6},
				Parts: [][]int{{0, 1}, {2, 3, 4, 5}}}}
		require.NoError(t, s.Check())
		change(&s)
		messagetest.Names(t, s.Check(), want)
	}
}

// The smallest grid and body that there can be: bones lie to each other where there are two. Their shapes do not depend
// on the backend.
func TestGridsOfOne(t *testing.T) {
	for name, s := range networksOfGrids() {
		s.Nodes, s.Grid = 1, []int{1, 1}
		if s.Parts != nil {
			s.Parts = [][]int{{0}}
		}
		if name == "lie-group" {
			s.Nodes, s.Grid, s.Parts = 3, []int{1, 3}, [][]int{{0, 1, 2}}
		}
		require.NoError(t, s.Check())
		backend, graph := backendtest.Go(t), bodyGraph(t, s)
		for _, logit := range logitsOf(t, backend, s, drawn(t, backend, s, graph), graph, signals(s, 2, 1))[1] {
			assert.False(t, math.IsNaN(float64(logit)), name)
		}
	}
}

// In training such a network gives all predictions, elsewhere one.
func TestPredictionsInTraining(t *testing.T) {
	backend := backendtest.Go(t)
	for name, predictions := range map[string]int{"st-lstm": 36, "c-cnn": 2} {
		s := bodySpecs()[name]
		graph := bodyGraph(t, s)
		store := drawn(t, backend, s, graph)
		for _, training := range []bool{true, false} {
			out, err := model.CallOnce(backend, store, func(scope *model.Scope, x *Node) *Node {
				store.SetTraining(x.Graph(), training)
				return s.Build(scope, models.Topology{Matrix: graph}, x)
			}, tensors.FromFlatDataAndDimensions(signals(s, 1, 3)[0], 1, s.Nodes, s.Channels))
			require.NoError(t, err)
			want := []int{1, 3}
			if training {
				want = []int{1, predictions, 3}
			}
			assert.Equal(t, want, out.Shape().Dimensions, name)
		}
	}
}

// A graph without enough bones is refused.
func TestCheckGraph(t *testing.T) {
	s := bodySpecs()["lie-group"]
	single, err := affinity.SpaceTime([][2]int{{0, 1}}, 5, 9)
	require.NoError(t, err)
	messagetest.Names(t, s.Network().Check(s, single), "lie-group … bones … 1 edges … 5 joints")
	require.NoError(t, s.Network().Check(s, bodyGraph(t, s)))
}
