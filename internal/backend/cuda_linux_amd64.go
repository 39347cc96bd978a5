package backend

import "github.com/gomlx/go-xla/installer"

// go-xla puts NVIDIA's libraries first and renames the plugin into place last. So an interrupted installation leaves no
// plugin, and the next one goes on with the files that go-xla keeps in the user's cache folder.
func init() {
	installCUDA = func(dir string) error {
		return installer.CudaInstall("cuda13", "latest", dir, true, installer.Quiet)
	}
}
