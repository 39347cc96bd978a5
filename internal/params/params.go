// Package params describes options once, as tagged fields of a struct, and moves them between that struct, GoMLX's
// parameters of a scope, and text:
//
//	type Options struct {
//		// Dropout is the dropout rate after each level.
//		Dropout float64 `param:"ccp_dropout" default:"0" rule:"share" parts:"level" models:"ccp"`
//	}
//
// param is the option's name. default is its value unless set, rule names what its values must be (see rules), parts lists the
// kinds of parts of a network that can have a value of their own (none: the option is for the whole network), and models
// lists the models that have the option (none: all). Fields are bool, int, float64, string or an encoding.TextUnmarshaler.
// Options of an embedded struct count as its owner's; a models tag on the embedding is for all of them.
package params

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Field is one option.
type Field struct {
	Name   string
	Parts  []string // kinds of parts that can have a value of their own
	Models []string // models that have it; nil: all

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
	"from 0":       {"a whole number from 0", func(v float64) bool { return v >= 0 && v < 1<<20 }},
	"from 1":       {"a whole number from 1", func(v float64) bool { return v >= 1 && v < 1<<20 }},
	"6n+2":         {"6n+2 with a whole n from 1, such as 20, 56 or 110", func(v float64) bool { return v >= 8 && math.Mod(v, 6) == 2 }},
}

// oneOf is how a rule begins that lists the values of a text: "one of a|b".
const oneOf = "one of "

var (
	known sync.Map // reflect.Type -> []Field
	text  = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// Fields lists the options of a struct in the order of its fields.
func Fields(options reflect.Type) []Field {
	if fields, ok := known.Load(options); ok {
		return fields.([]Field)
	}
	var fields []Field
	for i := range options.NumField() {
		f := options.Field(i)
		models := words(f.Tag.Get("models"))
		if f.Anonymous {
			for _, inner := range Fields(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				if models != nil {
					inner.Models = models
				}
				fields = append(fields, inner)
			}
		} else if name := f.Tag.Get("param"); name != "" {
			fields = append(fields, Field{Name: name, Parts: words(f.Tag.Get("parts")), Models: models,
				rule: f.Tag.Get("rule"), initial: f.Tag.Get("default"), index: []int{i}})
		}
	}
	known.Store(options, fields)
	return fields
}

// words are those of a tag; nil for none.
func words(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Fields(tag)
}

// Find is the option of that name; nil if there is none.
func Find(options reflect.Type, name string) *Field {
	fields := Fields(options)
	if at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name }); at >= 0 {
		return &fields[at]
	}
	return nil
}

// Defaults are the options that nobody has set.
func Defaults[T any]() (options T) {
	for _, f := range Fields(reflect.TypeFor[T]()) {
		if err := f.Set(&options, f.initial); err != nil {
			panic(fmt.Sprintf("the default of %T: %v", options, err)) // cannot be, unless a tag is wrong
		}
	}
	return options
}

// Read gives the options as the parameters of a scope have them: its own, or the nearest above it, or the default. It panics, as
// graph-building functions do, where a parameter has a value of another type or one that its rule excludes.
func Read[T any](scope *model.Scope) T {
	options := Defaults[T]()
	for _, f := range Fields(reflect.TypeFor[T]()) {
		value, found := scope.GetParam(f.Name)
		if !found {
			continue
		}
		if err := f.Set(&options, fmt.Sprint(value)); err != nil {
			exceptions.Panicf("%s: %v", scope.Scope(), err)
		}
	}
	return options
}

// Value is the option's value in a struct, of the type that a scope's parameters have: text for an encoding.TextMarshaler.
func (f Field) Value(options any) any {
	v := reflect.Indirect(reflect.ValueOf(options)).FieldByIndex(f.index).Interface()
	if marshaler, ok := v.(encoding.TextMarshaler); ok {
		raw, err := marshaler.MarshalText()
		if err != nil {
			return fmt.Sprintf("%v", err)
		}
		return string(raw)
	}
	return v
}

// Set gives the option in the struct that options points to the value that a text says. The error names option, text and what the
// value must be.
func (f Field) Set(options any, value string) error {
	v := reflect.ValueOf(options).Elem().FieldByIndex(f.index)
	var err error
	switch {
	case v.Addr().Type().Implements(text):
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(value)); err != nil {
			return fmt.Errorf("%s=%s: %w", f.Name, value, err)
		}
		return nil
	case v.Kind() == reflect.Bool:
		var b bool
		if b, err = strconv.ParseBool(value); err == nil {
			v.SetBool(b)
		}
	case v.Kind() == reflect.Int:
		var number float64 // such as 4 or, from older checkpoints, 4.0
		if number, err = strconv.ParseFloat(value, 64); err == nil && number == math.Trunc(number) {
			v.SetInt(int64(number))
		} else {
			err = strconv.ErrSyntax
		}
	case v.Kind() == reflect.Float64:
		var number float64
		if number, err = strconv.ParseFloat(value, 64); err == nil {
			v.SetFloat(number)
		}
	default:
		v.SetString(value)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: it must be %s", f.Name, value, f.says(v.Kind()))
	}
	return f.Check(options)
}

// Check says what the option's value must be, where it is not.
func (f Field) Check(options any) error {
	v := reflect.Indirect(reflect.ValueOf(options)).FieldByIndex(f.index)
	ok := true
	switch v.Kind() {
	case reflect.Int:
		ok = f.holds(float64(v.Int()))
	case reflect.Float64:
		ok = f.holds(v.Float())
	case reflect.String:
		if list, found := strings.CutPrefix(f.rule, oneOf); found {
			ok = slices.Contains(strings.Split(list, "|"), v.String())
		}
	}
	if !ok {
		return fmt.Errorf("%s=%v: it must be %s", f.Name, v.Interface(), f.says(v.Kind()))
	}
	return nil
}

func (f Field) holds(v float64) bool {
	rule, ok := rules[f.rule]
	return !math.IsInf(v, 0) && (!ok || rule.holds(v))
}

// says is what the option's values are, in words.
func (f Field) says(kind reflect.Kind) string {
	if list, found := strings.CutPrefix(f.rule, oneOf); found {
		return oneOf + strings.ReplaceAll(list, "|", ", ")
	}
	if rule, ok := rules[f.rule]; ok {
		return rule.says
	}
	switch kind {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	}
	return "a number"
}

// Check is the first error of all options of a struct; nil where every value is as its rule says.
func Check(options any) error {
	for _, f := range Fields(reflect.Indirect(reflect.ValueOf(options)).Type()) {
		if err := f.Check(options); err != nil {
			return err
		}
	}
	return nil
}
