package training

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/layers/kan"
	"github.com/gomlx/gomlx/ml/layers/lstm"
	"github.com/gomlx/gomlx/ml/layers/norm"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

// partsOptions say of which layers a registered network consists, and in which scopes, one after the other.
type partsOptions struct {
	Parts string `param:"test_parts" default:"dense"`
	Wide  bool   `param:"test_wide"` // computes levels in float64
	At    string `param:"test_at" default:"a"`
}

// The registered networks of the tests: layers of GoMLX's and of ours, in scopes of any name. The second has levels,
// too.
const (
	partsNetwork  = "test parts"
	levelsNetwork = "test levels"
)

func init() {
	models.Register(partsNetwork, models.Network{Options: partsOptions{},
		Build: func(scope *model.Scope, spec models.Spec, _ models.Topology,
			x *Node) *Node {
			return partsOf(scope, spec, x)
		}})
	models.Register(levelsNetwork, models.Network{Options: partsOptions{}, Clusters: true,
		Build: func(scope *model.Scope, spec models.Spec,
			topology models.Topology, x *Node) *Node {
			o := models.OptionsOf[partsOptions](spec.Options)
			if o.Wide {
				x = ConvertDType(x, dtypes.Float64)
			}
			a := topology.Affinity(scope, x)
			first, _, _ := strings.Cut(o.At, ",")
			x, a = ccp.New(scope.In("levels").In("%s", first), x, a, 4, 6).Neighbours(4).Done()
			x, a = ccp.New(scope.In("tables of levels"), x, a, 1, 8).Neighbours(3).Done()
			// the hierarchies side by side are samples of their own
			return a.Mean(partsOf(scope, spec, Reshape(x, -1, 1, 8)))
		}})
}

// partsOf builds the layers that partsOptions name. signal: `[batch, nodes, channels]`.
func partsOf(scope *model.Scope, spec models.Spec, x *Node) *Node {
	o := models.OptionsOf[partsOptions](spec.Options)
	at := strings.Split(o.At, ",")
	for i, part := range strings.Split(o.Parts, ",") {
		x = partOf(part, scope.In("%s", at[i]), x)
	}
	x = Reshape(x, x.Shape().Dim(0), -1)
	return layers.Dense(scope.In("last of all"), x, true, spec.Classes())
}

// partNames are the layers that partOf can build.
var partNames = []string{"dense", "dropout", "noise", "batchnorm", "layernorm", "fnn", "kan", "lstm", "attention",
	"conv", "droppath", "own",
	"wide", "single"}

// partOf builds a layer. x: `[batch, rows, features]`, the result has as many rows.
func partOf(part string, scope *model.Scope, x *Node) *Node {
	g, training := x.Graph(), scope.IsTraining(x.Graph())
	switch part {
	case "wide":
		return ConvertDType(x, dtypes.Float64)
	case "single":
		return ConvertDType(x, dtypes.Float32)
	case "dense":
		return activation.Relu(layers.Dense(scope, x, true, 5))
	case "dropout":
		return layers.DropoutStatic(scope, x, 0.3)
	case "noise":
		if training {
			x = Add(x, MulScalar(scope.RandomNormal(g, x.Shape()), 0.1))
		}
		return x
	case "batchnorm":
		return norm.BatchNorm(scope, x, -1).UseBackendInference(false).Done()
	case "layernorm":
		return norm.LayerNorm(scope, x, -1).Done()
	case "fnn":
		return fnn.New(scope, x, 4).NumHiddenLayers(1, 6).Dropout(0.2).Done()
	case "kan":
		flat := Reshape(x, -1, x.Shape().Dim(2))
		return Reshape(kan.New(scope, flat, 4).Done(), x.Shape().Dim(0), x.Shape().Dim(1), 4)
	case "lstm":
		all, _, _ := lstm.New(scope, x, 3).Done() // [rows, directions, batch, hidden]
		return TransposeAllDims(Reshape(all, x.Shape().Dim(1), x.Shape().Dim(0), 3), 1, 0, 2)
	case "attention":
		return attention.SelfAttention(scope, x, 2, 3).WithDropout(Scalar(g, x.DType(), 0.2)).Done()
	case "conv":
		return layers.Convolution(scope, x).Channels(4).KernelSize(3).PadSame().Done()
	case "droppath":
		return layers.DropPath(scope, x, Scalar(g, x.DType(), 0.2))
	case "own":
		flat := nn.DenseNorm(scope.In("dense"), Reshape(x, -1, x.Shape().Dim(2)), 5, 1)
		return Reshape(nn.Dropout(scope, nn.ELU(flat), 0.2), x.Shape().Dim(0), x.Shape().Dim(1), 5)
	}
	panic("no part is called " + part)
}

