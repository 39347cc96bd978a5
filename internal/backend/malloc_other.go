//go:build !linux

package backend

// tuneMalloc is for glibc's malloc only, see malloc_linux.go.
func tuneMalloc() {}

// Settle is for glibc's malloc only, see malloc_linux.go.
func Settle() {}
