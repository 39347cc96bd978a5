//go:build cgo

package backend

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Flags of the user stay, and their options of the compiler take the place of ours.
func TestCompilerOptions(t *testing.T) {
	for given, want := range map[string]string{
		"":                 quickCompiler,
		"--xla_dump_to=/x": "--xla_dump_to=/x " + quickCompiler,
		"--xla_backend_extra_options=xla_cpu_optimize_for_size": "--xla_backend_extra_options=xla_cpu_optimize_for_size",
	} {
		t.Setenv("XLA_FLAGS", given)
		setCompiler()
		setCompiler() // of a second backend
		assert.Equal(t, want, os.Getenv("XLA_FLAGS"))
	}
}
