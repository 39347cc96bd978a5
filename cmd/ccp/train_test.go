package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The lines of the README in a Go program give what ccp train gives on the same file, to the last digit, whichever
// weights are kept.
func TestProgramAndLibraryAgree(t *testing.T) {
	pureGo := backendtest.Go(t)
	file := filepath.Join(t.TempDir(), "mine.npz")
	digitsIn(t, file)
	for _, keep := range []string{"last", "best"} {
		asked := training.Patch{"steps": 12, "levels": "4x4/4,1x4/4", "ccp_stem": 2, "ccp_hierarchies": 2, "keep": keep}
		line := []string{"train", "--backend", "go", "--data", file, "--checkpoint",
			filepath.Join(t.TempDir(), "program"), "--json"}
		for name, value := range asked {
			line = append(line, "--set", fmt.Sprintf("%s=%v", name, value))
		}
		var program training.Result
		decode(t, succeed(t, line...), &program)

		data, err := datasets.Load(t.Context(), file, datasets.Options{})
		require.NoError(t, err)
		library, err := training.Train(t.Context(), pureGo, asked,
			training.Options{Data: data, Dir: filepath.Join(t.TempDir(), "library")})
		require.NoError(t, err)
		assert.Equal(t, []any{program.Test, program.Train, program.Validation, program.Steps, program.Objective},
			[]any{library.Test, library.Train, library.Validation, library.Steps, library.Objective}, keep)
		assert.Equal(t, keep == "best", library.Validation != nil)
	}
}
