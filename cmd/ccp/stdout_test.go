package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// No output is lost without a word, though cobra does not look at the errors of its own.
func TestFullStdout(t *testing.T) {
	for _, line := range []string{"--help", "train --help", "data", "--version", "version", "completion bash", "data list --json", "doctor --backend go"} {
		var stderr strings.Builder
		assert.Equal(t, 1, run(strings.Fields(line), full{}, &stderr), line)
		assert.Contains(t, stderr.String(), "no space left", line)
	}
}
