package kernels

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// MostDual is the largest number of samples for which each of them is left out once. With more, every fifth judges.
const MostDual = 1500

// readout is a ridge classifier: decisions are features · weights + bias.
type readout struct {
	weights  []float64 // `[features, classes]`
	bias     []float64
	penalty  float64
	gain     float64 // of logits over decisions, by which the left-out samples are most likely
	accuracy float64 // on training samples that were left out
}

// ridge finds the ridge classifier whose penalty has the least squared error on samples left out. features:
// `[samples][features]`. Targets are 1 for a sample's class and -1 for others. Features are standardised.
func ridge(features [][]float32, labels []int32, classes int) (r readout) {
	z, mean, scale := standardise(features)
	y, middle := targets(labels, classes)
	solution := r.dual
	if len(features) > MostDual {
		solution = r.primal
	}
	r.weights, r.bias = solution(z, y, labels, middle).RawMatrix().Data, middle
	r.unscale(mean, scale)
	return r
}

// unscale makes weights of standardised features weights of the features.
func (r *readout) unscale(mean, scale []float64) {
	classes := len(r.bias)
	for j := range mean {
		for k := range classes {
			r.weights[j*classes+k] *= scale[j]
			r.bias[k] -= r.weights[j*classes+k] * mean[j]
		}
	}
}

// targets returns 1 for a sample's class and -1 for others, `[samples, classes]`, less the mean over the samples, and
// that mean.
func targets(labels []int32, classes int) (y *mat.Dense, middle []float64) {
	n := len(labels)
	y, middle = mat.NewDense(n, classes, nil), make([]float64, classes)
	for i, label := range labels {
		for k := range middle {
			target := -1.0
			if int(label) == k {
				target = 1
			}
			y.Set(i, k, target)
			middle[k] += target / float64(n)
		}
	}
	for i := range n {
		floats.Sub(y.RawRowView(i), middle)
	}
	return y, middle
}

// standardise returns the features less their means, times their scales. Constant features have scale zero.
func standardise(features [][]float32) (z *mat.Dense, mean, scale []float64) {
	n, width := len(features), len(features[0])
	mean, scale = make([]float64, width), make([]float64, width)
	for _, x := range features {
		for j, v := range x {
			mean[j] += float64(v) / float64(n)
		}
	}
	for _, x := range features {
		for j, v := range x {
			d := float64(v) - mean[j]
			scale[j] += d * d / float64(n)
		}
	}
	for j, s := range scale {
		if scale[j] = 0; s > 1e-12 {
			scale[j] = 1 / math.Sqrt(s)
		}
	}
	z = mat.NewDense(n, width, nil)
	for i, x := range features {
		row := z.RawRowView(i)
		for j, v := range x {
			row[j] = (float64(v) - mean[j]) * scale[j]
		}
	}
	return z, mean, scale
}

// penalties are those to choose from, as in MiniRocket's published program.
func penalties(yield func(float64) bool) {
	for step := range 10 {
		if !yield(math.Pow(10, -3+float64(step)*6/9)) {
			return
		}
	}
}

// dual solves for as many weights as samples, and leaves each sample out once. With K = Z·Zᵀ and centred targets y it
// solves (K + αI)·c = y. The error of a left-out sample is α·c_i / (α·[(K + αI)⁻¹]_ii − 1/n).
func (r *readout) dual(z, y *mat.Dense, labels []int32, middle []float64) (best *mat.Dense) {
	gram, least := gramOf(z), math.Inf(1)
	for alpha := range penalties {
		weights, s, ok := dualAt(gram, z, y, labels, middle, alpha)
		if ok && s.squared < least {
			best, least, r.penalty = weights, s.squared, alpha
			r.judged(s)
		}
	}
	return best
}

// gramOf returns Z·Zᵀ.
func gramOf(z *mat.Dense) *mat.SymDense {
	gram := mat.NewSymDense(z.RawMatrix().Rows, nil)
	blas64.Syrk(blas.NoTrans, 1, z.RawMatrix(), 0, gram.RawSymmetric())
	return gram
}

