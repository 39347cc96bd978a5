package backend

import (
	"reflect"
	"unsafe"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/gomlx/core/graph"
)

// Reuse lets a result of a program, counted from 0, lie in the memory of a parameter of the same shape, where the call donates
// that parameter. To be called before the program is compiled. It says whether the backend can: XLA only.
//
// XLA calls this input-output aliasing, and takes it from an attribute of the parameter. GoMLX v0.28.3 donates the variables that a step
// changes, but sets no attribute, so that all of them lie in memory twice. go-xla v0.4.2 has an attribute for parameters, but no call to
// reach it: Reuse finds it by its fields.
func Reuse(parameter *graph.Node, result int) bool {
	ops := reflect.ValueOf(parameter).Elem().FieldByName("outputOps")
	if ops.Kind() != reflect.Slice || ops.Len() != 1 || ops.Index(0).Elem().Type() != reflect.TypeFor[*xla.Node]() {
		return false
	}
	field := ops.Index(0).Elem().Elem().FieldByName("value")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*stablehlo.Value]() || field.IsNil() {
		return false
	}
	value := (*stablehlo.Value)(unsafe.Pointer(field.Pointer()))
	if value.Attributes == nil {
		value.Attributes = map[string]any{}
	}
	value.Attributes["tf.aliasing_output"] = int32(result)
	return true
}
