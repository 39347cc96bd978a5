package backend

import (
	"slices"
	"strings"
)

// ProgramMemory is the memory of a compiled program on each of its devices, in bytes.
type ProgramMemory struct {
	Arguments int64 `json:"arguments"` // variables and the batch
	Results   int64 `json:"results"`   // the new variables, except those that reuse their arguments' memory
	Temporary int64 `json:"temporary"` // activations, gradients and the like
	Code      int64 `json:"code"`
}

// Peak returns the memory that the program needs at one time, in bytes.
func (m ProgramMemory) Peak() int64 { return m.Arguments + m.Results + m.Temporary + m.Code }

// IsOutOfMemory reports whether err comes from a device without free memory.
func IsOutOfMemory(err error) bool {
	signs := []string{"RESOURCE_EXHAUSTED", "PJRT error (code=8)", "Out of memory", "out of memory"}
	return err != nil && slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(err.Error(), sign) })
}
