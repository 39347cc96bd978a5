package models

import (
	"io"
	"os"
	"sync"

	"github.com/gomlx/compute"

	"github.com/clusterpool/ccp/internal/backend"
)

// OpenBackend opens the best backend that is installed: XLA on a GPU, XLA on the CPU, or pure Go. GOMLX_BACKEND
// overrides the choice. OpenBackend downloads nothing and prints nothing. A nil backend means this one in the whole
// library.
func OpenBackend() (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{})
	return b, err
}

// InstallBackend does what OpenBackend does, but first installs XLA if it is missing. That is 60 MB for a CPU, and
// several GB for an NVIDIA GPU, whose installer prints to os.Stdout. docs/dependencies.md says where the files come from.
// log receives notices; it may be nil. With CCP_OFFLINE=1 nothing is installed.
func InstallBackend(log io.Writer) (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{Install: true, Log: log})
	return b, err
}

// opened holds the backends that classifiers share which name none, by GOMLX_BACKEND.
var opened = struct {
	sync.Mutex
	by map[string]compute.Backend
}{by: map[string]compute.Backend{}}

// sharedBackend does OpenBackend once for the whole process.
func sharedBackend() (b compute.Backend, err error) {
	key := os.Getenv(compute.ConfigEnvVar)
	opened.Lock()
	defer opened.Unlock()
	if b = opened.by[key]; b == nil {
		if b, err = OpenBackend(); err == nil {
			opened.by[key] = b
		}
	}
	return b, err
}
