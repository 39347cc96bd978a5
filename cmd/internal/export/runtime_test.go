package export

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// run computes a decoded model as the ONNX standard defines its operators, in float64. Every value is computed from what
// was computed before it, as the standard demands of the order of the nodes.
func (m onnxModel) run(t *testing.T, signals tensor) map[string]tensor {
	t.Helper()
	values := map[string]tensor{"signals": signals}
	for name, v := range m.constants {
		values[name] = v
	}
	for _, node := range m.nodes {
		var in []tensor
		for _, name := range node.inputs {
			require.Contains(t, values, name, "%s %v", node.op, node.outputs)
			in = append(in, values[name])
		}
		out := only(t, node.outputs)
		require.NotContains(t, values, out, "computed twice")
		var result tensor
		switch node.op {
		case "Add":
			result = elementwise(t, in[0], in[1], func(x, y float64) float64 { return x + y })
		case "Sub":
			result = elementwise(t, in[0], in[1], func(x, y float64) float64 { return x - y })
		case "Mul":
			result = elementwise(t, in[0], in[1], func(x, y float64) float64 { return x * y })
		case "Div":
			result = elementwise(t, in[0], in[1], func(x, y float64) float64 { return x / y })
		case "Elu":
			result = elementwise(t, in[0], tensor{nil, []float64{0}}, func(x, _ float64) float64 {
				if x > 0 {
					return x
				}
				return math.Expm1(x)
			})
		case "Gather":
			require.Equal(t, map[string][]int{"axis": {1}}, node.attributes)
			require.True(t, m.integers[node.inputs[1]])
			result = gather(t, in[0], in[1])
		case "Reshape":
			require.True(t, m.integers[node.inputs[1]])
			result = tensor{reshaped(t, in[0].shape, in[1].data), in[0].data}
		case "ReduceMean":
			require.Equal(t, map[string][]int{"axes": {1}, "keepdims": {0}}, node.attributes)
			result = mean(t, in[0])
		case "Flatten":
			result = tensor{[]int{in[0].shape[0], size(in[0].shape[1:])}, in[0].data}
		case "MatMul":
			result = product(t, in[0], in[1])
		case "Gemm":
			require.Len(t, in[0].shape, 2)
			result = elementwise(t, product(t, in[0], in[1]), in[2], func(x, y float64) float64 { return x + y })
		case "Softmax":
			result = softmax(in[0])
		case "Log":
			result = elementwise(t, in[0], tensor{nil, []float64{0}}, func(x, _ float64) float64 { return math.Log(x) })
		case "Pad":
			require.Equal(t, []float64{0, 0, 0, 0, 1, 0}, in[1].data)
			result = padded(t, in[0])
		case "Greater":
			result = greater(t, in[0], in[1])
		case "Cast":
			require.Equal(t, map[string][]int{"to": {elementFloat}}, node.attributes)
			result = in[0]
		case "ReduceSum":
			require.Equal(t, []float64{1}, in[1].data)
			result = summed(t, in[0])
		case "Concat":
			require.Equal(t, map[string][]int{"axis": {1}}, node.attributes)
			result = concatenated(t, in)
		default:
			t.Fatalf("operator %s", node.op)
		}
		values[out] = result
	}
	return values
}

// elementwise broadcasts b to a's shape.
func elementwise(t *testing.T, a, b tensor, f func(x, y float64) float64) tensor {
	require.LessOrEqual(t, len(b.shape), len(a.shape))
	out := tensor{a.shape, make([]float64, len(a.data))}
	for i, x := range a.data {
		at, stride, rest := 0, 1, i
		for back := 1; back <= len(b.shape); back++ {
			dim, other := a.shape[len(a.shape)-back], b.shape[len(b.shape)-back]
			require.True(t, other == dim || other == 1, "%v with %v", a.shape, b.shape)
			at += rest % dim % other * stride
			rest, stride = rest/dim, stride*other
		}
		out.data[i] = f(x, b.data[at])
	}
	return out
}

// reshaped is the shape that a Reshape asks for: 0 keeps a dimension, -1 is what is left.
func reshaped(t *testing.T, shape []int, to []float64) (result []int) {
	for i, dim := range to {
		if dim == 0 {
			dim = float64(shape[i])
		}
		result = append(result, int(dim))
	}
	if left := slices.Index(result, -1); left >= 0 {
		result[left] = 1
		result[left] = size(shape) / size(result)
	}
	require.Equal(t, size(shape), size(result))
	return result
}

