package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// No output is lost without a word, though cobra does not look at the errors of its own.
func TestFullStdout(t *testing.T) {
	for _, line := range []string{"--help", "train --help",
		"data", "--version", "version", "completion bash", "data list --json", "doctor --backend go"} {
		var stderr strings.Builder
		assert.Equal(t, 1, run(strings.Fields(line), full{}, &stderr), line)
		assert.Contains(t, stderr.String(), "no space left", line)
	}
}

// In all JSON "class" is the name of a class, and "accuracy" a fraction.
func TestOneMeaningInJSON(t *testing.T) {
	names := []string{"hip", "hop", "hup", "hep"}
	data, dir := ringFile(t, with(ring(80), "class_names", names, 4)), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--data", data, "--checkpoint", dir, "--model", "softmax", "--epochs", "2")
	count := map[string]int{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, w := range v {
				walk(w)
			}
		case map[string]any:
			for key, w := range v {
				count[key]++
				switch key {
				case "class":
					assert.Contains(t, names, w)
				case "accuracy":
					assert.LessOrEqual(t, w, 1.0)
				}
				assert.Equal(t, strings.ToLower(key), key, "a field without a tag")
				walk(w)
			}
		}
	}
	on := []string{"--backend", "go", "--json", "--checkpoint", dir}
	for _, line := range [][]string{append([]string{"eval"}, on...), append([]string{"explain"}, on...),
		{"data", "check", data, "--json"},
		{"compare", "--json", "--backend", "go", "--data", data, "--models", "softmax", "--seeds", "1", "--epochs", "1",
			"--folder", t.TempDir()}} {
		var document any
		require.NoError(t, json.Unmarshal([]byte(succeed(t, line...)), &document))
		walk(document)
	}
	raw, err := json.Marshal(models.Prediction{Class: 1, Name: "hop", Probability: 0.5,
		Probabilities: []float64{0.5, 0.5}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"class_number": 1, "class": "hop", "probability": 0.5, "probabilities": [0.5, 0.5]}`, string(raw))
	assert.GreaterOrEqual(t, count["class"], 12)
	assert.GreaterOrEqual(t, count["accuracy"], 3)
}
