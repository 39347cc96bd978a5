package training

import (
	"cmp"
	"path"
	"slices"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// adamW is GoMLX's Adam with weight decay, to the last bit, for networks of many small weights: scales, offsets, gates. XLA
// compiles a function for each result of a step, and starts it in each step. So small weights have their moments in two
// variables together, and weights that the loss does not depend on have none: biases before batch norm, which stay zero. A weight
// of another type than the loss has moments of its own, in its type.
type adamW struct {
	optimizer.Interface // which clears the variables
	rate, decay         float64
}

// smallWeight is the most values of a weight whose moments are in one variable with those of others.
const smallWeight = 8192

// UpdateGraph implements optimizer.Interface.
func (a adamW) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	var weights, small []*model.Variable
	var values, flat []*Node
	reached := map[*Node]bool{}
	for next := []*Node{loss}; len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if !reached[n] {
			reached[n], next = true, append(next, n.Inputs()...)
		}
	}
	// A resumed store may have another order.
	byPath := func(a, b *model.Variable) int { return cmp.Compare(a.Path(), b.Path()) }
	for _, v := range slices.SortedFunc(scope.IterVariables(), byPath) {
		if v.Trainable && v.InUseByGraph(g) && reached[v.NodeValue(g)] {
			weights, values = append(weights, v), append(values, v.NodeValue(g))
		}
	}
	gradients, dtype := Gradient(loss, values...), loss.DType()
	rate := optimizer.LearningRateVar(scope, dtype, a.rate).NodeValue(g)
	optimizer.IncrementGlobalStep(g, dtype)
	scope = scope.At(optimizer.AdamDefaultScope)
	step := optimizer.IncrementCounter(scope, g, "step", dtype)
	betas := []*Node{Scalar(g, dtype, 0.9), Scalar(g, dtype, 0.999)}
	follow := func(of func(name string) *model.Variable, gradient *Node) []*Node {
		moments := []*Node{gradient, Square(gradient)}
		for i, name := range []string{"1st_moment", "2nd_moment"} {
			v, beta := of(name).SetTrainable(false), ops.Rounded(betas[i], gradient.DType())
			moments[i] = Add(Mul(beta, v.NodeValue(g)), Mul(OneMinus(beta), moments[i]))
			v.SetNodeValue(moments[i])
		}
		return moments
	}
	unbiased := func(i int, x *Node) *Node {
		return Mul(x, ops.Rounded(Reciprocal(OneMinus(Pow(betas[i], step))), x.DType()))
	}
	update := func(w *model.Variable, first, second *Node) {
		value, rate := w.NodeValue(g), ops.Rounded(rate, w.DType())
		change := Div(Mul(rate, unbiased(0, first)), Add(Sqrt(unbiased(1, second)), Scalar(g, w.DType(), 1e-7)))
		if a.decay > 0 {
			change = Add(change, Mul(rate, MulScalar(value, a.decay)))
		}
		w.SetNodeValue(Sub(value, change))
	}
	for i, w := range weights {
		if n := w.Shape().Size(); n <= smallWeight && w.DType() == dtype {
			small, flat = append(small, w), append(flat, Reshape(gradients[i], n))
			continue
		}
		moments := follow(func(name string) *model.Variable {
			return ownMoments(scope, w).WithInitializer(initializer.Zero).VariableWithShape(w.Name()+"_"+name, w.Shape())
		}, gradients[i])
		update(w, moments[0], moments[1])
	}
	if len(small) == 0 {
		return
	}
	all := follow(func(name string) *model.Variable { return together(scope, name, small) }, Concatenate(flat, 0))
	all, at := OptimizationBarriers(all...), 0 // else each weight would compute them anew
	for _, w := range small {
		part := func(x *Node) *Node {
			return Reshape(Slice(x, AxisRange(at, at+w.Shape().Size())), w.Shape().Dimensions...)
		}
		update(w, part(all[0]), part(all[1]))
		at += w.Shape().Size()
	}
}

// ownMoments is the scope of a weight's own moments.
func ownMoments(scope *model.Scope, w *model.Variable) *model.Scope {
	return scope.Store().Scope(path.Join("/", optimizer.AdamDefaultScope, w.Scope()))
}

// together creates or finds the variable with a moment of all small weights. In snapshots of former versions each has its own.
func together(scope *model.Scope, name string, small []*model.Variable) *model.Variable {
	if v := scope.GetVariable(name); v != nil {
		return v
	}
	var all []float32
	for _, w := range small {
		of, own := ownMoments(scope, w), w.Name()+"_"+name
		flat, err := variables.Read[float32](of, own, w.Shape().Dimensions...)
		if err != nil { // there is none
			flat = make([]float32, w.Shape().Size())
		} else if err = of.DeleteVariable(own); err != nil {
			panic(err)
		}
		all = append(all, flat...)
	}
	return scope.VariableWithValue(name, tensors.FromFlatDataAndDimensions(all, len(all)))
}
