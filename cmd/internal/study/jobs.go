package study

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// jobFiles are templates of job arrays, named after what runs them.
//
//go:embed jobs
var jobFiles embed.FS

var jobs = template.Must(template.New("").Funcs(template.FuncMap{"json": func(text string) (string, error) {
	raw, err := json.Marshal(text) // a JSON string is a YAML one
	return string(raw), err
}}).ParseFS(jobFiles, "jobs/*"))

// Jobs is a job array that runs a study on several machines which share its folder. Each of its workers gives the same command,
// takes runs that no other is at, and ends when there are none left. The manager is slurm or kubernetes.
func Jobs(manager, name, command string, workers int) (string, error) {
	if jobs.Lookup(manager) == nil {
		return "", fmt.Errorf("jobs can be written for slurm and kubernetes, not for %q", manager)
	}
	var b strings.Builder
	err := jobs.ExecuteTemplate(&b, manager, map[string]any{"Name": name, "Command": command, "Workers": workers})
	return b.String(), err
}
