// Command newsgroups prints what package text makes of each message of 20 Newsgroups; compare.py compares it with
// scikit-learn. Tabs separate the columns: the message's path, the sha256 of its body, and the sha256 of its counted
// words, each with a newline. Usage:
//
//	go run ./datasets/internal/newsgroups/compare FOLDER > ours.tsv
//
// The FOLDER holds 20news-bydate-train and 20news-bydate-test.
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/clusterpool/ccp/datasets/internal/text"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("newsgroups: ")
	if len(os.Args) != 2 {
		log.Fatal("want one argument, the folder of 20news-bydate-train and 20news-bydate-test")
	}
	out, folder := bufio.NewWriter(os.Stdout), os.DirFS(os.Args[1])
	messages, err := fs.Glob(folder, "20news-bydate-t*/*/*")
	if err != nil || len(messages) == 0 {
		log.Fatal("there is no message in 20news-bydate-train/GROUP or 20news-bydate-test/GROUP")
	}
	for _, name := range messages {
		message, err := fs.ReadFile(folder, name)
		if err != nil {
			log.Fatal(err)
		}
		body := text.Body(message)
		var counted strings.Builder
		for _, word := range text.Words(body) {
			if text.IsCounted(word) {
				counted.WriteString(word + "\n")
			}
		}
		fmt.Fprintf(out, "%s\t%x\t%x\n", name, sha256.Sum256(body), sha256.Sum256([]byte(counted.String())))
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
