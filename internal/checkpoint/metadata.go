package checkpoint

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
)

// sums end MetadataFile. Files of before have the last or none.
type sums struct {
	Graph string `json:"graph_sha256"` // of GraphFile
	Own   string `json:"sha256"`
}

// readSums reads what a whole description has.
func readSums(description []byte) (s sums) {
	_ = json.Unmarshal(description, &s)
	return s
}

// noSum stands for the last member of MetadataFile, sha256, while it is computed: the SHA-256 of the file, in hexadecimal
// digits. Files of before have none.
var noSum = strings.Repeat("-", 2*sha256.Size)

func sumOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// Start starts a checkpoint in dir. It writes the description, a struct for JSON, and the graph. Each file is written
// whole or not at all.
func Start(dir string, description any, writeGraph func(path string) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeGraph(filepath.Join(dir, GraphFile)); err != nil {
		return err
	}
	graph, wrong := os.ReadFile(filepath.Join(dir, GraphFile))
	text, err := json.MarshalIndent(description, "", "  ")
	if err := cmp.Or(wrong, err); err != nil {
		return err
	}
	text = fmt.Appendf(bytes.TrimSuffix(text, []byte("\n}")), ",\n  \"graph_sha256\": %q,\n  \"sha256\": %q\n}", sumOf(graph), noSum)
	return files.WriteBytes(filepath.Join(dir, MetadataFile), bytes.Replace(text, []byte(noSum), []byte(sumOf(text)), 1))
}

// CheckMetadata returns an error if the text of MetadataFile is not what Start wrote.
func CheckMetadata(text []byte) error {
	if sum := readSums(text).Own; sum != "" && sumOf(bytes.Replace(text, []byte(sum), []byte(noSum), 1)) != sum {
		return errors.New("it is damaged or was changed by hand: its checksum differs; copy the file again from where it is " +
			"whole, or train anew")
	}
	return nil
}

// CheckGraph returns an error if the content of GraphFile is not what Start wrote with the text of MetadataFile.
func CheckGraph(text, graph []byte) error {
	if sum := readSums(text).Graph; sum != "" && sum != sumOf(graph) {
		return fmt.Errorf("it is damaged, or belongs to another %s: %s", MetadataFile, copyWhole)
	}
	return nil
}

const copyWhole = "copy a checkpoint whole, to a folder of its own"
