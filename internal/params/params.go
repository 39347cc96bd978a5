// Package params describes options once, as tagged fields of a struct, and moves them between the struct, GoMLX's
// parameters of a scope, and text:
//
//	type Options struct {
//		// Dropout is the dropout rate after each level.
//		Dropout float64 `param:"ccp_dropout" default:"0" rule:"share" models:"ccp"`
//	}
//
// The tags are:
//
//   - param, the option's name;
//   - default, its value unless it is set; without it the zero value;
//   - rule, what its values must be (see rules);
//   - models, the models that have the option; without it all models have it;
//   - phase, which part of a training alone follows the option (see Loading and the phases after it); without it
//     several parts do;
//   - auto, that the option can be left to the data: "yes" if the training computes its value, or "PLAIN|LONG", a
//     value for plain data and one for long recordings.
//
// A field is a bool, int, int64, uint64, float64, string or an encoding.TextUnmarshaler. The options of an embedded
// struct belong to the outer struct too. A models tag on an embedded struct holds for all its options, and a phase
// tag for those that have none of their own.
package params

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/gomlx/gomlx/support/xslices"
)

// The phases of a training that an option can belong to.
const (
	Loading    = "loading"    // only the loading of a data set follows it
	Transforms = "transforms" // the fit of the transforms follows it
	Network    = "network"    // the network follows it
	Building   = "building"   // the network of the paper follows it in its function Build, and no layer does
	Steps      = "steps"      // only the steps of a training follow it
)

// Field is one option.
type Field struct {
	Name   string
	Models []string // models that have it; none: all
	Phase  string   // Loading and so on, or ""
	Auto   string   // see the tag auto; "" if the option cannot be left to the data

	of      reflect.Type // the struct
	rule    string
	initial string
	index   []int
}

// rules are what a number must be, by the name that a rule tag gives.
var rules = map[string]struct {
	says  string
	holds func(v float64) bool
}{
	"finite":       {"a finite number", func(v float64) bool { return !math.IsNaN(v) }},
	"positive":     {"positive and finite", func(v float64) bool { return v > 0 }},
	"not negative": {"finite and not negative", func(v float64) bool { return v >= 0 }},
	"share":        {"in [0, 1)", func(v float64) bool { return v >= 0 && v < 1 }},
	"percent":      {"a number in [0, 100], such as 2", func(v float64) bool { return v >= 0 && v <= 100 }},
	"count":        {"a whole number from 1", func(v float64) bool { return v >= 1 }},
	"from 0":       {"a whole number from 0 to 1048575", func(v float64) bool { return v >= 0 && v < 1<<20 }},
	"from 1":       {"a whole number from 1 to 1048575", func(v float64) bool { return v >= 1 && v < 1<<20 }},
}

// kindNames say what the text of a value must be, by the kind of its field. All other kinds are whole numbers.
var kindNames = map[reflect.Kind]string{reflect.Bool: "true or false", reflect.Float64: "a number",
	reflect.Uint64: "a whole number from 0"}

// oneOf begins a rule that lists the values of a text: "one of a|b".
const oneOf = "one of "

// prefix begins the names of parameters that belong to this library alone.
const prefix = "ccp_"

// known holds the described structs: reflect.Type -> *described.
var known sync.Map

// described is what is known of a struct: its options, and the struct with each option's default.
type described struct {
	fields   []Field
	defaults reflect.Value
}

