package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A dry run tells of the step and leaves no checkpoint behind.
func TestDryRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	line := append([]string{"train", "--data", "digits", "--levels", "4x2/9,1x4/4", "--fc", "0", "--checkpoint", dir,
		"--dry-run", "--backend", "go"}, published...)
	out := succeed(t, line...)
	assert.Contains(t, out, "model ccp on digits: 382 parameters; batch 64 on 1 device, "+
		"go\nmemory of a training step on each device, estimated:\n")
	assert.Contains(t, out, "level_1's gathered neighbourhoods")
	var f struct {
		training.Footprint
		Config map[string]any `json:"config"` // of a configuration's own form
	}
	decode(t, succeed(t, append(line, "--json")...), &f)
	assert.Equal(t, (64*4+2*9+2+2+4)+(4+4*4*2+4+2+8)+(4*10+10), f.Parameters)
	assert.NoDirExists(t, dir)
}

// --fast is the model without a network, and no other.
func TestFast(t *testing.T) {
	var f struct {
		Model string `json:"model"`
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "train", "--fast", "--dry-run", "--json", "--backend", "go")), &f))
	assert.Equal(t, "transforms", f.Model)
	for _, other := range [][]string{{"--model", "gcn"}, {"model=gcn"}} {
		code, _, stderr := execute(t, append([]string{"train", "--fast", "--dry-run"}, other...)...)
		assert.Equal(t, 2, code)
		assert.Contains(t, stderr, "--fast leaves the network out, and model=gcn asks for one; give one of them")
	}
	succeed(t, "train", "--fast", "--model", "transforms", "--dry-run", "--backend", "go")
}
