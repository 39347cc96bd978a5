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
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/files"
)

// ErrEarlier says that a checkpoint has the form of an earlier version.
var ErrEarlier = errors.New("an earlier version of ccp wrote this checkpoint, or it was changed by hand; train anew")

// sums end MetadataFile.
type sums struct {
	Graph string `json:"graph_sha256"` // of GraphFile
	Own   string `json:"sha256"`
}

// noSum stands for the last member of MetadataFile, sha256, while it is computed: the SHA-256 of the file, in
// hexadecimal digits.
var noSum = strings.Repeat("-", 2*sha256.Size)

// sumsBegin is the text before the sums.
const sumsBegin = ",\n  \"graph_sha256\": "

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
	text = fmt.Appendf(bytes.TrimSuffix(text, []byte("\n}")), sumsBegin+"%q,\n  \"sha256\": %q\n}", sumOf(graph), noSum)
	return files.WriteBytes(filepath.Join(dir, MetadataFile), bytes.Replace(text, []byte(noSum), []byte(sumOf(text)), 1))
}

// ReadMetadata reads the text of MetadataFile into description, a pointer to a struct for JSON. It returns an error if
// the text is not what Start wrote, or has more than the struct.
func ReadMetadata(text []byte, description any) error {
	var s sums
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("it is damaged (%w): %s", err, copyWhole)
	} else if s.Own == "" || s.Graph == "" {
		return ErrEarlier
	} else if sumOf(bytes.Replace(text, []byte(s.Own), []byte(noSum), 1)) != s.Own {
		return errors.New("it is damaged or was changed by hand: its checksum differs; copy the file again from " +
			"where it is whole, or train anew")
	}
	from, _, _ := bytes.Cut(text, []byte(sumsBegin))
	decoder := json.NewDecoder(bytes.NewReader(append(slices.Clip(from), '}')))
	decoder.DisallowUnknownFields()
	return decoder.Decode(description)
}

// CheckGraph returns an error if the content of GraphFile is not what Start wrote with the text of MetadataFile.
func CheckGraph(text, graph []byte) error {
	var s sums
	if err := json.Unmarshal(text, &s); err != nil || s.Graph != sumOf(graph) {
		return fmt.Errorf("it is damaged, or belongs to another %s: %s", MetadataFile, copyWhole)
	}
	return nil
}

const copyWhole = "copy a checkpoint whole, to a folder of its own"
