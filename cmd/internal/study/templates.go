package study

import (
	"embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/clusterpool/ccp/cmd/internal/text"
)

// templateFiles are job arrays, named after what runs them, and a summary in Markdown. A template is named after its file.
//
//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"base": filepath.Base,
	"fold": text.Fold,
	"join": strings.Join,
	"json": func(value string) (string, error) {
		raw, err := json.Marshal(value) // a JSON string is a YAML one
		return string(raw), err
	},
}).ParseFS(templateFiles, "templates/*"))

// Jobs is a job array that runs a study on several machines which share its folder. Each of its workers gives the same command,
// takes runs that no other is at, and ends when there are none left. The manager is slurm or kubernetes.
func Jobs(manager, name, command string, workers int) (string, error) {
	if manager != "slurm" && manager != "kubernetes" {
		return "", fmt.Errorf("jobs can be written for slurm and kubernetes, not for %q", manager)
	}
	return execute(manager, map[string]any{"Name": name, "Command": command, "Workers": workers}), nil
}

// show writes a summary with a template.
func (s Summary) show(name string) string {
	return execute(name, struct {
		Summary
		Rows     [][]string
		Failures []string
	}{s, s.rows(), s.failures()})
}

func execute(name string, data any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates are part of the program
	}
	return b.String()
}