// describe reads the tags of a struct, once. No struct has no options.
func describe(options reflect.Type) *described {
	if d, ok := known.Load(options); ok {
		return d.(*described)
	}
	if options == nil {
		return &described{}
	}
	d := &described{defaults: reflect.New(options)}
	for i := range options.NumField() {
		f := options.Field(i)
		models := strings.Fields(f.Tag.Get("models"))
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			for _, inner := range Fields(f.Type) {
				inner.of, inner.index = options, append([]int{i}, inner.index...)
				inner.Phase = cmp.Or(inner.Phase, f.Tag.Get("phase"))
				if len(models) > 0 {
					inner.Models = models
				}
				d.fields = append(d.fields, inner)
			}
		} else if name := f.Tag.Get("param"); name != "" {
			d.fields = append(d.fields, Field{Name: name, Models: models,
				Phase: f.Tag.Get("phase"), Auto: f.Tag.Get("auto"),
				of: options, rule: f.Tag.Get("rule"), initial: f.Tag.Get("default"), index: []int{i}})
		}
	}
	for _, f := range d.fields {
		if f.initial == "" {
			continue // the zero value
		}
		if err := f.Set(d.defaults.Interface(), f.initial); err != nil {
			panic(fmt.Sprintf("the default of %s: %v", options, err)) // only of a wrong tag
		}
	}
	known.Store(options, d)
	return d
}

// Fields returns the options of a struct in the order of its fields.
func Fields(options reflect.Type) []Field { return describe(options).fields }

// Find returns the option of a name, or nil if there is none.
func Find(fields []Field, name string) *Field {
	if at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name }); at >= 0 {
		return &fields[at]
	}
	return nil
}

// Defaults returns the options that nobody has set.
func Defaults[T any]() T { return describe(reflect.TypeFor[T]()).defaults.Elem().Interface().(T) }

// Values returns the options of a struct by name, each as Field.Value has it.
func Values(options any) map[string]any {
	values := map[string]any{}
	for _, f := range Fields(reflect.TypeOf(options)) {
		values[f.Name] = f.Value(options)
	}
	return values
}

// Names returns the names of options.
func Names(fields []Field) []string {
	return xslices.Map(fields, func(f Field) string { return f.Name })
}

// From returns the options that get gives by name, and defaults for the others. The error is the first wrong value's.
func From[T any](get func(name string) (value any, found bool)) (options T, err error) {
	options = Defaults[T]()
	for _, f := range Fields(reflect.TypeFor[T]()) {
		if value, found := get(f.Name); found && err == nil {
			err = f.Set(&options, value)
		}
	}
	return options, err
}

// Read returns the options of a scope. Each is the parameter of the scope itself, or else that of the nearest scope
// above which has it, or else the default. Read panics, as graph-building functions do, if an option cannot have the
// parameter's value.
func Read[T any](scope *model.Scope) T {
	options, err := From[T](scope.GetParam)
	if err != nil {
		exceptions.Panicf("%s: %v", scope.Scope(), err)
	}
	return options
}

// RefuseUnknown panics, as graph-building functions do, if any scope of the store has a parameter that begins with ccp_
// and is an option of no struct whose options this program has used so far: its name must be misspelt. A caller has
// read its own options before.
func RefuseUnknown(store *model.Store) {
	var names []string
	known.Range(func(_, d any) bool {
		names = append(names, Names(d.(*described).fields)...)
		return true
	})
	for path := range store.IterParams() {
		name := path[strings.LastIndex(path, model.ScopeSeparator)+1:]
		if strings.HasPrefix(name, prefix) && !slices.Contains(names, name) {
			names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
			slices.Sort(names)
			exceptions.Panicf("%s: there is no such parameter: %s", path, suggest.Among(name, slices.Compact(names)))
		}
	}
}

// Value returns the option's value in a struct, in the type that a scope's parameter has, see Plain.
func (f Field) Value(options any) any { return Plain(f.Typed(options)) }

// Default returns the option's value unless it is set, in the type of its field.
func (f Field) Default() any { return f.Typed(describe(f.of).defaults.Interface()) }

// Parse returns a value in the type of the option's field, as Set puts it there, and the error of Set.
func (f Field) Parse(value any) (any, error) {
	options := reflect.New(f.of)
	err := f.Set(options.Interface(), value)
	return f.Typed(options.Interface()), err
}

// Of reports whether the option is a field of that struct.
func (f Field) Of(options reflect.Type) bool { return f.of == options }

// Same reports whether two structs mean the same by an option: its type, its default and its rule.
func (f Field) Same(g Field) bool {
	return f.of.FieldByIndex(f.index).Type == g.of.FieldByIndex(g.index).Type && f.initial == g.initial &&
		f.rule == g.rule
}

