// Command compare prints what the protocol makes of each message of 20 Newsgroups, for testdata/compare.py beside it,
// which compares that with scikit-learn. FOLDER holds 20news-bydate-train and 20news-bydate-test. The columns,
// separated by tabs, are the message's path, the sha256 of its body, and the sha256 of its counted words, each with a
// newline.
//
//	go run ./benchmarks/paper/data/internal/newsgroups/compare FOLDER >ours.tsv
package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/newsgroups"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("name the folder of the messages: compare FOLDER")
	}
	folder := os.DirFS(os.Args[1])
	messages, err := fs.Glob(folder, "20news-bydate-t*/*/*")
	if err == nil && len(messages) == 0 {
		err = fmt.Errorf("%s holds no 20news-bydate-train/GROUP/MESSAGE", os.Args[1])
	}
	out := bufio.NewWriter(os.Stdout)
	for _, name := range messages {
		var message []byte
		message, err = fs.ReadFile(folder, name)
		if err != nil {
			break
		}
		body, words := newsgroups.Counted(message)
		counted := sha256.Sum256([]byte(strings.Join(append(words, ""), "\n")))
		fmt.Fprintf(out, "%s\t%x\t%x\n", name, sha256.Sum256(body), counted)
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
}