// dualAt solves for one penalty, and judges the solution.
func dualAt(gram *mat.SymDense, z, y *mat.Dense, labels []int32, middle []float64, alpha float64) (weights *mat.Dense,
	s score, ok bool) {
	n, width := z.Dims()
	c, factor, ok := shifted(gram, alpha, y)
	inverse := mat.NewSymDense(n, nil)
	if !ok || factor.InverseTo(inverse) != nil {
		return nil, s, false
	}
	for i := range n {
		decisions := make([]float64, len(middle))
		for k := range middle {
			decisions[k] = y.At(i, k) - alpha*c.At(i, k)/(alpha*inverse.At(i, i)-1/float64(n))
		}
		s.add(decisions, y.RawRowView(i), middle, labels[i])
	}
	weights = mat.NewDense(width, len(middle), nil)
	weights.Mul(z.T(), c)
	return weights, s, true
}

// primal solves for the weights of the features. Every fifth sample judges the penalties. Then all samples count.
func (r *readout) primal(z, y *mat.Dense, labels []int32, middle []float64) *mat.Dense {
	n, width := z.Dims()
	grams, sides, rows := [2]*mat.SymDense{}, [2]*mat.Dense{}, [2][]int{}
	for i := range n {
		judge := 0
		if i%5 == 4 {
			judge = 1
		}
		rows[judge] = append(rows[judge], i)
	}
	var judges *mat.Dense
	for part, list := range rows {
		some, targets := mat.NewDense(len(list), width, nil), mat.NewDense(len(list), len(middle), nil)
		for at, i := range list {
			some.SetRow(at, z.RawRowView(i))
			targets.SetRow(at, y.RawRowView(i))
		}
		grams[part], sides[part] = mat.NewSymDense(width, nil), mat.NewDense(width, len(middle), nil)
		blas64.Syrk(blas.Trans, 1, some.RawMatrix(), 0, grams[part].RawSymmetric())
		sides[part].Mul(some.T(), targets)
		judges = some
	}
	least := math.Inf(1)
	for alpha := range penalties {
		if alpha < 1 {
			continue
		}
		weights, _, ok := shifted(grams[0], alpha, sides[0])
		if !ok {
			continue
		}
		s, decisions := score{}, new(mat.Dense)
		decisions.Mul(judges, weights)
		for at, i := range rows[1] {
			s.add(decisions.RawRowView(at), y.RawRowView(i), middle, labels[i])
		}
		if s.squared < least {
			least, r.penalty = s.squared, alpha
			r.judged(s)
		}
	}
	grams[0].AddSym(grams[0], grams[1])
	sides[0].Add(sides[0], sides[1])
	weights, _, _ := shifted(grams[0], r.penalty, sides[0])
	return weights
}

// shifted solves (gram + αI)·x = y. It is not ok if rounding has made the matrix singular.
func shifted(gram *mat.SymDense, alpha float64, y *mat.Dense) (x *mat.Dense, factor *mat.Cholesky, ok bool) {
	n := gram.SymmetricDim()
	matrix := mat.NewSymDense(n, slices.Clone(gram.RawSymmetric().Data))
	for i := range n {
		matrix.SetSym(i, i, matrix.At(i, i)+alpha)
	}
	factor, x = new(mat.Cholesky), new(mat.Dense)
	ok = factor.Factorize(matrix) && factor.SolveTo(x, y) == nil
	return x, factor, ok
}

// score sums the squared errors of decisions on samples left out, and keeps the decisions and the classes.
type score struct {
	squared   float64
	decisions [][]float64
	labels    []int32
}

// add takes the decisions and the targets of a sample, both less the middle of the targets.
func (s *score) add(decisions, targets, middle []float64, label int32) {
	whole := make([]float64, len(decisions))
	for k, d := range decisions {
		s.squared += (targets[k] - d) * (targets[k] - d)
		whole[k] = d + middle[k]
	}
	s.decisions, s.labels = append(s.decisions, whole), append(s.labels, label)
}

// judged sets the accuracy and the gain. Decisions are of any scale, as logits are not.
func (r *readout) judged(s score) {
	right := 0
	for i, d := range s.decisions {
		if int32(floats.MaxIdx(d)) == s.labels[i] {
			right++
		}
	}
	r.accuracy = float64(right) / float64(len(s.labels))
	most := math.Inf(-1)
	for gain := 1.0; gain <= 32; gain *= math.Sqrt2 {
		likelihood := 0.0
		for i, d := range s.decisions {
			logits := slices.Clone(d)
			floats.Scale(gain, logits)
			likelihood += logits[s.labels[i]] - floats.LogSumExp(logits)
		}
		if likelihood > most {
			most, r.gain = likelihood, gain
		}
	}
}
