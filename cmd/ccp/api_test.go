package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/clusterpool/ccp/"

func internal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// compiled returns an importer of what the module's packages are made of, and the module's public packages.
func compiled(t *testing.T, set *token.FileSet) (packages types.Importer, public []string) {
	t.Helper()
	listed, err := exec.Command("go", "list", "-export", "-deps", "-f", `{{.ImportPath}} {{.Name}} {{.Export}}`, "../../...").Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		if f := strings.Fields(line); len(f) == 3 {
			exports[f[0]] = f[2]
			if strings.HasPrefix(f[0], module) && f[1] != "main" && !internal(f[0]) {
				public = append(public, f[0])
			}
		}
	}
	return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
		public
}

// What a public package exports, somebody else can name: no function, method, field, variable or constant has a type of
// a package in a folder internal.
func TestNoInternalTypeInPublic(t *testing.T) {
	packages, public := compiled(t, token.NewFileSet())
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

// A name that a public package exports is one more thing that its readers hold in the head, and that no later version
// can take away. It is added on purpose: with its line in testdata/exported.txt, which is sorted.
func TestExportedNames(t *testing.T) {
	packages, public := compiled(t, token.NewFileSet())
	var found []string
	for _, path := range public {
		if strings.HasPrefix(path, module+"benchmarks") || strings.HasPrefix(path, module+"examples") {
			continue // nobody builds upon these
		}
		p, err := packages.Import(path)
		require.NoError(t, err)
		for _, name := range p.Scope().Names() {
			if p.Scope().Lookup(name).Exported() {
				found = append(found, strings.TrimPrefix(path, module)+"."+name)
			}
		}
	}
	listed, err := os.ReadFile("testdata/exported.txt")
	require.NoError(t, err)
	slices.Sort(found)
	added, gone := difference(found, strings.Fields(string(listed)))
	assert.Empty(t, added, "exported without a line in testdata/exported.txt")
	assert.Empty(t, gone, "lines of testdata/exported.txt that are exported no more")
}

// difference returns what a has and b lacks, and what b has and a lacks.
func difference(a, b []string) (added, gone []string) {
	without := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
	}
	return without(a, b), without(b, a)
}

// withCircles are the packages whose files call each other both ways. None is added.
var withCircles = []string{"ccp", "cmd/ccp", "cmd/internal/recordings", "internal/backend", "internal/picture",
	"models", "models/internal/transforms", "models/internal/transforms/features", "models/training"}

// The files of a package stand on each other: no file calls what a file above it has, so that each can be read after
// those that it needs.
func TestFilesCallOneWay(t *testing.T) {
	set := token.NewFileSet()
	packages, _ := compiled(t, set)
	listed, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{.Dir}}{{range .GoFiles}} {{.}}{{end}}`,
		"../../...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(listed)) {
		words := strings.Fields(line)
		dir := strings.TrimPrefix(strings.TrimPrefix(words[0], module), "/")
		if len(words) < 4 || slices.Contains(withCircles, dir) { // one file stands on none
			continue
		}
		var files []*ast.File
		for _, name := range words[2:] {
			file, err := parser.ParseFile(set, filepath.Join(words[1], name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		p, err := (&types.Config{Importer: packages}).Check(dir, set, files, info)
		require.NoError(t, err)
		calls := map[string]map[string]string{} // a function by the file that calls it, and its own
		for at, of := range info.Uses {
			from, to := filepath.Base(set.Position(at.Pos()).Filename), filepath.Base(set.Position(of.Pos()).Filename)
			if _, function := of.(*types.Func); function && of.Pkg() == p && from != to {
				if calls[from] == nil {
					calls[from] = map[string]string{}
				}
				calls[from][to] = of.Name()
			}
		}
		for left := len(calls) + 1; left != len(calls); { // files that call none of those left are at the bottom
			left = len(calls)
			for from, to := range calls {
				maps.DeleteFunc(to, func(file, _ string) bool { return calls[file] == nil })
				if len(to) == 0 {
					delete(calls, from)
				}
			}
		}
		assert.Empty(t, calls, "%s: files that call each other in a circle, or stand on such", dir)
	}
}
