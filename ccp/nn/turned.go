package nn

import (
	"errors"
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// AnswersParam is a graph's parameter: the program answers with weights that are there already, and has no gradients.
const AnswersParam = "answers"

// turnedName is the name of the variable, among its layer's tables, that Turned keeps.
const turnedName = "turned"

// Turned returns the weights v of scope, `[outputs, ...]`, as a matrix with the outputs last, `[values, outputs]`. The
// matrix is kept as a table beside them. XLA's CPU products copy a second factor that has its outputs first, in every
// call: for one signal this takes as long as the product. The result is nil if g is no program as AnswersParam says, or
// if there are no weights in float32.
func Turned(scope *model.Scope, g *Graph, v *model.Variable) *Node {
	if !model.GetGraphParamOr(scope, g, AnswersParam, false) || !v.HasValue() || v.DType() != dtypes.Float32 {
		return nil
	}
	tables := scope.Store().Scope(model.JoinPath(scope.Scope(), TablesScope)) // the layer may have visited it
	if kept := tables.GetVariable(turnedName); kept != nil {
		return kept.NodeValue(g)
	}
	value, err := turned(v)
	if err != nil {
		panic(err)
	}
	return Constant(tables, g, turnedName, value)
}

// turned copies a variable's value with its first axis last.
func turned(v *model.Variable) (*tensors.Tensor, error) {
	value, err := v.Value()
	if err != nil {
		return nil, err
	}
	from, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return nil, err
	}
	outputs := v.Shape().Dim(0)
	rows := len(from) / outputs
	to := make([]float32, len(from))
	for i, w := range from {
		to[i%rows*outputs+i/rows] = w
	}
	return tensors.FromFlatDataAndDimensions(to, rows, outputs), nil
}

// TurnAgain brings what Turned keeps in a store up to date with its weights, after they have changed.
func TurnAgain(store *model.Store) (err error) {
	for v := range store.IterVariables() {
		if path, ok := strings.CutSuffix(v.Path(), TablesScope+model.ScopeSeparator+turnedName); ok {
			value, failed := turned(store.GetVariable(path + kernelName))
			if failed == nil {
				failed = v.SetValue(value)
			}
			err = errors.Join(err, failed)
		}
	}
	return err
}
