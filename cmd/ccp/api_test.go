package main

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/clusterpool/ccp/"

func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// What a public package exports, somebody else can name: no function, method, field, variable or constant has a type of a package
// in a folder internal.
func TestNoInternalTypeInPublic(t *testing.T) {
	listed, err := exec.Command("go", "list", "-export", "-deps", "-f", `{{.ImportPath}} {{.Name}} {{.Export}}`, "../../...").Output()
	require.NoError(t, err)
	exports, public := map[string]string{}, []string{}
	for line := range strings.Lines(string(listed)) {
		if f := strings.Fields(line); len(f) == 3 {
			exports[f[0]] = f[2]
			if strings.HasPrefix(f[0], module) && f[1] != "main" && !internal(f[0]) {
				public = append(public, f[0])
			}
		}
	}
	packages := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	require.Greater(t, len(public), 15)
	for _, path := range public {
		p, err := packages.Import(path)
		require.NoError(t, err)
		for _, name := range p.Scope().Names() {
			if of := p.Scope().Lookup(name); of.Exported() {
				hidden(t, path+"."+name, of)
			}
		}
	}
}

// hidden finds the internal types in what an exported object shows.
func hidden(t *testing.T, where string, of types.Object) {
	if name, ok := of.(*types.TypeName); ok && !name.IsAlias() {
		named := name.Type().(*types.Named)
		for method := range named.Methods() {
			if method.Exported() {
				mentions(t, where+"."+method.Name(), method.Signature())
			}
		}
		mentions(t, where, named.Underlying())
		return
	}
	mentions(t, where, of.Type())
}

// mentions goes through the parts of a type up to the first names.
func mentions(t *testing.T, where string, of types.Type) {
	switch of := of.(type) {
	case *types.Named:
		if p := of.Obj().Pkg(); p != nil && internal(p.Path()) && strings.HasPrefix(p.Path(), module) {
			assert.Fail(t, "an internal type in a public API", "%s has %s", where, of)
		}
		for part := range of.TypeArgs().Types() {
			mentions(t, where, part)
		}
	case *types.Alias:
		mentions(t, where, types.Unalias(of))
	case *types.Struct:
		for field := range of.Fields() {
			if field.Exported() {
				mentions(t, where+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for method := range of.ExplicitMethods() {
			mentions(t, where+"."+method.Name(), method.Signature())
		}
	case *types.Signature:
		for tuple := range slices.Values([]*types.Tuple{of.Params(), of.Results()}) {
			for v := range tuple.Variables() {
				mentions(t, where, v.Type())
			}
		}
	case *types.Map:
		mentions(t, where, of.Key())
		mentions(t, where, of.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		mentions(t, where, of.Elem())
	}
}
