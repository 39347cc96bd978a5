package main

import (
	"embed"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/clusterpool/ccp/internal/text"
	"github.com/spf13/cobra"
)

// resultFiles show the results of the commands as text. Each is a template with the name of its command.
//
//go:embed results
var resultFiles embed.FS

var results = template.Must(template.New("").Funcs(template.FuncMap{
	"confusion": confusion,
	"count":     text.Count,
	"fold":      text.Fold,
	"half":      func(n int) float64 { return float64(n) / 2 },
	"join":      strings.Join,
	"megabytes": text.Megabytes,
	"percent":   func(share float64) float64 { return 100 * share },
	"ratio":     func(a, b int) float64 { return float64(a) / float64(max(1, b)) },
	"seconds":   text.Seconds,
	"short":     func(name string) string { return text.Shorten(name, text.LongestName) },
	"sub":       func(a, b int) int { return a - b },
	"stem":      func(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) },
	"thousands": text.Thousands,
	"words":     strings.Fields,
}).ParseFS(resultFiles, "results/*"))

// render shows a result through a template, its tables laid out by [text.Align], with one line break at the end.
func render(name string, result any) string {
	var b strings.Builder
	if err := results.ExecuteTemplate(&b, name, result); err != nil {
		panic(err) // the templates are part of the program
	}
	return text.Plain(strings.TrimRight(text.Align(b.String()), "\n") + "\n")
}

// print prints a result on stdout: as a line of JSON with --json, else as the text.
func (s *shared) print(cmd *cobra.Command, result any, text string) error {
	if s.json {
		raw, err := json.Marshal(result)
		if err != nil {
			return err
		}
		text = string(raw) + "\n"
	}
	_, err := io.WriteString(cmd.OutOrStdout(), text)
	return err
}
