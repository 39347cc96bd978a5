// Command newsgroups prints what package text makes of each message of 20 Newsgroups, for compare.py, which holds it
// against scikit-learn: the message's path, the sha256 of its body, and that of its counted words, in order, each
// followed by a newline. The fields are separated by tabs.
//
//	go run ./benchmarks/newsgroups FOLDER > ours.tsv
//
// FOLDER holds 20news-bydate-train and 20news-bydate-test.
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/datasets/text"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "newsgroups: want one argument, the folder of 20news-bydate-train and 20news-bydate-test")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "newsgroups:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, folder string) error {
	out := bufio.NewWriter(w)
	for _, split := range []string{"20news-bydate-train", "20news-bydate-test"} {
		err := filepath.WalkDir(filepath.Join(folder, split), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			message, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			body := text.Body(message)
			var counted strings.Builder
			for _, word := range text.Words(body) {
				if text.IsCounted(word) {
					counted.WriteString(word + "\n")
				}
			}
			fmt.Fprintf(out, "%s\t%x\t%x\n", filepath.ToSlash(name), sha256.Sum256(body), sha256.Sum256([]byte(counted.String())))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return out.Flush()
}
