package models

import (
	"io"
	"os"
	"sync"

	"github.com/gomlx/compute"

	"github.com/clusterpool/ccp/internal/backend"
)

// InstallBackend opens the best backend: XLA on a GPU, XLA on the CPU, or pure Go. GOMLX_BACKEND overrides the choice. If
// XLA is missing, it is installed first. That is 60 MB for a CPU, and several GB for an NVIDIA GPU, whose installer prints
// to os.Stdout. docs/dependencies.md says where the files come from. log receives notices; it may be nil. With
// CCP_OFFLINE=1 nothing is installed.
//
// In the whole library a nil backend means the best that is installed. Then nothing is downloaded or printed.
func InstallBackend(log io.Writer) (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{Install: true, Log: log})
	return b, err
}

// opened holds the backends that classifiers share which name none, by GOMLX_BACKEND.
var opened = struct {
	sync.Mutex
	by map[string]compute.Backend
}{by: map[string]compute.Backend{}}

// sharedBackend opens the best backend that is installed, once for the whole process.
func sharedBackend() (b compute.Backend, err error) {
	key := os.Getenv(compute.ConfigEnvVar)
	opened.Lock()
	defer opened.Unlock()
	if b = opened.by[key]; b == nil {
		if b, _, err = backend.Open(backend.Options{}); err == nil {
			opened.by[key] = b
		}
	}
	return b, err
}
