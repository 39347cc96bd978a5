package backend

import (
	"slices"
	"strings"
)

// IsOutOfMemory reports whether err comes from a device without free memory.
func IsOutOfMemory(err error) bool {
	signs := []string{"RESOURCE_EXHAUSTED", "PJRT error (code=8)", "Out of memory", "out of memory"}
	return err != nil && slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(err.Error(), sign) })
}
