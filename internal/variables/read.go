// Package variables reads a store's variables on the host.
package variables

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Average is the scope where a training keeps the moving averages of the weights, each under its own path.
const Average = "/average"

// Network is the scope of a network's variables. In it, Graph holds those that are made from the data's graph, and each
// scope of the name Tables those that a layer makes. The names are for people: Made marks such variables, in whatever
// scope they are.
const (
	Network = "/model/"
	Graph   = "graph"
	Tables  = "tables"
)

// made has a weak pointer to each variable that Made has marked, as long as there is the variable.
var made sync.Map

// Made marks a variable as made from the graph or from other variables: it is made anew wherever the network is built,
// and is no weight. A name could not say so, since the scopes of a registered network have any names.
func Made(v *model.Variable) *model.Variable {
	at := weak.Make(v)
	if _, marked := made.LoadOrStore(at, true); !marked {
		runtime.AddCleanup(v, func(at weak.Pointer[model.Variable]) { made.Delete(at) }, at)
	}
	return v.SetTrainable(false)
}

// IsWeight reports whether a variable belongs to the network and must be kept to classify again. Variables of the
// optimizer do not, nor do those that Made has marked.
func IsWeight(v *model.Variable) bool {
	if !strings.HasPrefix(v.Path(), Network) {
		return false
	}
	_, marked := made.Load(weak.Make(v))
	return !marked
}

// Read copies the values of a variable of scope, row-major. It returns an error if the variable is missing, or has
// another type or shape.
func Read[T int32 | float32 | float64](scope *model.Scope, name string, dims ...int) (flat []T, err error) {
	path, want := model.JoinPath(scope.Scope(), name), shapes.Make(dtypes.FromGenericsType[T](), dims...)
	v := scope.GetVariable(name)
	if v == nil {
		return nil, fmt.Errorf("variable %s is not in the checkpoint", path)
	}
	if !v.Shape().Equal(want) {
		return nil, fmt.Errorf("variable %s is %s; the model needs %s", path, v.Shape(), want)
	}
	value, err := v.Value()
	if err == nil {
		flat, err = tensors.CopyFlatData[T](value)
	}
	if err != nil {
		return nil, fmt.Errorf("variable %s: %w", path, err)
	}
	return flat, nil
}
