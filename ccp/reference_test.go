package ccp_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

// testdata/reference.py computed the reference in float64 by plain loops, gradients by 5-point central differences
// with the selection held fixed; `total` is the mean cross entropy minus the objectives, without l2, batch norm or
// dropout.
type referenceCase struct {
	Name   string
	A      [][]float64
	X      [][][]float64
	R      [][]float64
	C      []float64
	Labels []int32
	Levels []struct {
		L                        int
		U, W                     json.RawMessage
		B                        []float64 `json:"b"`
		Alpha, Beta              float64
		K                        [][]float64
		Next                     [][]float64 `json:"A_next"`
		Norm                     [][]float64 `json:"A_norm"`
		Rank                     [][]float64
		Idx                      [][]int32
		Gates                    [][]float64
		FilterOut                [][][]float64 `json:"filter_out"`
		Degree, Cohesion, Volume []float64
		LK                       float64
		GradU                    [][]float64   `json:"grad_U"`
		GradW                    [][][]float64 `json:"grad_W"`
		GradB                    []float64     `json:"grad_b"`
		GradAlpha                float64       `json:"grad_alpha"`
		GradBeta                 float64       `json:"grad_beta"`
	}
	Logits    [][]float64
	CE, Total float64
}

func readReference(t *testing.T) []referenceCase {
	raw, err := os.ReadFile("testdata/reference.json")
	require.NoError(t, err)
	var file struct{ Cases []referenceCase }
	require.NoError(t, json.Unmarshal(raw, &file))
	require.Len(t, file.Cases, 2)
	return file.Cases
}

// TestReference matches every value and gradient of the reference, on both backends, in float32 and float64, with the
// affinity dense and sparse.
func TestReference(t *testing.T) {
	for _, c := range readReference(t) {
		for _, dtype := range []dtypes.DType{dtypes.Float64, dtypes.Float32} {
			for _, kind := range []string{"dense", "sparse"} {
				t.Run(c.Name+"/"+dtype.String()+"/"+kind, func(t *testing.T) {
					backendtest.Run(t, func(t *testing.T, backend compute.Backend) { checkReference(t, backend, c, dtype, kind) })
				})
			}
		}
	}
}

func checkReference(t *testing.T, backend compute.Backend, c referenceCase, dtype dtypes.DType, kind string) {
	level := c.Levels[0]
	var u [][]float64
	var w [][][]float64
	require.NoError(t, json.Unmarshal(level.U, &u))
	require.NoError(t, json.Unmarshal(level.W, &w))
	var flat []float64
	for _, row := range c.A {
		flat = append(flat, row...)
	}
	matrix, err := affinity.FromDense(len(c.A), flat)
	require.NoError(t, err)

	names := []string{"K", "A_next", "A_norm", "rank", "gates", "filter_out", "degree", "cohesion", "volume", "LK",
		"logits", "ce", "total",
		"grad_U", "grad_W", "grad_b", "grad_alpha", "grad_beta", "idx"}
	want := []any{level.K, level.Next, level.Norm, level.Rank, level.Gates, level.FilterOut, level.Degree,
		level.Cohesion, level.Volume,
		level.LK, c.Logits, c.CE, c.Total, level.GradU, level.GradW, level.GradB, level.GradAlpha, level.GradBeta, level.Idx}

	store := model.NewStore()
	got, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
		real := func(v any) *Node { return ConstAsDType(g, dtype, v) }
		var a ccp.Affinity = ccp.Dense{A: real(c.A)}
		if kind == "sparse" {
			a = ccp.NewSparse(scope, g, matrix.AsNormalized(), dtype)
		}
		params := []*Node{real(u), real(w), real(level.B), real(level.Alpha), real(level.Beta)}
		m := ccp.Memberships(params[0])
		links := a.Times(m)
		p := ccp.Coarsen(a, m, links)
		rank := ccp.Rank(m, links)
		cohesion, volume := ccp.Cohesion(p), ccp.Volume(a.Degrees(), m)
		step := ccp.Cluster(a, ccp.Memberships(params[0]), level.L)
		gate := ccp.Gate(step.Rank, params[3], params[4])
		out := ccp.Filter(real(c.X), step.Neighbourhood, gate, TransposeAllDims(params[1], 2, 0, 1)) // [L, C, filters] there
		out = Add(out, Reshape(params[2], 1, 1, params[2].Shape().Size()))
		x := nn.ELU(out)
		batch := x.Shape().Dim(0)
		flat := Reshape(x, batch, x.Shape().Size()/batch)
		logits := Add(Dot(flat, real(c.R)).Product(), ExpandAxes(real(c.C), 0))
		labels := OneHot(Const(g, c.Labels), len(c.C), dtype)
		ce := Neg(ReduceAllMean(ReduceSum(Mul(labels, LogSoftmax(logits)), 1)))
		total := Sub(ce, step.Objective)
		values := []*Node{m, p, ccp.Normalize(p), rank, gate, out, a.Degrees(), cohesion, volume, step.Objective,
			logits, ce, total}
		values = append(values, Gradient(total, params...)...)
		return append(values, step.Neighbourhood)
	})
	require.NoError(t, err)
	delta := 1e-5
	if dtype == dtypes.Float64 {
		delta = 1e-10
	}
	for i, name := range names[:len(names)-1] {
		requireClose(t, name, want[i], got[i], delta)
	}
	require.Equal(t, level.Idx, got[len(names)-1].Value(), "idx")
}

// requireClose compares a tensor with a nested slice of the same shape, within delta, naming the worst element.
func requireClose(t *testing.T, name string, want any, got *tensors.Tensor, delta float64) {
	t.Helper()
	expected := tensors.MustFromAnyValue(want)
	require.Equal(t, expected.Shape().String(), shapes.Make(expected.DType(), got.Shape().Dimensions...).String(), name)
	a, b := values(expected), values(got)
	for i := range a {
		shape := shapes.Make(got.DType(), got.Shape().Dimensions...)
		require.InDelta(t, a[i], b[i], delta, "%s: element %d of %s", name, i, shape)
	}
}

func values(t *tensors.Tensor) []float64 {
	switch t.DType() {
	case dtypes.Float64:
		return tensors.MustCopyFlatData[float64](t)
	case dtypes.Float32:
		var out []float64
		for _, v := range tensors.MustCopyFlatData[float32](t) {
			out = append(out, float64(v))
		}
		return out
	}
	panic("values of " + t.DType().String())
}
