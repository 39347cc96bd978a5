package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path/filepath"
)

//go:embed page
var files embed.FS

// Generator marks a page that Write made.
const Generator = `<meta name="generator" content="ccp report">`

var (
	source = template.Must(template.ParseFS(files, "page/page.html"))
	style  = template.CSS(embedded("css"))
	// All scripts are in one function, so that no name is global.
	script = template.JS("\n(() => {\n\"use strict\";\n" + embedded("js") + "})();\n")
)

// embedded joins the page's files of a kind, in the order of their names.
func embedded(kind string) (all string) {
	names, _ := fs.Glob(files, "page/*."+kind) // the pattern is right
	for _, name := range names {
		raw, err := files.ReadFile(name)
		if err != nil {
			panic(err) // embedded: it is there
		}
		all += string(raw)
	}
	return all
}

// policy returns the Content-Security-Policy of a page. It allows the page's own script, style and pictures only.
func policy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; connect-src 'none'; "+
		"base-uri 'none'; form-action 'none'", sum(string(script)), sum(string(style)))
}

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}

// Write writes the page: one HTML file that needs no other file and no network.
func Write(w io.Writer, r Report) error {
	document, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("the report of %s: %w", r.Checkpoint, err)
	}
	tag := `<meta http-equiv="Content-Security-Policy" content="` + policy() + `">`
	return source.Execute(w, map[string]any{"Title": filepath.Base(r.Checkpoint) + " · ccp report", "Style": style,
		"Script": script, "PolicyTag": template.HTML(tag),
		"Document": template.JS(document)}) // json.Marshal leaves no <, > and &
}
