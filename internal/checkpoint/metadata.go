package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
)

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
	text, err := json.MarshalIndent(description, "", "  ")
	if err != nil {
		return err
	}
	text = fmt.Appendf(bytes.TrimSuffix(text, []byte("\n}")), ",\n  \"sha256\": %q\n}", noSum)
	return files.WriteBytes(filepath.Join(dir, MetadataFile), bytes.Replace(text, []byte(noSum), []byte(sumOf(text)), 1))
}

// CheckMetadata returns an error if the text of MetadataFile is not what Start wrote.
func CheckMetadata(text []byte) error {
	var read struct {
		Sum string `json:"sha256"`
	}
	err := json.Unmarshal(text, &read)
	if sum := read.Sum; err == nil && sum != "" && sumOf(bytes.Replace(text, []byte(sum), []byte(noSum), 1)) != sum {
		err = errors.New("it is damaged or was changed by hand: its checksum differs; copy the file again from where it is " +
			"whole, or train anew")
	}
	return err
}
