package ops

import (
	"hash/fnv"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// Random numbers here are a hash of a counter and a key, not a stream with a state. They are the same on every
// backend and do not depend on the order of variables. A resumed run draws the same numbers as an uninterrupted one.
// On XLA's CPU they are also several times cheaper than its bit generator.

// hashRound is one round of the 32-bit mixer "lowbias32" (C. Wellons): each input bit flips each output bit with
// probability close to ½. x: uint32, any shape.
func hashRound(x *Node) *Node {
	x = BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, uint32(16)))
	x = Mul(x, Const(x.Graph(), uint32(0x7feb352d)))
	x = BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, uint32(15)))
	x = Mul(x, Const(x.Graph(), uint32(0x846ca68b)))
	return BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, uint32(16)))
}

// randomBits returns uint32 values of the given dimensions. Each is a hash of its position, the scalar uint32 key and
// stream, a constant that tells apart the uses of one key.
func randomBits(key *Node, stream uint32, dims ...int) *Node {
	g := key.Graph()
	counter := IotaFull(g, shapes.Make(dtypes.Uint32, dims...))
	return hashRound(Add(hashRound(BitwiseXor(counter, key)), Const(g, stream)))
}

// keyOf hashes the seed and the full path of whatever asks for random numbers.
func keyOf(scope *model.Scope, name string) uint32 {
	h := fnv.New64a()
	seed := model.GetParamOr(scope, model.ParamInitialSeed, int64(0))
	for i := range 8 {
		h.Write([]byte{byte(seed >> (8 * i))})
	}
	h.Write([]byte(model.JoinPath(scope.Scope(), name)))
	sum := h.Sum64()
	return uint32(sum ^ sum>>32)
}

// NormalVariable creates or finds a trainable variable drawn from N(mean, std²) by the Box-Muller transform. The values
// depend on the parameter `initializer_seed` (int64), the scope and the variable's name alone.
func NormalVariable(scope *model.Scope, name string, mean, std float64, dtype dtypes.DType,
	dims ...int) *model.Variable {
	key := keyOf(scope, name)
	scope = scope.WithInitializer(func(g *Graph, shape shapes.Shape) *Node {
		dims := shape.Dimensions
		if len(dims) == 0 {
			dims = []int{1}
		}
		uniform := func(stream uint32) *Node { // in (0, 1]: never 0, so its logarithm is finite
			bits := ConvertDType(randomBits(Const(g, key), stream, dims...), shape.DType)
			return MulScalar(AddScalar(bits, 0.5), math.Pow(2, -32))
		}
		radius := Sqrt(MulScalar(Log(uniform(0x9e3779b9)), -2))
		x := Mul(radius, Cos(MulScalar(uniform(0x3c6ef372), 2*math.Pi)))
		return Reshape(AddScalar(MulScalar(x, std), mean), shape.Dimensions...)
	})
	return scope.VariableWithShape(name, shapes.Make(dtype, dims...)).SetTrainable(true)
}

// Uniform draws values of these dimensions from [0, 1), in x's type and graph. They depend on the seed, the scope,
// name and the global step alone, like Dropout's mask.
func Uniform(scope *model.Scope, x *Node, name string, dims ...int) *Node {
	g := x.Graph()
	bits := StepBits(scope, g, name, 0xbb67ae85, dims...)
	// A float32 holds 24 bits exactly, and rounding never gives 1.
	return MulScalar(ConvertDType(BitwiseShiftRightLogicalScalar(bits, uint32(8)), x.DType()), math.Pow(2, -24))
}

// StepBits returns uint32 values of the given dimensions for the present training step, like randomBits. The key is a
// variable: then all seeds have the same program.
func StepBits(scope *model.Scope, g *Graph, name string, stream uint32, dims ...int) *Node {
	keys := scope.Store().Scope(model.JoinPath(optimizer.Scope, "keys", scope.Scope()))
	key := keys.VariableWithValue(name, keyOf(scope, name)).SetTrainable(false).NodeValue(g)
	step := ConvertDType(optimizer.GetGlobalStepVar(scope).NodeValue(g), dtypes.Uint32)
	return randomBits(hashRound(Add(step, key)), stream, dims...)
}
