package backend

import (
	"reflect"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

// ProgramMemory is what a compiled program needs on each of its devices, in bytes, by the compiler's own account.
type ProgramMemory struct {
	Arguments int64 `json:"arguments"` // variables and the batch
	Results   int64 `json:"results"`   // the changed variables anew, but for those that take their arguments' place
	Temporary int64 `json:"temporary"` // all between: activations, gradients
	Code      int64 `json:"code"`
}

// Peak is what there must be at one time.
func (m ProgramMemory) Peak() int64 { return m.Arguments + m.Results + m.Temporary + m.Code }

// MemoryOf asks XLA. ok is false on other backends, which do not tell.
//
// go-xla v0.4.2 has the account, but shows it in its log only: it is read from the executable's fields.
func MemoryOf(e compute.Executable) (m ProgramMemory, ok bool) {
	x, isXLA := e.(*xla.Executable)
	if !isXLA || x == nil {
		return m, false
	}
	loaded := reflect.ValueOf(x).Elem().FieldByName("exec")
	if !loaded.IsValid() || loaded.Kind() != reflect.Pointer || loaded.IsNil() {
		return m, false
	}
	stats := loaded.Elem().FieldByName("OnDeviceMemoryUsageStats")
	if !stats.IsValid() {
		return m, false
	}
	field := func(name string) int64 { return stats.FieldByName(name).Int() }
	m = ProgramMemory{Arguments: field("Inputs"), Results: field("Outputs") - field("Aliases"), Temporary: field("Temporary"), Code: field("GeneratedCode")}
	return m, m.Peak() > 0
}

// IsOutOfMemory says whether an error is a device's that it has no more memory.
func IsOutOfMemory(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	for _, sign := range []string{"RESOURCE_EXHAUSTED", "PJRT error (code=8)", "Out of memory", "out of memory"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}
