package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The example does what it says; a second run does not write over the first.
func TestRun(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := filepath.Join(t.TempDir(), "mixed")
	accuracy, err := run(dir, 60)
	require.NoError(t, err)
	assert.Greater(t, accuracy, 0.8)
	_, err = run(dir, 1)
	require.ErrorContains(t, err, "is not empty; choose another directory")
}

// What a user writes for a network of one's own on eight hierarchies stays short.
func TestLength(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "main.go", nil, 0)
	require.NoError(t, err)
	lines := 0
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && (f.Name.Name == "network" || f.Name.Name == "trained") {
			lines += files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1
		}
	}
	assert.LessOrEqual(t, lines, 40)
	assert.Greater(t, lines, 20)
}
