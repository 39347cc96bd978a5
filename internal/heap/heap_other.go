//go:build !linux || !cgo

package heap

// Reserve has no effect here.
func Reserve() {}

// Release has no effect here.
func Release() {}
