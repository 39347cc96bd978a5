// Package backendtest gives tests the backends that every graph function must work on: GoMLX's pure Go backend and XLA.
//
//	backendtest.Run(t, func(t *testing.T, backend compute.Backend) { … })
//
// The backends are opened once per test process and shared. XLA is the CPU plugin, so that results do not depend on a
// GPU's TF32, unless GOMLX_BACKEND asks for another XLA plugin. A missing plugin is installed, unless CCP_OFFLINE=1;
// where XLA is still unavailable, its sub-tests are skipped, or fail with CCP_REQUIRE_XLA=1.
package backendtest

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"

	"github.com/clusterpool/ccp/internal/backend"
)

var openGo = sync.OnceValues(func() (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{Name: "go"})
	return b, err
})

var openXLA = sync.OnceValues(func() (compute.Backend, error) {
	name := "xla:cpu"
	if asked := os.Getenv(compute.ConfigEnvVar); strings.HasPrefix(asked, "xla") {
		name = asked
	}
	b, _, err := backend.Open(backend.Options{Name: name, Install: true, Log: os.Stderr})
	return b, err
})

// Go returns the shared pure Go backend.
func Go(t testing.TB) compute.Backend {
	t.Helper()
	b, err := openGo()
	if err != nil {
		t.Fatalf("pure Go backend: %v", err)
	}
	return b
}

// XLA returns the shared XLA backend. Without one the test is skipped, or fails with CCP_REQUIRE_XLA=1.
func XLA(t testing.TB) compute.Backend {
	t.Helper()
	b, err := openXLA()
	switch {
	case err != nil && os.Getenv("CCP_REQUIRE_XLA") == "1":
		t.Fatalf("CCP_REQUIRE_XLA=1, but XLA is unavailable: %v", err)
	case err != nil:
		t.Skipf("XLA is unavailable: %v", err)
	}
	return b
}

// Run runs fn as two sub-tests, "go" and "xla", each with its backend.
func Run(t *testing.T, fn func(t *testing.T, backend compute.Backend)) {
	t.Helper()
	t.Run("go", func(t *testing.T) { fn(t, Go(t)) })
	t.Run("xla", func(t *testing.T) { fn(t, XLA(t)) })
}
