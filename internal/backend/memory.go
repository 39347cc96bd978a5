package backend

import (
	"reflect"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

// ProgramMemory is the memory of a compiled program on each of its devices, in bytes, by the compiler's own account.
type ProgramMemory struct {
	Arguments int64 `json:"arguments"` // variables and the batch
	Results   int64 `json:"results"`   // the new variables, except those that reuse their arguments' memory
	Temporary int64 `json:"temporary"` // activations, gradients and the like
	Code      int64 `json:"code"`
}

// Peak is the memory that the program needs at one time.
func (m ProgramMemory) Peak() int64 { return m.Arguments + m.Results + m.Temporary + m.Code }

// MemoryOf asks XLA. ok is false on other backends, which keep no such account.
//
// go-xla v0.4.2 only logs the account, so MemoryOf reads it from the executable's fields.
func MemoryOf(e compute.Executable) (m ProgramMemory, ok bool) {
	x, isXLA := e.(*xla.Executable)
	if !isXLA || x == nil {
		return m, false
	}
	stats := reflect.ValueOf(x).Elem().FieldByName("exec").Elem().FieldByName("OnDeviceMemoryUsageStats")
	field := func(name string) int64 { return stats.FieldByName(name).Int() }
	m = ProgramMemory{Arguments: field("Inputs"), Results: field("Outputs") - field("Aliases"), Temporary: field("Temporary"), Code: field("GeneratedCode")}
	return m, m.Peak() > 0
}

// IsOutOfMemory says whether err comes from a device without free memory.
func IsOutOfMemory(err error) bool {
	signs := []string{"RESOURCE_EXHAUSTED", "PJRT error (code=8)", "Out of memory", "out of memory"}
	return err != nil && slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(err.Error(), sign) })
}
