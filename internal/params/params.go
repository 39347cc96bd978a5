// Package params describes options once, as tagged fields of a struct, and moves them between that struct, GoMLX's
// parameters of a scope, and text:
//
//	type Options struct {
//		// Dropout is the dropout rate after each level.
//		Dropout float64 `param:"ccp_dropout" default:"0" rule:"share" parts:"level" models:"ccp"`
//	}
//
// The tags are:
//
//   - param, the option's name;
//   - default, its value unless it is set;
//   - rule, what its values must be (see rules);
//   - parts, the kinds of parts of a network that can have their own value; without it the whole network has one value;
//   - models, the models that have the option; without it all models have it.
//
// A field is a bool, int, float64, string or an encoding.TextUnmarshaler. The options of an embedded struct belong to
// the outer struct too. A models tag on an embedded struct holds for all its options.
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
	"from -1":      {"a whole number from -1", func(v float64) bool { return v >= -1 && v < 1<<20 }},
	"from 0":       {"a whole number from 0", func(v float64) bool { return v >= 0 && v < 1<<20 }},
	"from 1":       {"a whole number from 1", func(v float64) bool { return v >= 1 && v < 1<<20 }},
	"6n+2": {"6n+2 with a whole n from 1, such as 20, 56 or 110",
		func(v float64) bool { return v >= 8 && math.Mod(v, 6) == 2 }},
}

// oneOf begins a rule that lists the values of a text: "one of a|b".
const oneOf = "one of "

var known sync.Map // reflect.Type -> []Field

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

func words(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Fields(tag)
}

// Find returns the option of a name, nil if there is none.
func Find(options reflect.Type, name string) *Field {
	fields := Fields(options)
	if at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name }); at >= 0 {
		return &fields[at]
	}
	return nil
}

// Defaults returns the options with their default values.
func Defaults[T any]() (options T) {
	for _, f := range Fields(reflect.TypeFor[T]()) {
		if err := f.Set(&options, f.initial); err != nil {
			panic(fmt.Sprintf("the default of %T: %v", options, err)) // only of a wrong tag
		}
	}
	return options
}

// Read returns the options of a scope: its own parameters, or those of the nearest scope above it, or the defaults.
// It panics, as graph-building functions do, if a value does not parse or breaks its rule.
func Read[T any](scope *model.Scope) T {
	options := Defaults[T]()
	for _, f := range Fields(reflect.TypeFor[T]()) {
		if value, found := scope.GetParam(f.Name); found {
			if err := f.Set(&options, fmt.Sprint(value)); err != nil {
				exceptions.Panicf("%s: %v", scope.Scope(), err)
			}
		}
	}
	return options
}

// Value returns the option's value in a struct. A value that has a text form, such as a plan, is returned as text.
func (f Field) Value(options any) any {
	v := reflect.Indirect(reflect.ValueOf(options)).FieldByIndex(f.index).Interface()
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

// Set parses value into the option's field of the struct that options points to. The error names option and value,
// and says what the value must be.
func (f Field) Set(options any, value string) error {
	v := reflect.ValueOf(options).Elem().FieldByIndex(f.index)
	if field, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := field.UnmarshalText([]byte(value)); err != nil {
			return fmt.Errorf("%s=%s: %w", f.Name, value, err)
		}
		return nil
	}
	number, notNumber := strconv.ParseFloat(value, 64)
	boolean, notBool := strconv.ParseBool(value)
	whole := notNumber == nil && number == math.Trunc(number) && math.Abs(number) < 1<<53 // such as 4, or 1e+06 from JSON
	switch kind := v.Kind(); {
	case kind == reflect.String:
		v.SetString(value)
	case kind == reflect.Bool && notBool == nil:
		v.SetBool(boolean)
	case kind == reflect.Int && whole:
		v.SetInt(int64(number))
	case kind == reflect.Float64 && notNumber == nil:
		v.SetFloat(number)
	default:
		return f.wrong(kind, value)
	}
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
	if math.IsInf(number, 0) || ruled && !rule.holds(number) ||
		listed && !slices.Contains(strings.Split(list, "|"), v.String()) {
		return f.wrong(v.Kind(), v.Interface())
	}
	return nil
}

func (f Field) wrong(kind reflect.Kind, value any) error {
	must := map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number",
	}[kind]
	if rule, ok := rules[f.rule]; ok {
		must = rule.says
	} else if strings.HasPrefix(f.rule, oneOf) {
		must = strings.ReplaceAll(f.rule, "|", ", ")
	}
	return fmt.Errorf("%s=%v: it must be %s", f.Name, value, must)
}

// Check returns the first error of all options of a struct, nil if every value follows its rule.
func Check(options any) error {
	for _, f := range Fields(reflect.Indirect(reflect.ValueOf(options)).Type()) {
		if err := f.Check(options); err != nil {
			return err
		}
	}
	return nil
}