// anyScopes are names of scopes that a network may have, those of our own variables and of GoMLX's among them.
var anyScopes = []string{"graph", "tables", "model", "average", "transforms", "input", "level_1", "batch_norm",
	"hierarchy", "optimizers",
	"AdamOptimizer", "global_step", "#rngState", "U", "W", "frozen_rank", "a b", "Schicht 1", "weights", "dense",
	"classes", "made", "%d"}

// chanceConfig draws a training on a ring.
func chanceConfig(r *rand.Rand, data string) Patch {
	pick := func(values ...any) any { return values[r.IntN(len(values))] }
	c := Patch{"data": data, "epochs": 2, "batch": pick(16, 32), "learning_rate": 0.02,
		"schedule": pick("cosine", "one-cycle", "constant"),
		"average":  pick(0, 0.9), "keep": pick("best", "last"), "seed": r.IntN(5), "weight_decay": pick(0, 0.01),
		"label_smoothing": pick(0, 0.1), "input_dropout": pick(0, 0.2), "recipe": PaperRecipe}
	switch kind := r.IntN(5); {
	case kind < 3:
		c["model"] = partsNetwork
	case kind == 3:
		c["model"] = levelsNetwork
	default:
		c["model"], c["levels"], c["hidden"] = "ccp", "4x6/4,1x8/3", []int{8}
		c["ccp_stem"], c["ccp_blocks"] = pick(0, 4), pick("0", "0,1")
		c["ccp_dropout"], c["dtype"] = pick(0, 0.1), pick("float32", "float32", "bfloat16")
		c["ccp_readout"] = pick("last", "levels")
	}
	if c["model"] != partsNetwork {
		c["ccp_hierarchy"], c["ccp_hierarchies"] = pick("learned", "prepared", "random", "task-only",
			"objective-only"), pick(1, 2)
		c["ccp_slots"], c["ccp_padding"] = pick("rank", "directed", "random"), pick("nodes", "zeros")
	}
	if c["model"] != "ccp" {
		var parts, at []string
		for _, i := range r.Perm(len(anyScopes))[:1+r.IntN(4)] {
			parts, at = append(parts, partNames[r.IntN(len(partNames))]), append(at, anyScopes[i])
		}
		if c["model"] == levelsNetwork {
			c["test_wide"] = pick(true, false)
		}
		c["test_parts"], c["test_at"] = strings.Join(parts, ","), strings.Join(at, ",")
	}
	return c
}

// Whatever a network consists of, and whatever its scopes are called, a training that was cancelled at any steps ends
// as one that never was: every variable bit for bit, and the result. What is loaded then predicts as the result says.
// CCP_RESUMES sets how many trainings are drawn.
func TestResumeOfChance(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	backend, count := backendtest.Go(t), 12
	if text := os.Getenv("CCP_RESUMES"); text != "" {
		var err error
		count, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	path := writeRing(t, 120)
	for i := range count {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := rand.New(rand.NewPCG(88, uint64(i)))
			c := chanceConfig(r, path)
			whole, parts := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
			result, err := Train(t.Context(), backend, c, Options{Dir: whole})
			if err != nil && strings.Contains(err.Error(), "use ccp_hierarchies=1") {
				t.Skip(err)
			}
			require.NoError(t, err, "%v", c)
			t.Log(c)
			for left := result.Steps - 1; left > 0; {
				steps := 1 + r.IntN(left)
				trainUntil(t, backend, c, parts, steps)
				left -= steps
			}
			trainIn(t, backend, c, parts)
			requireSameRun(t, whole, parts)
			requireLoadedPredicts(t, parts, result)
		})
	}
}

// requireLoadedPredicts requires the classifier in dir to have the accuracy and the loss of a result, also after it
// is saved elsewhere.
func requireLoadedPredicts(t *testing.T, dir string, result Result) {
	t.Helper()
	read, err := ReadConfig(dir)
	require.NoError(t, err)
	copied := filepath.Join(t.TempDir(), "copied")
	for _, at := range []string{dir, copied} {
		classifier, err := models.Load(at, models.LoadOptions{Backend: backendtest.Go(t)})
		require.NoError(t, err)
		d, err := LoadFor(t.Context(), classifier.Metadata, read, datasets.Options{Graph: classifier.Graph})
		require.NoError(t, err)
		e, err := Evaluate(classifier, d, d.Test, 64)
		require.NoError(t, err)
		require.Equal(t, result.Test, Score{Loss: e.Loss, Accuracy: e.Accuracy})
		require.Equal(t, result.Parameters, classifier.Parameters())
		if at == dir {
			require.NoError(t, classifier.Save(copied))
		}
		require.NoError(t, classifier.Close())
	}
}
