package backend

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// installCUDA runs go-xla's installer of the CUDA plugin and of NVIDIA's libraries, all out of Python wheels.
func installCUDA(dir string, log io.Writer) error {
	if !installer.HasNvidiaGPU() {
		return errors.New("no NVIDIA GPU found")
	}
	if os.Getenv(pjrt.PJRTPluginPathsEnv) != "" {
		// The installer lays the plugin in DIR/nvidia and links to it as go-xla/nvidia: only its own directory works.
		return fmt.Errorf("the CUDA plugin goes into go-xla's own directory, but %s points elsewhere; unset it",
			pjrt.PJRTPluginPathsEnv)
	}
	_, _ = fmt.Fprintln(log, "installing XLA for CUDA with NVIDIA's libraries, several GB, once"+
		" (GOMLX_BACKEND=xla:cpu or CCP_OFFLINE=1 does without)")
	return withGuardedClient(log, func(*guard) error {
		return installer.CudaAutoInstall(dir, true, installer.Quiet)
	})
}
