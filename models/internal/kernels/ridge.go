package kernels

import (
	"math"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
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
// `[samples][features]`, of which the last are so many values of the signal. Targets are 1 for a sample's class and -1
// for others. Features are standardised. How much the signal's values count is chosen like the penalty.
func ridge(backend compute.Backend, features [][]float32, values int, labels []int32, classes int) (r readout,
	err error) {
	z, mean, scale := standardise(features)
	y, middle := targets(labels, classes)
	t := task{backend, z, y, labels, middle, values}
	var m method
	if len(features) > MostDual {
		m, err = newPrimal(t)
	} else {
		m, err = newDual(t)
	}
	if err != nil {
		return r, err
	}
	signal, penalty, s := choose(m, values)
	r = readout{weights: m.solve(signal, penalty).RawMatrix().Data, bias: middle, penalty: penalty}
	r.judged(s)
	r.unscale(mean, scale)
	return r, nil
}

// task is what a method solves: standardised features, of which the last are so many values of the signal, and centred
// targets.
type task struct {
	backend compute.Backend
	z, y    *mat.Dense
	labels  []int32
	middle  []float64
	values  int
}

// product returns a·aᵀ, or aᵀ·a. The backend is many times faster at it than gonum.
func (t task) product(a mat.Matrix, columns bool) (*mat.SymDense, error) {
	axis := 1
	if columns {
		axis = 0
	}
	dense := mat.DenseCopyOf(a).RawMatrix()
	out, err := CallOnce(t.backend, func(a *Node) *Node { return DotGeneral(a, []int{axis}, nil, a, []int{axis}, nil) },
		tensors.FromFlatDataAndDimensions(dense.Data, dense.Rows, dense.Cols))
	if err != nil {
		return nil, err
	}
	flat, err := tensors.CopyFlatData[float64](out)
	return mat.NewSymDense(out.Shape().Dim(0), flat), err
}

// method solves a task. signal is the part of the signal's values in the scalar product of two samples; of the rest
// are shares.
type method interface {
	judge(signal, penalty float64) (s score, ok bool) // on samples left out; not ok if rounding made it singular
	solve(signal, penalty float64) *mat.Dense         // for all samples, `[features, classes]`
}

// penalties are those to choose from, as in MiniRocket's published program.
var penalties = func() (all []float64) {
	for step := range 10 {
		all = append(all, math.Pow(10, -3+float64(step)*6/9))
	}
	return all
}()

// choose returns the signal's part and the penalty with the least squared error, and its errors. It walks from penalty to
// penalty for as long as the error falls, with another part only if that is better at the same penalty.
func choose(m method, values int) (signal, penalty float64, best score) {
	parts := []float64{0, 0.1, 0.5, 0.9}
	if values == 0 {
		parts = parts[:1]
	}
	best.squared = math.Inf(1)
	start := 7
	for _, part := range parts {
		judged := map[int]score{}
		at := func(i int) score {
			s, known := judged[i]
			if known {
				return s
			}
			s.squared = math.Inf(1)
			if i >= 0 && i < len(penalties) {
				if found, ok := m.judge(part, penalties[i]); ok {
					s = found
				}
			}
			judged[i] = s
			return s
		}
		i, step := start, -1
		if at(i).squared >= best.squared {
			continue
		}
		if at(i-1).squared >= at(i).squared {
			step = 1
		}
		for at(i+step).squared < at(i).squared {
			i += step
		}
		if at(i).squared < best.squared {
			signal, penalty, best, start = part, penalties[i], at(i), i
		}
	}
	return signal, penalty, best
}

// scales returns by what a task's standardised features are multiplied for the signal to have this part.
func (t task) scales(signal float64) []float64 {
	_, width := t.z.Dims()
	all, shares := make([]float64, width), width-t.values
	for j := range all {
		if all[j] = math.Sqrt(1 - signal); j >= shares {
			all[j] = math.Sqrt(signal * float64(shares) / float64(t.values))
		}
	}
	return all
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

// dual solves for as many weights as samples, and leaves each sample out once. With K = Z·Zᵀ and centred targets y it
// solves (K + αI)·c = y. The error of a left-out sample is α·c_i / (α·[(K + αI)⁻¹]_ii − 1/n).
type dual struct {
	task
	shares, signal *mat.SymDense // their Z·Zᵀ
}

func newDual(t task) (d *dual, err error) {
	n, width := t.z.Dims()
	d = &dual{task: t}
	if d.shares, err = t.product(t.z.Slice(0, n, 0, width-t.values), false); err == nil && t.values > 0 {
		d.signal, err = t.product(t.z.Slice(0, n, width-t.values, width), false)
	}
	return d, err
}

func (d *dual) factor(signal, penalty float64) (c *mat.Dense, factor *mat.Cholesky, ok bool) {
	gram := new(mat.SymDense)
	gram.ScaleSym(1-signal, d.shares)
	if signal > 0 {
		_, width := d.z.Dims()
		part := new(mat.SymDense)
		part.ScaleSym(signal*float64(width-d.values)/float64(d.values), d.signal)
		gram.AddSym(gram, part)
	}
	return shifted(gram, penalty, d.y)
}

func (d *dual) judge(signal, penalty float64) (s score, ok bool) {
	n := len(d.labels)
	c, factor, ok := d.factor(signal, penalty)
	inverse := mat.NewSymDense(n, nil)
	if !ok || factor.InverseTo(inverse) != nil {
		return s, false
	}
	for i := range n {
		decisions := make([]float64, len(d.middle))
		for k := range decisions {
			decisions[k] = d.y.At(i, k) - penalty*c.At(i, k)/(penalty*inverse.At(i, i)-1/float64(n))
		}
		s.add(decisions, d.y.RawRowView(i), d.middle, d.labels[i])
	}
	return s, true
}

func (d *dual) solve(signal, penalty float64) *mat.Dense {
	c, _, _ := d.factor(signal, penalty)
	weights := new(mat.Dense)
	weights.Mul(d.z.T(), c)
	for j, s := range d.scales(signal) {
		floats.Scale(s*s, weights.RawRowView(j))
	}
	return weights
}

// primal solves for the weights of the features. Every fifth sample judges.
type primal struct {
	task
	gram, fewGram *mat.SymDense // of all samples, and without the judges
	side, fewSide *mat.Dense
	judges        *mat.Dense
}

func newPrimal(t task) (p *primal, err error) {
	n, width := t.z.Dims()
	p = &primal{task: t}
	var judges, others []int
	for i := range n {
		if i%5 == 4 {
			judges = append(judges, i)
		} else {
			others = append(others, i)
		}
	}
	products := func(rows []int) (z *mat.Dense, gram *mat.SymDense, side *mat.Dense, err error) {
		z, y := mat.NewDense(len(rows), width, nil), mat.NewDense(len(rows), len(t.middle), nil)
		for at, i := range rows {
			z.SetRow(at, t.z.RawRowView(i))
			y.SetRow(at, t.y.RawRowView(i))
		}
		side = mat.NewDense(width, len(t.middle), nil)
		side.Mul(z.T(), y)
		gram, err = t.product(z, true)
		return z, gram, side, err
	}
	if _, p.fewGram, p.fewSide, err = products(others); err != nil {
		return nil, err
	}
	if p.judges, p.gram, p.side, err = products(judges); err != nil {
		return nil, err
	}
	p.gram.AddSym(p.gram, p.fewGram)
	p.side.Add(p.side, p.fewSide)
	return p, nil
}

// weights solves for the weights of the standardised features.
func (p *primal) weights(gram *mat.SymDense, side *mat.Dense, signal, penalty float64) (weights *mat.Dense, ok bool) {
	scales := p.scales(signal)
	scaled, right := mat.NewSymDense(len(scales), slices.Clone(gram.RawSymmetric().Data)), mat.DenseCopyOf(side)
	for i, s := range scales {
		floats.Scale(s, right.RawRowView(i))
		row := scaled.RawSymmetric().Data[i*len(scales) : (i+1)*len(scales)]
		floats.Scale(s, row)
		floats.Mul(row, scales)
	}
	weights, _, ok = shifted(scaled, penalty, right)
	for i := 0; ok && i < len(scales); i++ {
		floats.Scale(scales[i], weights.RawRowView(i))
	}
	return weights, ok
}

func (p *primal) judge(signal, penalty float64) (s score, ok bool) {
	weights, ok := p.weights(p.fewGram, p.fewSide, signal, penalty)
	if !ok {
		return s, false
	}
	decisions := new(mat.Dense)
	decisions.Mul(p.judges, weights)
	for at := range p.judges.RawMatrix().Rows {
		i := 5*at + 4
		s.add(decisions.RawRowView(at), p.y.RawRowView(i), p.middle, p.labels[i])
	}
	return s, true
}

func (p *primal) solve(signal, penalty float64) *mat.Dense {
	weights, _ := p.weights(p.gram, p.side, signal, penalty)
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