// Plain returns the value of a field in the type that a scope's parameter has: an encoding.TextMarshaler as text.
func Plain(v any) any {
	if marshaler, ok := v.(encoding.TextMarshaler); ok {
		raw, err := marshaler.MarshalText()
		if err != nil {
			return fmt.Sprintf("%v", err)
		}
		return string(raw)
	}
	if v := reflect.ValueOf(v); v.Kind() == reflect.String {
		return v.String()
	}
	return v
}

// Typed returns the option's value in a struct, in the type of its field.
func (f Field) Typed(options any) any {
	return reflect.Indirect(reflect.ValueOf(options)).FieldByIndex(f.index).Interface()
}

// Set puts a value into the option's field of the struct that options points to. A value of the field's own type
// stays as it is; any other is parsed from its text. The error is an Error.
func (f Field) Set(options, value any) error {
	v := reflect.ValueOf(options).Elem().FieldByIndex(f.index)
	if given := reflect.ValueOf(value); given.IsValid() && given.Type() == v.Type() {
		v.Set(given)
		return f.Check(options)
	}
	text := fmt.Sprint(value)
	if field, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := field.UnmarshalText([]byte(text)); err != nil {
			return Errorf(f.Name, value, "%w", err)
		}
		return nil
	}
	var parsed any = text
	var err error
	switch v.Kind() {
	case reflect.String:
	case reflect.Bool:
		parsed, err = strconv.ParseBool(text)
	case reflect.Float64:
		parsed, err = strconv.ParseFloat(text, 64)
	case reflect.Uint64:
		parsed, err = strconv.ParseUint(text, 10, 64)
	default:
		parsed, err = strconv.ParseInt(text, 10, 64)
		if err != nil { // such as 4.0 or 1e3
			var number float64
			number, err = strconv.ParseFloat(text, 64)
			if number != math.Trunc(number) || math.Abs(number) >= 1<<53 {
				return f.wrong(v.Kind(), value)
			}
			parsed = int64(number)
		}
	}
	if err != nil {
		return f.wrong(v.Kind(), value)
	}
	v.Set(reflect.ValueOf(parsed).Convert(v.Type()))
	return f.Check(options)
}

// Check returns an error if the option's value breaks its rule.
func (f Field) Check(options any) error {
	v := reflect.Indirect(reflect.ValueOf(options)).FieldByIndex(f.index)
	list, listed := strings.CutPrefix(f.rule, oneOf)
	var number float64
	switch {
	case v.CanInt():
		number = float64(v.Int())
	case v.CanFloat():
		number = v.Float()
	}
	rule, ruled := rules[f.rule]
	switch {
	case math.IsInf(number, 0), ruled && !rule.holds(number):
		return f.wrong(v.Kind(), v.Interface())
	case listed && !slices.Contains(strings.Split(list, "|"), v.String()):
		return f.wrong(v.Kind(), v.Interface())
	}
	return nil
}

// wrong returns the error of a value that the option cannot have: by its rule, or by the kind of its field.
func (f Field) wrong(kind reflect.Kind, value any) error {
	allows, hint := cmp.Or(kindNames[kind], "a whole number"), ""
	list, listed := strings.CutPrefix(f.rule, oneOf)
	rule, ruled := rules[f.rule]
	switch {
	case ruled:
		allows = rule.says
	case listed:
		values := strings.Split(list, "|")
		allows = oneOf + strings.Join(values, ", ")
		if meant := suggest.Nearest(fmt.Sprint(value), values); meant != "" {
			hint = "; did you mean " + meant + "?"
		}
	}
	err := Errorf(f.Name, value, "%s", hint)
	err.Allows = allows
	return err
}

// Check returns the first error of all options of a struct; nil if every value follows its rule.
func Check(options any) error {
	for _, f := range Fields(reflect.Indirect(reflect.ValueOf(options)).Type()) {
		if err := f.Check(options); err != nil {
			return err
		}
	}
	return nil
}
