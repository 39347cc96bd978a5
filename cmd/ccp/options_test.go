package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const optionsPage = "../../docs/options.md"

// optionsHead is the page above its tables.
const optionsHead = `# Options

All settings of a training and its network, by the names that ` + "`--set NAME=VALUE`" + ` of ` + "`ccp train`" + ` and a
` + "`training.Patch`" + ` in Go take. An option with a flag of its own can be set by either. The page is made from the program's
source by ` + "`go test ./cmd/ccp -run OptionsPage -update`" + `.

The default is the one of the model ` + "`ccp`" + ` on your data. The data decides what is ` + "`auto`" + `
([defaults.md](defaults.md)), and the named data sets have recipes of their own; ` + "`ccp train --dry-run`" + ` prints what a
training takes. An option that a model or a data set lacks is refused.

`

// sourceComments reads the tags and comments of all options. An option whose field has no comment has that of its Param
// constant, or of the field of datasets.Options that it sets.
func sourceComments(t *testing.T) (tags map[string]reflect.StructTag, comments map[string]string) {
	t.Helper()
	tags, comments = map[string]reflect.StructTag{}, map[string]string{}
	ofData := map[string]string{} // of the fields of datasets.Options
	unquote := func(text string) string {
		text, err := strconv.Unquote(text)
		require.NoError(t, err)
		return text
	}
	field := func(f *ast.Field, inData bool) {
		for _, name := range f.Names {
			text := meaning(name.Name, cmp.Or(f.Doc.Text(), f.Comment.Text()))
			if inData {
				ofData[name.Name] = text
			}
			if f.Tag == nil {
				continue
			}
			tag := reflect.StructTag(unquote(f.Tag.Value))
			if option := tag.Get("param"); option != "" {
				tags[option] = tag
				comments[option] = cmp.Or(text, comments[option], ofData[strings.TrimPrefix(name.Name, "Split")])
			}
		}
	}
	read := func(path string) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if name, ok := strings.CutPrefix(n.Names[0].Name, "Param"); ok && len(n.Values) == 1 {
					if value, ok := n.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
						comments[unquote(value.Value)] = meaning("Param"+name, n.Doc.Text())
					}
				}
			case *ast.TypeSpec:
				if of, ok := n.Type.(*ast.StructType); ok {
					for _, f := range of.Fields.List {
						field(f, file.Name.Name == "datasets" && n.Name.Name == "Options")
					}
				}
			}
			return true
		})
	}
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			read(path)
		}
		return nil
	}))
	return tags, comments
}

