package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type exportDocument struct {
	File       string   `json:"file"`
	Format     string   `json:"format"`
	Bytes      int64    `json:"bytes"`
	Input      string   `json:"input"`
	Shape      []any    `json:"shape"`
	ClassNames []string `json:"class_names"`
}

func TestExport(t *testing.T) {
	dir, folder := trained(t), t.TempDir()
	onnx, other := filepath.Join(folder, "digits.onnx"), filepath.Join(folder, "other.onnx")
	assert.Regexp(t, `/digits\.onnx: onnx, signals \[batch, 64, 1\], 10 classes, \d\.\d MB\n$`,
		succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx))
	var e exportDocument
	decode(t, succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", other, "--json"), &e)
	info, err := os.Stat(other)
	require.NoError(t, err)
	assert.Equal(t, exportDocument{other, "onnx", info.Size(), "signals", []any{"batch", 64.0, 1.0},
		strings.Split("0123456789", "")}, e)
	// The same command refuses to replace the file, and with --overwrite makes the same again.
	before, err := os.ReadFile(onnx)
	require.NoError(t, err)
	code, stdout, stderr := execute(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx)
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Equal(t, "ccp: "+onnx+" exists; --overwrite replaces it\n", stderr)
	other = filepath.Join(t.TempDir(), "a.onnx")
	require.NoError(t, os.Mkdir(other, 0o755))
	code, _, stderr = execute(t, "export", "--backend", "go", "--checkpoint", dir, "--out", other, "--overwrite")
	assert.Equal(t, []any{1, "ccp: " + other + " is a folder; choose a file\n"}, []any{code, stderr})
	succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx, "--overwrite")
	after, err := os.ReadFile(onnx)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after))
	inC := filepath.Join(folder, "digits.c")
	code, _, stderr = execute(t, "export", "--backend", "go", "--checkpoint", dir, "--out", inC)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "the network has no form in C; train without it")
	assert.NoFileExists(t, inC)
}
