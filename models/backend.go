package models

import (
	"io"

	"github.com/gomlx/compute"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/malloc"
)

// OpenBackend opens the best backend that is installed: XLA on a GPU, XLA on the CPU, or pure Go. GOMLX_BACKEND
// overrides the choice. OpenBackend downloads nothing and prints nothing. A nil backend means this one in the whole
// library.
func OpenBackend() (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{})
	return b, err
}

// InstallBackend does what OpenBackend does, but first installs XLA if it is missing. That is 60 MB for a CPU, and
// several GB for an NVIDIA GPU. docs/dependencies.md says where the files come from. log receives notices; it may be
// nil. With CCP_OFFLINE=1 nothing is installed.
func InstallBackend(log io.Writer) (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{Install: true, Log: log})
	return b, err
}

// KeepMemory makes this process keep the memory that XLA frees on the CPU, so that each training step reuses it. The
// program ccp does so. Large networks train faster; the process gives memory back less often.
//
// Call KeepMemory at the start of main, and train in that goroutine. KeepMemory takes effect when XLA is opened on
// the CPU. It then changes the settings of glibc's malloc for the whole process. Without the call, no package of ccp
// changes malloc. A program that trains in bfloat16, trains on several devices or serves gains more if it is also
// started with GLIBC_TUNABLES=glibc.malloc.arena_max=1.
func KeepMemory() { malloc.Keep() }
