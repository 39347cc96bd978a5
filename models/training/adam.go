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

// adamW is GoMLX's Adam with weight decay, to the last bit, for networks of many small weights: scales, offsets,
// gates. XLA compiles a function for each result of a step, and starts it in each step. So small weights have their
// moments in two variables together, and weights that the loss does not depend on have none: biases before batch
// norm, which stay zero. A weight of another type than the loss has moments of its own, in its type.
type adamW struct {
	optimizer.Interface // which clears the variables
	// rate returns the learning rate of the next step, see schedule. It is no variable as GoMLX's is: a trainer begins by
	// deleting that one, so that a store which was trained before would have another order, and with it another program.
	rate  func(scope *model.Scope, g *Graph) *Node
	decay float64
}

// smallWeight is the most values of a weight whose moments are in one variable with those of others.
const smallWeight = 8192

// UpdateGraph implements optimizer.Interface.
func (a adamW) UpdateGraph(scope *model.Scope, g *Graph, loss *Node) {
	weights, values := trainedWeights(scope, g, loss)
	gradients, dtype := Gradient(loss, values...), loss.DType()
	rate := ConvertDType(a.rate(scope, g), dtype)
	optimizer.IncrementGlobalStep(g, dtype)
	scope = scope.At(optimizer.AdamDefaultScope)
	s := adamStep{rate: rate, decay: a.decay, step: optimizer.IncrementCounter(scope, g, "step", dtype),
		betas: []*Node{Scalar(g, dtype, 0.9), Scalar(g, dtype, 0.999)}}
	var small []*model.Variable
	var flat []*Node // their gradients
	for i, w := range weights {
		if n := w.Shape().Size(); n <= smallWeight && w.DType() == dtype {
			small, flat = append(small, w), append(flat, Reshape(gradients[i], n))
			continue
		}
		moments := s.moments(gradients[i], func(name string) *model.Variable {
			own := ownMoments(scope, w).WithInitializer(initializer.Zero)
			return own.VariableWithShape(w.Name()+"_"+name, w.Shape())
		})
		s.update(w, moments[0], moments[1])
	}
	if len(small) == 0 {
		return
	}
	all := s.moments(Concatenate(flat, 0), func(name string) *model.Variable { return together(scope, name, small) })
	all = OptimizationBarriers(all...) // else each weight would compute them anew
	from := 0
	for _, w := range small {
		to := from + w.Shape().Size()
		part := func(x *Node) *Node { return Reshape(Slice(x, AxisRange(from, to)), w.Shape().Dimensions...) }
		s.update(w, part(all[0]), part(all[1]))
		from = to
	}
}

// trainedWeights returns the trainable variables on which the loss depends, sorted by path because a resumed store
// may have another order, and their nodes.
func trainedWeights(scope *model.Scope, g *Graph, loss *Node) (weights []*model.Variable, values []*Node) {
	reached := reachedFrom(loss)
	byPath := func(a, b *model.Variable) int { return cmp.Compare(a.Path(), b.Path()) }
	for _, v := range slices.SortedFunc(scope.IterVariables(), byPath) {
		if v.Trainable && v.InUseByGraph(g) && reached[v.NodeValue(g)] {
			weights, values = append(weights, v), append(values, v.NodeValue(g))
		}
	}
	return weights, values
}

// reachedFrom returns the nodes that a result depends on, and the result itself.
func reachedFrom(result *Node) map[*Node]bool {
	reached := map[*Node]bool{}
	open := []*Node{result}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if !reached[n] {
			reached[n] = true
			open = append(open, n.Inputs()...)
		}
	}
	return reached
}

// adamStep is a step of Adam in a graph: its learning rate, its number, and the decays of the first and second
// moment.
type adamStep struct {
	rate, step *Node
	decay      float64
	betas      []*Node
}

// moments moves the first and the second moment of a gradient, in the variables that of returns for their names, and
// returns their new values.
func (s adamStep) moments(gradient *Node, of func(name string) *model.Variable) []*Node {
	moments := []*Node{gradient, Square(gradient)}
	for i, name := range []string{"1st_moment", "2nd_moment"} {
		v, beta := of(name).SetTrainable(false), ops.Rounded(s.betas[i], gradient.DType())
		moments[i] = Add(Mul(beta, v.NodeValue(gradient.Graph())), Mul(OneMinus(beta), moments[i]))
		v.SetNodeValue(moments[i])
	}
	return moments
}

// unbiased divides moment i by what it lacks in the first steps, since it began at zero.
func (s adamStep) unbiased(i int, x *Node) *Node {
	return Mul(x, ops.Rounded(Reciprocal(OneMinus(Pow(s.betas[i], s.step))), x.DType()))
}

// update changes a weight by its moments, and decays it.
func (s adamStep) update(w *model.Variable, first, second *Node) {
	g := first.Graph()
	value, rate := w.NodeValue(g), ops.Rounded(s.rate, w.DType())
	change := Div(Mul(rate, s.unbiased(0, first)), Add(Sqrt(s.unbiased(1, second)), Scalar(g, w.DType(), 1e-7)))
	if s.decay > 0 {
		change = Add(change, Mul(rate, MulScalar(value, s.decay)))
	}
	w.SetNodeValue(Sub(value, change))
}

// ownMoments is the scope of a weight's own moments.
func ownMoments(scope *model.Scope, w *model.Variable) *model.Scope {
	return scope.Store().Scope(path.Join("/", optimizer.AdamDefaultScope, w.Scope()))
}

// together returns the variable with a moment of all small weights, and makes it if there is none. A snapshot of a
// former version has a variable for each of them instead, whose values it takes over.
func together(scope *model.Scope, name string, small []*model.Variable) *model.Variable {
	if v := scope.GetVariable(name); v != nil {
		return v
	}
	var all []float32
	for _, w := range small {
		own, variable := ownMoments(scope, w), w.Name()+"_"+name
		values, err := variables.Read[float32](own, variable, w.Shape().Dimensions...)
		if err != nil { // the snapshot has none
			values = make([]float32, w.Shape().Size())
		} else {
			err := own.DeleteVariable(variable)
			if err != nil {
				panic(err)
			}
		}
		all = append(all, values...)
	}
	return scope.VariableWithValue(name, tensors.FromFlatDataAndDimensions(all, len(all)))
}
