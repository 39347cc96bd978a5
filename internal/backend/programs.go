//go:build cgo

package backend

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/go-xla/stablehlo"
	"github.com/gomlx/gomlx/support/xslices"
)

// mostKept is how many programs stay compiled when nobody uses them: compare trains ten models by turns, with three
// each.
const mostKept = 64

// programs is XLA that compiles a program once. A network's trial, folds, seeds and a model that is loaded anew have
// the same programs.
type programs struct {
	compute.Backend
	mu   sync.Mutex
	kept []*program // the last used first

	compiled atomic.Int64 // programs that were compiled
}

// program is a compiled program and a checksum of its text. Several may use it.
type program struct {
	compute.Executable
	text     [sha256.Size]byte
	programs *programs
}

// builder builds a program that may be there.
type builder struct {
	compute.Builder
	programs *programs
}

// buffer is a buffer that says that it is of programs: GoMLX compares a buffer's backend with the program's.
type buffer struct {
	compute.Buffer
	programs *programs
}

// Compiled returns how many programs were compiled. Programs of the same text count once while one of them is kept.
func (p *programs) Compiled() int64 { return p.compiled.Load() }

// Builder returns a builder that compiles only what is new.
func (p *programs) Builder(name string) compute.Builder { return &builder{p.Backend.Builder(name), p} }

// Compile returns the program of the same text, if it is there.
func (b *builder) Compile() (compute.Executable, error) {
	text, ok := textOf(b.Builder)
	if ok {
		if found := b.programs.find(text); found != nil {
			return found, nil
		}
	}
	e, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	b.programs.compiled.Add(1)
	one := &program{e, text, b.programs}
	if ok {
		one = b.programs.keep(one)
	}
	return one, nil
}

// unique are parts of names that GoMLX draws for each metric anew.
var unique = regexp.MustCompile(`uuid_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}`)

// textOf returns a checksum of a builder's program, without its name. ok is false if the program is for certain
// devices, or if go-xla has other fields than v0.4.13.
func textOf(b compute.Builder) (text [sha256.Size]byte, ok bool) {
	v := reflect.ValueOf(b)
	field, devices := fieldOf(v, "builder"), fieldOf(v, "deviceAssignment")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*stablehlo.Builder]() || field.IsNil() ||
		devices.Kind() != reflect.Slice || devices.Len() > 0 {
		return text, false
	}
	built, err := (*stablehlo.Builder)(unsafe.Pointer(field.Pointer())).Build()
	_, after, named := bytes.Cut(built, []byte("\n"))
	numbers := map[string]string{}
	after = unique.ReplaceAllFunc(after, func(name []byte) []byte {
		if numbers[string(name)] == "" {
			numbers[string(name)] = fmt.Sprintf("unique_%d", len(numbers))
		}
		return []byte(numbers[string(name)])
	})
	return sha256.Sum256(after), err == nil && named
}

// find returns the program of a text. It is nil if there is none.
func (p *programs) find(text [sha256.Size]byte) *program {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.kept, func(one *program) bool { return one.text == text })
	if at < 0 {
		return nil
	}
	found := p.kept[at]
	p.kept = slices.Insert(slices.Delete(p.kept, at, at+1), 0, found)
	return found
}

// keep keeps a new program, and forgets the one that was not used for longest. If another was compiled at the same
// time, keep returns that.
func (p *programs) keep(one *program) *program {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, other := range p.kept {
		if other.text == one.text {
			one.Executable.Finalize()
			return other
		}
	}
	p.kept = slices.Insert(p.kept, 0, one)
	if len(p.kept) > mostKept {
		p.kept = slices.Delete(p.kept, mostKept, len(p.kept))
	}
	return one
}

// Finalize frees all programs and the backend.
func (p *programs) Finalize() {
	p.mu.Lock()
	for _, one := range p.kept {
		one.Executable.Finalize()
	}
	p.kept = nil
	p.mu.Unlock()
	p.Backend.Finalize()
}

// Finalize leaves the program to others that use it. go-xla frees one that nothing refers to.
func (*program) Finalize() {}

func (one *program) Execute(inputs []compute.Buffer, donate []bool,
	device compute.DeviceNum) ([]compute.Buffer, error) {
	inner := xslices.Map(inputs, func(b compute.Buffer) compute.Buffer { return b.(*buffer).Buffer })
	results, err := one.Executable.Execute(inner, donate, device)
	for i, b := range results {
		results[i] = &buffer{b, one.programs}
	}
	return results, err
}

func (p *programs) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	return p.wrap(p.Backend.BufferFromFlatData(device, flat, shape))
}

func (p *programs) NewSharedBuffer(device compute.DeviceNum, shape shapes.Shape) (b compute.Buffer, flat any,
	err error) {
	b, flat, err = p.Backend.NewSharedBuffer(device, shape)
	b, err = p.wrap(b, err)
	return b, flat, err
}

func (b *buffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	return b.programs.wrap(b.Buffer.CopyToDevice(device))
}

func (b *buffer) Backend() compute.Backend { return b.programs }

func (p *programs) wrap(b compute.Buffer, err error) (compute.Buffer, error) {
	if err != nil {
		return nil, err
	}
	return &buffer{b, p}, nil
}
