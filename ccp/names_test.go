package ccp_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The package stays small: these are the lines of `go doc -short ./ccp`.
func TestFewNames(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	set, files := token.NewFileSet(), []*ast.File{}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go") {
			file, err := parser.ParseFile(set, entry.Name(), nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	p, err := doc.NewFromFiles(set, files, "github.com/clusterpool/ccp/ccp")
	require.NoError(t, err)
	names := len(p.Consts) + len(p.Vars) + len(p.Funcs) + len(p.Types)
	for _, of := range p.Types {
		names += len(of.Consts) + len(of.Vars) + len(of.Funcs)
	}
	assert.LessOrEqual(t, names, 22)
	assert.Greater(t, names, 15)
}
