package models

import (
	"io"

	"github.com/gomlx/compute"

	"github.com/clusterpool/ccp/internal/backend"
)

// InstallBackend opens the best backend: XLA on a GPU, XLA on the CPU, or pure Go. GOMLX_BACKEND overrides the choice. If
// XLA is missing, it is installed first, unless CCP_OFFLINE=1. For a CPU that is 60 MB. For an NVIDIA GPU it is several GB,
// and the installer prints to os.Stdout. docs/dependencies.md says where the files come from. log receives notices. It may
// be nil.
//
// In the whole library a nil backend means the best that is installed. Then nothing is downloaded or printed.
func InstallBackend(log io.Writer) (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{Install: true, Log: log})
	return b, err
}