// meaning returns the first sentence of an option's comment and those that explain a value in quotes, without what is
// for readers of Go alone.
func meaning(name, comment string) (text string) {
	// which ends no sentence
	comment = strings.ReplaceAll(strings.Join(strings.Fields(comment), " "), "et al. ", "et al.\u00a0")
	comment = regexp.MustCompile(`,? see [A-Z][\w.]*\w`).ReplaceAllString(comment, "")
	for i, sentence := range regexp.MustCompile(`[^.]+(?:\.\S[^.]*)*(?:\.|$)`).FindAllString(comment, -1) {
		sentence = strings.TrimSpace(sentence)
		if i == 0 {
			sentence = regexp.MustCompile(`^(`+name+` )?(is |are |names )?`).ReplaceAllString(sentence, "")
		}
		if i == 0 || strings.Contains(sentence, `"`) && !strings.HasPrefix(sentence, "The default") {
			text += " " + sentence
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".")
}

// usual returns the values that the default recipe sets for the model ccp on a user's own data.
func usual(t *testing.T) map[string]any {
	t.Helper()
	raw, err := os.ReadFile("../../models/training/recipes.json")
	require.NoError(t, err)
	var recipes []struct {
		Data, Models, Recipe string
		Set                  map[string]any
	}
	require.NoError(t, json.Unmarshal(raw, &recipes))
	c, err := training.Preview(training.Patch{"data": "mine.npz"})
	require.NoError(t, err)
	values := c.Values()
	for _, r := range recipes {
		if r.Data == "" && (r.Models == "" || r.Models == "ccp") && (r.Recipe == "" || r.Recipe == "default") {
			for name, value := range r.Set {
				values[name] = value
			}
		}
	}
	values["data"] = "digits"
	return values
}

// allowed returns what an option's values must be, as the error about a wrong value says it.
func allowed(name, data, model string) string {
	_, err := training.Preview(training.Patch{"data": data, "model": model, name: "?"})
	if err == nil {
		return "a text"
	}
	if wrong, is := errors.AsType[*params.Error](err); is && wrong.Allows != "" {
		return strings.TrimPrefix(wrong.Allows, "one of ")
	}
	found := regexp.MustCompile(`(?:it must be|is not|there are) (?:one of )?(.*)`).FindStringSubmatch(err.Error())
	if found == nil {
		return err.Error()
	}
	return found[1]
}

// The page of all options says what the source says.
func TestOptionsPage(t *testing.T) {
	root := newRoot(nil)
	train, _, err := root.Find([]string{"train"})
	require.NoError(t, err)
	tags, comments := sourceComments(t)
	defaults, having := usual(t), map[string][]string{}
	for _, model := range models.Names() {
		for name := range (models.Spec{Model: model, Options: models.DefaultOptions()}).Values() {
			having[name] = append(having[name], model)
		}
	}
	row := func(name string) string {
		shown, says := "`"+name+"`", comments[name]
		if flag := train.Flag(flagOf[name]); flag != nil {
			_, says = pflag.UnquoteUsage(flag)
			says = regexp.MustCompile(` \(default: .*\)$`).ReplaceAllString(says, "")
			shown += ", `--" + flag.Name + "`"
		}
		assert.NotEmpty(t, says, "%s has no comment", name)
		value := fmt.Sprint(defaults[name])
		if defaults[name] == nil {
			value = tags[name].Get("default")
		}
		values := allowed(name, "digits", append(having[name], "ccp")[0])
		if tags[name].Get("auto") != "" && values != "a text" && !strings.HasPrefix(values, "auto") {
			values = "auto, or " + values
		}
		cells := []string{shown, value, values}
		if of := having[name]; len(of) == len(models.Names()) {
			cells = append(cells, "all")
		} else if len(of) > len(models.Names())/2 {
			lacking := slices.DeleteFunc(models.Names(), func(m string) bool { return slices.Contains(of, m) })
			cells = append(cells, "all but "+strings.Join(lacking, ", "))
		} else if of != nil {
			cells = append(cells, strings.Join(of, ", "))
		}
		return "| " + strings.Join(append(cells, strings.ReplaceAll(says, "|", `\|`)), " | ") + " |\n"
	}
	page := optionsHead + "## Of the training\n\n| option | default | values | what it is |\n|---|---|---|---|\n"
	ofData, ofLaboratory := "", ""
	for _, s := range datasets.Names() {
		for _, name := range params.Names(params.Fields(reflect.TypeOf(s.Options))) {
			c, err := training.Preview(training.Patch{"data": s.Name})
			require.NoError(t, err)
			assert.NotEmpty(t, comments[name])
			ofData += fmt.Sprintf("| `%s` | %s | %v | %s | %s |\n", name, s.Name, c.Values()[name], allowed(name, s.Name, "ccp"),
				comments[name])
		}
	}
	for _, name := range training.Names() {
		switch {
		case having[name] != nil:
		case params.Find(params.Fields(reflect.TypeFor[training.Config]()), name) != nil:
			page += row(name)
		case !strings.Contains(ofData, "| `"+name+"` |"):
			ofLaboratory += row(name)
		}
	}
	page += "\n## Of the network\n\n| option | default | values | models | what it is |\n|---|---|---|---|---|\n"
	for _, name := range training.Names() {
		if having[name] != nil {
			page += row(name)
		}
	}
	page += "\n## Of some data sets\n\n| option | data set | default | values | what it is " +
		"|\n|---|---|---|---|---|\n" + ofData
	page += "\n## Of the paper's laboratory\n\n`ccp` has these options, and so does a program of your own that imports " +
		"`benchmarks/paper/networks`.\n\n| option | default | values | what it is |\n|---|---|---|---|\n" + ofLaboratory
	if *update {
		require.NoError(t, os.WriteFile(optionsPage, []byte(page), 0o644))
	}
	was, err := os.ReadFile(optionsPage)
	require.NoError(t, err)
	assert.Equal(t, string(was), page, "docs/options.md says something else than the source: "+
		"go test ./cmd/ccp -run OptionsPage -update writes it anew")
}
