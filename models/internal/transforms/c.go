package transforms

import (
	"bytes"
	_ "embed"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/clusterpool/ccp/models/internal/transforms/features"
)

//go:embed predict.c.tmpl
var predictC string

// cFile is what predict.c.tmpl takes.
type cFile struct {
	Classes, Columns                    int
	Longest, Length                     int // time points of the longest recording, and of stretched ones
	Padded                              int // length of the longest spectrum
	Flash, RAM                          int // bytes of constants and of variables
	Temperature, Smoothing, Calibration float64
	Names                               []string // of the classes, as constants of C
	Arrays                              []cArray
	Has                                 map[string]bool // transforms, by their options
	Whole, Stretched                    []string        // calls for the series as it is, and for the stretched one
}

// cArray is a constant array.
type cArray struct{ Type, Name, Values string }

// NoC is the error of a part of a classifier that has no form in C.
func NoC(part string) error {
	return fmt.Errorf("%s has no form in C; train without it: "+
		"ccp train --model transforms --set transforms=minirocket,hydra,power", part)
}

// C returns the text of a C99 file that computes Probabilities of recordings, and divides their logarithms by another
// temperature. The error names a part that C lacks.
func (v *Classifier) C(classNames []string, calibration float64) ([]byte, error) {
	if v.forest != nil {
		return nil, NoC("the transform " + Forest)
	}
	f := &cFile{
		Classes:     v.Classes,
		Columns:     v.Columns,
		Longest:     max(v.Longest, v.Length),
		Length:      v.Length,
		Temperature: v.Temperature,
		Smoothing:   v.Smoothing,
		Calibration: calibration,
		Has:         map[string]bool{},
	}
	f.Padded = max(4, 1<<bits.Len(uint(f.Longest-1)))
	for _, name := range classNames {
		f.Names = append(f.Names, quoteC(name))
		f.Flash += len(name) + 1
	}
	f.array("float", "mean", v.scaling.Mean)
	f.array("float", "scale", v.scaling.Scale)
	f.array("float", "bias", v.bias)
	for _, t := range v.transforms {
		if err := f.transform(t); err != nil {
			return nil, err
		}
	}
	f.RAM = f.variables()
	var out bytes.Buffer
	err := template.Must(template.New("").Parse(predictC)).Execute(&out, f)
	return out.Bytes(), err
}

// variables returns how many bytes the variables of predict.c.tmpl take.
func (f *cFile) variables() int {
	const size, double = 4, 8 // of a float, or an int of most compilers
	floats := f.Columns * f.Longest
	if f.Has["minirocket"] || f.Has["hydra"] || len(f.Stretched) > 0 {
		floats += f.Longest
	}
	if f.Has["minirocket"] {
		floats += f.Longest
	}
	if f.Has["power"] {
		floats += 2*f.Padded + (2+features.BandCount)*f.Columns
	}
	return size*(floats+1) + double*f.Classes
}

// array adds a constant array, and returns its name.
func (f *cFile) array(kind, name string, values []float32) string {
	bytes := 4 // of each value
	if kind == "int8_t" {
		bytes = 1
	}
	f.Flash += bytes * len(values)
	var text strings.Builder
	for i, x := range values {
		before := " "
		if i%16 == 0 {
			before = "\n\t"
		}
		number := strconv.FormatFloat(float64(x), 'f', -1, 32)
		if kind == "float" { // which has an exponent in any case, as the suffix asks for
			number = strconv.FormatFloat(float64(x), 'e', -1, 32) + "f"
		}
		text.WriteString(before + number + ",")
	}
	name = "ccp_" + strings.ReplaceAll(name, "-", "_")
	f.Arrays = append(f.Arrays, cArray{kind, name, text.String() + "\n"})
	return name
}

// transform adds the arrays and the call of a transform.
func (f *cFile) transform(v *transform) error {
	inC, ok := v.Map.(features.MapInC)
	if !ok {
		return NoC("the transform " + v.Name)
	}
	arguments := inC.CArguments(f.Padded)
	if arguments == nil {
		return NoC("the transform " + v.Name)
	}
	add := func(kind, name string, values []float32) {
		arguments = append(arguments, features.CArray{Type: kind, Name: name, Values: values})
	}
	add("float", "mean", v.standardiser.Mean)
	// Features without a kernel are not scaled: their weights are, which saves an array.
	scale := v.standardiser.Scale
	if v.kernel != nil {
		k := v.kernel
		add("float", "scale", v.standardiser.Scale)
		arguments = append(arguments, len(k.norms))
		add("float", "landmarks", k.landmarks)
		arguments = append(arguments, k.g)
		scale = slices.Repeat([]float32{1}, len(k.norms))
	}
	weights := make([]float32, len(v.weights)) // `[features, classes]`
	for i, w := range v.weights {
		class, feature := i/len(scale), i%len(scale)
		weights[feature*f.Classes+class] = w * scale[feature]
	}
	add("float", "weights", weights)
	call := "ccp_" + v.Option + "(timepoints"
	for _, a := range arguments {
		if array, ok := a.(features.CArray); ok {
			a = f.array(array.Type, v.Name+"_"+array.Name, array.Values)
		}
		call += fmt.Sprint(", ", a)
	}
	call += ");"
	f.Has[v.Option] = true
	if v.Stretched {
		f.Stretched = append(f.Stretched, call)
	} else {
		f.Whole = append(f.Whole, call)
	}
	return nil
}

// quoteC returns a string of C. Octal escapes end after three digits, and trigraphs have question marks.
func quoteC(s string) string {
	var text strings.Builder
	for _, b := range []byte(s) {
		if b < ' ' || strings.IndexByte(`"\?`+"\x7f", b) >= 0 {
			fmt.Fprintf(&text, `\%03o`, b)
		} else {
			text.WriteByte(b)
		}
	}
	return `"` + text.String() + `"`
}
