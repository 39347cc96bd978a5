package models

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documented reads what go doc shows of the package in dir, and the names of its types that are not exported.
func documented(t *testing.T, dir string) (p *doc.Package, hidden map[string]bool) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	set, files, hidden := token.NewFileSet(), []*ast.File{}, map[string]bool{}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go") {
			file, err := parser.ParseFile(set, filepath.Join(dir, entry.Name()), nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
			ast.Inspect(file, func(n ast.Node) bool {
				if of, ok := n.(*ast.TypeSpec); ok && !of.Name.IsExported() {
					hidden[of.Name.Name] = true
				}
				return true
			})
		}
	}
	p, err = doc.NewFromFiles(set, files, "github.com/clusterpool/ccp/models/"+dir)
	require.NoError(t, err)
	return p, hidden
}

// Package ccp stays small: these are the lines of `go doc -short ./ccp`.
func TestFewNamesOfLayers(t *testing.T) {
	p, _ := documented(t, "../ccp")
	names := len(p.Consts) + len(p.Vars) + len(p.Funcs) + len(p.Types)
	for _, of := range p.Types {
		names += len(of.Consts) + len(of.Vars) + len(of.Funcs)
	}
	assert.LessOrEqual(t, names, 22)
	assert.Greater(t, names, 15)
}

// The package stays small: exported names, of which a group of constants or errors is one, and methods. No type is an
// alias, and no exported field has an unexported type.
func TestFewNames(t *testing.T) {
	p, hidden := documented(t, ".")
	names := len(p.Consts) + len(p.Vars) + len(p.Funcs) + len(p.Types)
	for _, of := range p.Types {
		names += len(of.Consts) + len(of.Vars) + len(of.Funcs) + len(of.Methods)
		spec := of.Decl.Specs[0].(*ast.TypeSpec)
		assert.False(t, spec.Assign.IsValid(), "%s is an alias", of.Name)
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range fields.Fields.List { // doc has left out what is not exported
			ast.Inspect(field.Type, func(n ast.Node) bool {
				name, ok := n.(*ast.Ident)
				assert.False(t, ok && hidden[name.Name], "%s.%v", of.Name, field.Names)
				return true
			})
		}
	}
	assert.LessOrEqual(t, names, 70)
	assert.Greater(t, names, 50)
}

// The constants of GoMLX parameters, their comments, and the tags of the options say the same names and defaults.
func TestParamConstants(t *testing.T) {
	for dir, options := range map[string]reflect.Type{"../ccp": reflect.TypeFor[ccp.Options](),
		"../ccp/nn": reflect.TypeFor[nn.LayerOptions]()} {
		p, _ := documented(t, dir)
		constants := map[string]string{} // the comment of each, by its value
		for _, group := range p.Consts {
			for _, of := range group.Decl.Specs {
				if of, ok := of.(*ast.ValueSpec); ok && strings.HasPrefix(of.Names[0].Name, "Param") {
					value := strings.Trim(of.Values[0].(*ast.BasicLit).Value, `"`)
					field, ok := options.FieldByName(strings.TrimPrefix(of.Names[0].Name, "Param"))
					assert.True(t, ok && field.Tag.Get("param") == value, "%s = %q", of.Names[0].Name, value)
					constants[value] = strings.Join(strings.Fields(of.Doc.Text()), " ")
				}
			}
		}
		require.Len(t, constants, options.NumField(), dir)
		for _, f := range params.Fields(options) {
			initial := fmt.Sprint(f.Default())
			if _, text := params.Plain(f.Default()).(string); text {
				initial = fmt.Sprintf("%q", initial)
			}
			assert.True(t, strings.HasSuffix(constants[f.Name], "The default is "+initial+"."), "%s: %s, default %s",
				f.Name, constants[f.Name], initial)
		}
	}
}
