package speed

import (
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// BenchmarkParts times the parts of level 2 of CIFAR-10's network at batch 64: the gathered neighbourhoods are 67 MB.
func BenchmarkParts(b *testing.B) {
	const batch, nodes, channels, clusters, size, filters = 64, 256, 256, 64, 16, 384
	const slots = clusters * size
	indices := make([]int32, slots)
	for i := range indices {
		indices[i] = int32((i*37 + i/size*5) % nodes)
	}
	index := tensors.FromFlatDataAndDimensions(indices, slots, 1)
	h, v := filled(batch*clusters, size*channels), filled(batch*clusters, filters)
	w, x, u := filled(filters, size*channels), filled(batch, nodes, channels), filled(batch, slots, channels)
	backend := open(b)
	for _, part := range []struct {
		name string
		args []any
		fn   func(in []*Node) *Node
	}{
		{"copy", []any{h}, func(in []*Node) *Node { return MulScalar(in[0], 2.0) }},
		{"gather", []any{x, index}, func(in []*Node) *Node {
			return BackendGather(in[0], in[1], 1, []int{0, 2}, []int{1}, []int{1}, []int{batch, 1, channels}, false)
		}},
		{"scatter", []any{u, index}, func(in []*Node) *Node {
			zeros := Zeros(in[0].Graph(), shapes.Make(dtypes.Float32, batch, nodes, channels))
			return BackendScatterSum(zeros, in[1], in[0], 1, []int{0, 2}, []int{1}, []int{1}, false, false)
		}},
		{"product h·wT", []any{h, w},
			func(in []*Node) *Node { return Dot(in[0], in[1]).General([]int{1}, nil, []int{1}, nil) }},
		{"product v·w", []any{v, w}, func(in []*Node) *Node { return Dot(in[0], in[1]).Product() }},
		{"product hT·v", []any{h, v},
			func(in []*Node) *Node { return Dot(in[0], in[1]).General([]int{0}, nil, []int{0}, nil) }},
		{"product (vT)·h", []any{h, v}, func(in []*Node) *Node {
			return ops.TransposedProduct(dtypes.Float32, in[1], in[0])
		}},
	} {
		b.Run(part.name, func(b *testing.B) {
			exec := MustNewExec(backend, part.fn)
			exec.MustCall(part.args...)[0].MustFinalizeAll()
			for b.Loop() {
				exec.MustCall(part.args...)[0].MustFinalizeAll()
			}
		})
	}
}

// BenchmarkSlices times the gradients of all slices of `[n, 64, 512]`, by ops.Unstack and by GoMLX's SliceAxis.
func BenchmarkSlices(b *testing.B) {
	backend := open(b)
	for _, by := range []struct {
		name   string
		slices func(x *Node) []*Node
	}{
		{"Unstack", ops.Unstack},
		{"SliceAxis", func(x *Node) (all []*Node) {
			for i := range x.Shape().Dim(0) {
				all = append(all, Squeeze(SliceAxis(x, 0, AxisElem(i)), 0))
			}
			return all
		}},
	} {
		for _, n := range []int{16, 32, 64} {
			b.Run(fmt.Sprintf("%s/%d", by.name, n), func(b *testing.B) {
				x := filled(n, 64, 512)
				exec := MustNewExec(backend, func(x *Node) *Node {
					loss := ScalarZero(x.Graph(), x.DType())
					for _, slice := range by.slices(x) {
						loss = Add(loss, ReduceAllSum(Tanh(slice)))
					}
					return Gradient(loss, x)[0]
				})
				exec.MustCall(x)[0].MustFinalizeAll()
				for b.Loop() {
					exec.MustCall(x)[0].MustFinalizeAll()
				}
			})
		}
	}
}

// BenchmarkPrepare times the search of the paper's three hierarchies, and reports C and the lowest coverage of a level.
func BenchmarkPrepare(b *testing.B) {
	backend := open(b)
	for _, arch := range []string{"cifar10", "ntu", "20news"} {
		b.Run(arch, func(b *testing.B) {
			spec, graph, err := Network(arch)
			if err != nil {
				b.Fatal(err)
			}
			spec.Options.Hierarchy = ccp.Prepared
			for b.Loop() {
				b.Setenv("XDG_CACHE_HOME", b.TempDir()) // nothing is found there
				h, err := spec.Prepare(b.Context(), backend, spec.NewStore(1), graph, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				c, coverage := 0.0, 1.0
				for i := range h.Objective {
					c, coverage = c+h.Objective[i], min(coverage, h.Coverage[i])
				}
				b.ReportMetric(c, "C")
				b.ReportMetric(coverage, "coverage")
			}
		})
	}
}
