package export

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestONNX decodes each variant's model: a node takes only what was computed before it, and no value is computed twice.
// TestPython computes the models.
func TestONNX(t *testing.T) {
	for name, v := range variants {
		t.Run(name, func(t *testing.T) {
			n, err := Fold(classifier(t, v))
			require.NoError(t, err)
			raw, err := n.ONNX()
			require.NoError(t, err)
			m := decodeModel(t, raw)
			known := map[string]bool{"signals": true}
			for name := range m.constants {
				known[name] = true
			}
			for _, node := range m.nodes {
				for _, input := range node.inputs {
					require.True(t, known[input], "%s takes %s", node.op, input)
				}
				out := only(t, node.outputs)
				require.False(t, known[out], "%s twice", out)
				known[out] = true
			}
			require.True(t, known["probabilities"] && known["logits"])
		})
	}
}

// TestONNXStructure checks all that is declared in one model.
func TestONNXStructure(t *testing.T) {
	n, err := Fold(classifier(t, variants["norms"]))
	require.NoError(t, err)
	raw, err := n.ONNX()
	require.NoError(t, err)
	m := decodeModel(t, raw)
	assert.Equal(t, 7, m.ir)
	assert.Equal(t, 13, m.opset)
	assert.Equal(t, map[string]string{"signals": "[batch 12 2]"}, m.inputs)
	assert.Equal(t, map[string]string{"probabilities": "[batch 3]", "logits": "[batch 3]"}, m.outputs)
	assert.Equal(t, map[string]string{"class_names": `["red","grün","\"blue\""]`, "data": "grid", "ccp_version": version()}, m.metadata)
	n.Form, n.Range = &recording.Form{Sensors: []string{"hip"}, Channels: 2, Frames: 12}, &signal.Range{Most: []float32{1, 2}}
	raw, err = n.ONNX()
	require.NoError(t, err)
	m = decodeModel(t, raw)
	assert.JSONEq(t, `{"sensors":["hip"],"channels":2,"frames":12}`, m.metadata["recording"])
	assert.JSONEq(t, `{"least":null,"most":[1,2],"spread":null}`, m.metadata["range"])

	shapes := map[string]string{}
	for name, constant := range m.constants {
		shapes[name] = fmt.Sprint(constant.shape)
		assert.Equal(t, name == "level_1/nodes" || name == "level_2/nodes" || name == "level_1/shape" || name == "level_2/shape", m.integers[name], name)
	}
	assert.Equal(t, map[string]string{
		"input/mean": "[2]", "input/std": "[2]",
		"level_1/nodes": "[24]", "level_1/gates": "[24 1]", "level_1/shape": "[3]", "level_1/kernel": "[8 5]", "level_1/bias": "[5]",
		"level_2/nodes": "[6]", "level_2/gates": "[6 1]", "level_2/shape": "[3]", "level_2/kernel": "[15 7]", "level_2/bias": "[7]",
		"dense_1/kernel": "[14 8]", "dense_1/bias": "[8]", "dense_2/kernel": "[8 3]", "dense_2/bias": "[3]",
	}, shapes)
	assert.Equal(t, []float64{0, 6, 8}, m.constants["level_1/shape"].data)
	assert.Equal(t, []float64{0, 2, 15}, m.constants["level_2/shape"].data)

	var operators []string
	for _, node := range m.nodes {
		operators = append(operators, node.op)
	}
	assert.Equal(t, []string{"Sub", "Div", "Gather", "Mul", "Reshape", "MatMul", "Add", "Elu",
		"Gather", "Mul", "Reshape", "MatMul", "Add", "Elu", "Flatten", "Gemm", "Elu", "Gemm", "Softmax"}, operators)
}

func TestWriteONNX(t *testing.T) {
	n, err := Fold(classifier(t, variants["learned"]))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "model.onnx")
	require.NoError(t, n.WriteONNX(path))
	want, err := n.ONNX()
	require.NoError(t, err)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	require.Error(t, n.WriteONNX(filepath.Join(path, "model.onnx")), "its folder is a file")
}

// TestTooLargeForONNX: protobuf cannot hold it, and the reader would only say that the file is damaged.
func TestTooLargeForONNX(t *testing.T) {
	g := &onnxGraph{bytes: 1<<31 - 1<<20}
	_, err := g.model("ccp", "", nil, nil, nil)
	require.EqualError(t, err, "its constants take 2146435072 bytes; an ONNX file holds less than 2 GiB")
}
