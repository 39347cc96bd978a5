//go:build !(linux && amd64)

package backend

import (
	"errors"
	"io"
)

// installCUDA fails: the CUDA plugin is published for linux/amd64 only.
func installCUDA(string, io.Writer) error {
	return errors.New("the CUDA plugin is published for linux/amd64 only")
}
