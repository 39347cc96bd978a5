package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heavy are modules of which a first training needs none.
var heavy = []string{"github.com/parquet-go/parquet-go", "github.com/prometheus/client_golang", "gonum.org/v1/plot",
	"github.com/clusterpool/ccp/benchmarks", "github.com/clusterpool/ccp/cmd/internal/serve",
	"github.com/clusterpool/ccp/cmd/internal/recordings"}

// The program for a first try compiles none of the heavy packages, and the one without a tag has all of them.
func TestLean(t *testing.T) {
	packages := func(arguments ...string) []string {
		listed, err := exec.Command("go", append([]string{"list", "-deps"}, arguments...)...).Output()
		require.NoError(t, err)
		return strings.Fields(string(listed))
	}
	lean, whole := packages("-tags", "lean", "."), packages(".")
	of := func(all []string, module string) bool {
		for _, name := range all {
			if name == module || strings.HasPrefix(name, module+"/") {
				return true
			}
		}
		return false
	}
	for _, module := range heavy {
		assert.False(t, of(lean, module), module)
		assert.True(t, of(whole, module), module)
	}
	assert.Less(t, len(lean), len(whole)*3/4)
	wrong, err := exec.Command("go", "build", "-tags", "lean", "-o", os.DevNull, ".").CombinedOutput()
	assert.NoError(t, err, "README's first command compiles it: %s", wrong)
}
