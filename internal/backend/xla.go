//go:build cgo

package backend

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/gomlx/core/graph"
)

// errNoXLA says why this program has no XLA. It is nil: the program has it.
var errNoXLA error

// openPlugin opens XLA on one plugin file. It gives go-xla the file's path, so that go-xla does not search again.
func openPlugin(p plugin, options string) (b compute.Backend, info Info, err error) {
	path := string(p)
	if err := checkIntact(path); err != nil {
		return nil, Info{}, err
	}
	defer recovered(&err)
	xla.EnableAutoInstall(false) // Only package backend installs.
	config, client := path, pjrt.NamedValuesMap{}
	if options != "" {
		config += "," + options
	}
	if p.is("cpu") {
		setCompiler()
		// An asynchronous client hands out results before the step's memory is free. The next step would take as much again.
		client["asynchronous"] = false
	}
	if p.is("cuda") { // go-xla looks for "cpu" anywhere in the path, and would then share host memory with the GPU.
		config += ",noshared_buffers"
	}
	b, err = xla.NewWithOptions(config, client)
	if err != nil {
		return nil, Info{}, err
	}
	loaded, err := pjrt.GetPlugin(path)
	if err != nil {
		return nil, Info{}, err
	}
	kind, _, _ := strings.Cut(p.name(), "_v")
	major, minor := loaded.Version()
	version := fmt.Sprintf("%d.%d", major, minor)
	return &programs{Backend: b}, Info{Name: "xla:" + kind, Plugin: path, Version: version, Devices: b.NumDevices()}, nil
}

// quickCompiler has XLA's older emitters of fusions do the work, and not those that go by way of MLIR. Programs are as
// fast, and compile in half of the time.
const quickCompiler = "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters"

// setCompiler asks XLA for quickCompiler, unless the user has given such options. XLA reads its flags from the
// environment only, once, when its first program is compiled.
func setCompiler() {
	flags := os.Getenv("XLA_FLAGS")
	option, _, _ := strings.Cut(quickCompiler, "=")
	if !strings.Contains(flags, option) {
		_ = os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" "+quickCompiler)) // fails for no such text
	}
}

// fieldOf returns a field of the struct that v is or leads to. The result is not valid if there is no such field.
func fieldOf(v reflect.Value, name string) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.FieldByName(name)
}

// Reuse lets a program's result, counted from 0, take the memory of a parameter of the same shape. The call must then
// donate the parameter. Call Reuse before the program is compiled. It reports whether the backend can do this: only
// XLA can.
//
// XLA calls this input-output aliasing, and an attribute of the parameter asks for it. GoMLX v0.28.3 donates the
// variables that a step changes, but does not set the attribute. Each variable then takes its memory twice. go-xla
// v0.4.2 has no call that sets the attribute. Reuse therefore sets it through the node's fields.
func Reuse(parameter *graph.Node, result int) bool {
	ops := fieldOf(reflect.ValueOf(parameter), "outputOps")
	if ops.Kind() != reflect.Slice || ops.Len() != 1 || ops.Index(0).Elem().Type() != reflect.TypeFor[*xla.Node]() {
		return false
	}
	field := fieldOf(ops.Index(0), "value")
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
