//go:build !js

// Command browser writes a folder with a page that classifies digits in the browser, without a server:
//
//	go run ./examples/browser site
//
// Open site/index.html, or copy the folder to any place that serves files.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed index.html
var page []byte

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./examples/browser FOLDER")
	}
	if err := build(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	fmt.Println("open", filepath.Join(os.Args[1], "index.html"))
}

// build writes the page, the program and Go's script that runs it, into a new folder. The program is compressed text in
// a script, because a page that was opened from a file may load scripts and nothing else.
func build(folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	runner, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	program, err := compiled()
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a valid level
	_, err = w.Write(program)
	err = errors.Join(err, w.Close())
	if err != nil {
		return err
	}
	script := "const program = \"" + base64.StdEncoding.EncodeToString(packed.Bytes()) + "\";\n"
	files := map[string][]byte{"index.html": page, "wasm_exec.js": runner, "ccp.wasm.js": []byte(script)}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compiled returns this package compiled for the browser.
func compiled() ([]byte, error) {
	folder, err := os.MkdirTemp("", "ccp-browser-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "ccp.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path,
		"github.com/clusterpool/ccp/examples/browser")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build for js/wasm: %w\n%s", err, out)
	}
	return os.ReadFile(path)
}
