package export

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestONNX decodes each variant's model: a node takes only what was computed before it, and no value is computed twice.
// TestPython computes the models.
func TestONNX(t *testing.T) {
	for name, v := range variants {
		t.Run(name, func(t *testing.T) {
			checkOrder(t, classifier(t, v), "signals")
		})
	}
	for name, c := range ensembles(t) {
		t.Run(name, func(t *testing.T) { checkOrder(t, c, "series") })
	}
}

func checkOrder(t *testing.T, c *models.Classifier, input string) {
	raw, err := ONNX(c)
	require.NoError(t, err)
	m := decodeModel(t, raw)
	require.Len(t, m.inputs, 1)
	require.Contains(t, m.inputs, input)
	known := map[string]bool{input: true}
	for name := range m.constants {
		known[name] = true
	}
	for _, node := range m.nodes {
		for _, input := range node.inputs {
			require.True(t, known[input], "%s takes %s", node.op, input)
		}
		for _, out := range node.outputs {
			require.False(t, known[out], "%s twice", out)
			known[out] = true
		}
	}
	require.True(t, known["probabilities"] && known["logits"])
}

// TestONNXStructure checks all that is declared in one model.
func TestONNXStructure(t *testing.T) {
	c := classifier(t, variants["norms"])
	c.Conformal = conformal.New([]float64{0.5, 0.1}, []int32{0, 2}, 3)
	raw, err := ONNX(c)
	require.NoError(t, err)
	m := decodeModel(t, raw)
	assert.Equal(t, 7, m.ir)
	assert.Equal(t, 13, m.opset)
	assert.Equal(t, map[string]string{"signals": "[batch 12 2]"}, m.inputs)
	assert.Equal(t, map[string]string{"probabilities": "[batch 3]", "logits": "[batch 3]"}, m.outputs)
	assert.Equal(t, map[string]string{"class_names": `["red","grün","\"blue\""]`, "data": "grid", "ccp_version": version(),
		"conformal": `{"scores":[0.1,0.5],"per_class":[1,0,1]}`}, m.metadata)

	integers := []string{"Gather[]", "Less[]", "Mul[6]", "Gather[24]", "Gather[6]", "Reshape[3]", "Reshape[2]",
		"ReduceSum[1]",
		"Unsqueeze[1]", "Slice[1]", "Slice[1][1]"}
	var nodes []string // and the shapes of their constants
	for _, node := range m.nodes {
		for _, input := range node.inputs {
			if constant, found := m.constants[input]; found {
				node.op += fmt.Sprint(constant.shape)
				assert.Equal(t, slices.Contains(integers, node.op), m.integers[input], node.op)
			}
			if node.op == "Reshape[3]" {
				assert.Contains(t, [][]float64{{0, 6, 8}, {0, 2, 15}}, m.constants[input].data)
			}
		}
		nodes = append(nodes, node.op)
	}
	assert.Equal(t, []string{"Shape", "Gather[]", "Less[]", "Cast", "Mul[6]", "Pad", "Sub[2]", "Div[2]", "Gather[24]",
		"Mul[24 1]", "Reshape[3]", "MatMul[8 5]", "Add[5]", "Elu",
		"Gather[6]", "Mul[6 1]", "Reshape[3]", "MatMul[15 7]", "Add[7]", "Elu", "Reshape[2]", "Gemm[14 8][8]", "Elu",
		"Gemm[8 3][3]",
		"Abs", "LessOrEqual[]", "Where[][]", "ReduceSum[1]", "ReduceSum[1]", "Unsqueeze[1]", "Slice[1][1]", "Add", "Div[]",
		"Softmax", "Sub[]", "Relu", "Sub"}, nodes)
}

// The input of a model of recordings is the series, whatever its length, and the metadata says how recordings become
// series.
func TestONNXOfRecordings(t *testing.T) {
	c := ensembles(t)["one sensor"]
	raw, err := ONNX(c)
	require.NoError(t, err)
	m := decodeModel(t, raw)
	assert.Equal(t, []int{7, 13}, []int{m.ir, m.opset})
	assert.Equal(t, map[string]string{"series": "[batch timepoints 1]"}, m.inputs)
	form, err := json.Marshal(c.Form)
	require.NoError(t, err)
	assert.JSONEq(t, string(form), m.metadata["recording"])
	limits, err := json.Marshal(c.Range)
	require.NoError(t, err)
	assert.JSONEq(t, string(limits), m.metadata["range"])
}

func TestWrite(t *testing.T) {
	c := classifier(t, variants["learned"])
	path := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, Write(path, c))
	want, err := ONNX(c)
	require.NoError(t, err)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	require.Error(t, Write(filepath.Join(path, "model.onnx"), c), "its folder is a file")
}
