package export

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/recording"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestONNX decodes the model again and computes it: it must say what the classifier says.
func TestONNX(t *testing.T) {
	cases := maps.Clone(variants)
	cases["sensors"] = variants["norms"]
	for name, v := range cases {
		t.Run(name, func(t *testing.T) {
			c := classifier(t, v)
			if name == "sensors" { // scaled one by one
				c.Mean, c.Std = []float32{1, -2, 3, 4, 0, 0.5}, []float32{2, 0.5, 1, 3, 0.25, 1}
			}
			n, err := Fold(c)
			require.NoError(t, err)
			raw, err := n.ONNX()
			require.NoError(t, err)
			m := decodeModel(t, raw)
			all := signals(c, 5)
			batch := tensor{shape: []int{5, 12, 2}}
			for _, s := range all {
				for _, x := range s {
					batch.data = append(batch.data, float64(x))
				}
			}
			values := m.run(t, batch)
			assert.Equal(t, []int{5, 3}, values["probabilities"].shape)
			want := predicted(t, c, all)
			assert.InDeltaSlice(t, want, values["probabilities"].data, 1e-6)
			assert.InDeltaSlice(t, want, softmax(values["logits"]).data, 1e-6)
			assert.NotEqual(t, want[:3], want[3:6], "the signal matters")
			empty := m.run(t, tensor{shape: []int{0, 12, 2}})
			assert.Equal(t, []int{0, 3}, empty["probabilities"].shape)
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
	n.Form, n.Range = &recording.Form{Sensors: []string{"hip"}, Channels: 2, Frames: 12}, &models.Range{Most: []float32{1, 2}}
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