// mean is that over the second axis of three. x: `[batch, H, C]`, result `[batch, C]`.
func mean(t *testing.T, x tensor) tensor {
	require.Len(t, x.shape, 3)
	h, c := x.shape[1], x.shape[2]
	out := tensor{[]int{x.shape[0], c}, make([]float64, x.shape[0]*c)}
	for i, v := range x.data {
		out.data[i/(h*c)*c+i%c] += v / float64(h)
	}
	return out
}

// gather takes rows of the second axis. x: `[batch, N, C]`, nodes: `[M]`, result `[batch, M, C]`.
func gather(t *testing.T, x, nodes tensor) tensor {
	require.Len(t, x.shape, 3)
	require.Len(t, nodes.shape, 1)
	n, channels := x.shape[1], x.shape[2]
	out := tensor{shape: []int{x.shape[0], len(nodes.data), channels}}
	for b := range x.shape[0] {
		for _, node := range nodes.data {
			require.True(t, node >= 0 && int(node) < n)
			from := (b*n + int(node)) * channels
			out.data = append(out.data, x.data[from:from+channels]...)
		}
	}
	return out
}

// product multiplies the last axis of x with a matrix.
func product(t *testing.T, x, w tensor) tensor {
	require.Len(t, w.shape, 2)
	in, width := w.shape[0], w.shape[1]
	last := len(x.shape) - 1
	require.Equal(t, in, x.shape[last])
	out := tensor{append(append([]int{}, x.shape[:last]...), width), make([]float64, size(x.shape[:last])*width)}
	for row := range size(x.shape[:last]) {
		for j := range width {
			for i := range in {
				out.data[row*width+j] += x.data[row*in+i] * w.data[i*width+j]
			}
		}
	}
	return out
}

// padded adds a row of zeros to the second axis of three.
func padded(t *testing.T, x tensor) tensor {
	require.Len(t, x.shape, 3)
	out := tensor{shape: []int{x.shape[0], x.shape[1] + 1, x.shape[2]}}
	for sample := range x.shape[0] {
		rows := x.shape[1] * x.shape[2]
		out.data = append(append(out.data, x.data[sample*rows:(sample+1)*rows]...), make([]float64, x.shape[2])...)
	}
	return out
}

// greater compares x, `[batch, P, 1, K]`, with thresholds `[q, K]`.
func greater(t *testing.T, x, thresholds tensor) tensor {
	require.Len(t, x.shape, 4)
	require.Equal(t, []int{1, thresholds.shape[1]}, x.shape[2:])
	k := x.shape[3]
	out := tensor{shape: []int{x.shape[0], x.shape[1], thresholds.shape[0], k}}
	for row := 0; row < len(x.data); row += k {
		for i, threshold := range thresholds.data {
			above := 0.0
			if x.data[row+i%k] > threshold {
				above = 1
			}
			out.data = append(out.data, above)
		}
	}
	return out
}

// summed adds over the second axis, which it keeps.
func summed(t *testing.T, x tensor) tensor {
	require.Len(t, x.shape, 4)
	rest := x.shape[2] * x.shape[3]
	out := tensor{[]int{x.shape[0], 1, x.shape[2], x.shape[3]}, make([]float64, x.shape[0]*rest)}
	for i, v := range x.data {
		out.data[i/(x.shape[1]*rest)*rest+i%rest] += v
	}
	return out
}

// concatenated joins matrices of as many rows.
func concatenated(t *testing.T, all []tensor) (out tensor) {
	rows, width := all[0].shape[0], 0
	for _, x := range all {
		require.Len(t, x.shape, 2)
		width += x.shape[1]
	}
	for row := range rows {
		for _, x := range all {
			out.data = append(out.data, x.data[row*x.shape[1]:(row+1)*x.shape[1]]...)
		}
	}
	out.shape = []int{rows, width}
	return out
}

func softmax(x tensor) tensor {
	out, classes := tensor{shape: x.shape}, x.shape[len(x.shape)-1]
	for row := 0; row < len(x.data); row += classes {
		sum := 0.0
		for _, v := range x.data[row : row+classes] {
			sum += math.Exp(v)
		}
		for _, v := range x.data[row : row+classes] {
			out.data = append(out.data, math.Exp(v)/sum)
		}
	}
	return out
}
