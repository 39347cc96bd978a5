package kernels

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// dual solves for as many weights as samples, and leaves each sample out once. With K = Z·Zᵀ and centred targets y it
// solves (K + αI)·c = y. The error of a held-out sample is α·c_i / (α·[(K + αI)⁻¹]_ii − 1/n).
type dual struct {
	task
	shares, signal *mat.SymDense // their Z·Zᵀ
}

func newDual(t task) (d *dual, err error) {
	shares := len(t.mean) - t.values
	d = &dual{task: t}
	if d.shares, err = d.gram(0, shares); err == nil && t.values > 0 {
		d.signal, err = d.gram(shares, len(t.mean))
	}
	return d, err
}

// gram computes Z·Zᵀ over the features from..to.
func (d *dual) gram(from, to int) (*mat.SymDense, error) {
	return Squares(d.backend, len(d.features), false, func(yield func(*mat.Dense) bool) {
		for at := from; at < to && yield(d.z(d.all(), at, min(at+together, to))); {
			at += together
		}
	})
}

func (d *dual) factor(signal, penalty float64) (c *mat.Dense, factor *mat.Cholesky, ok bool) {
	gram := new(mat.SymDense)
	gram.ScaleSym(1-signal, d.shares)
	if signal > 0 {
		part := new(mat.SymDense)
		part.ScaleSym(signal*float64(len(d.mean)-d.values)/float64(d.values), d.signal)
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
		decisions := make([]float64, len(d.meanTarget))
		for k := range decisions {
			decisions[k] = d.y.At(i, k) - penalty*c.At(i, k)/(penalty*inverse.At(i, i)-1/float64(n))
		}
		s.add(decisions, d.y.RawRowView(i), d.meanTarget, d.labels[i])
	}
	return s, true
}

func (d *dual) solve(signal, penalty float64) *mat.Dense {
	c, _, _ := d.factor(signal, penalty)
	width := len(d.mean)
	weights := mat.NewDense(width, len(d.meanTarget), nil)
	for from := 0; from < width; from += together {
		to := min(from+together, width)
		part := weights.Slice(from, to, 0, len(d.meanTarget)).(*mat.Dense)
		part.Mul(d.z(d.all(), from, to).T(), c)
	}
	for j, s := range d.scales(signal) {
		floats.Scale(s*s, weights.RawRowView(j))
	}
	return weights
}

// primal solves for the weights of the features. Every fifth sample of each class judges.
type primal struct {
	task
	gram, fewGram *mat.SymDense // of all samples, and without the judges
	side, fewSide *mat.Dense
	judges        []int
}

func newPrimal(t task) (p *primal, err error) {
	p = &primal{task: t}
	var others []int
	seen := make([]int, len(t.meanTarget)) // of each class; it begins elsewhere for each, since classes of four have judges, too
	for class := range seen {
		seen[class] = class % 5
	}
	for _, i := range t.all() {
		if seen[t.labels[i]]++; seen[t.labels[i]]%5 == 0 {
			p.judges = append(p.judges, i)
		} else {
			others = append(others, i)
		}
	}
	if p.fewGram, p.fewSide, err = p.products(others); err != nil {
		return nil, err
	}
	if p.gram, p.side, err = p.products(p.judges); err != nil {
		return nil, err
	}
	p.gram.AddSym(p.gram, p.fewGram)
	p.side.Add(p.side, p.fewSide)
	return p, nil
}

// products computes Zᵀ·Z and Zᵀ·y of some samples.
func (p *primal) products(samples []int) (gram *mat.SymDense, side *mat.Dense, err error) {
	width, classes := len(p.mean), len(p.meanTarget)
	side = mat.NewDense(width, classes, nil)
	gram, err = Squares(p.backend, width, true, func(yield func(*mat.Dense) bool) {
		for some := range slices.Chunk(samples, together) {
			z, y, part := p.z(some, 0, width), mat.NewDense(len(some), classes, nil), new(mat.Dense)
			for at, i := range some {
				y.SetRow(at, p.y.RawRowView(i))
			}
			part.Mul(z.T(), y)
			side.Add(side, part)
			if !yield(z) {
				return
			}
		}
	})
	return gram, side, err
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
	for some := range slices.Chunk(p.judges, together) {
		decisions := new(mat.Dense)
		decisions.Mul(p.z(some, 0, len(p.mean)), weights)
		for at, i := range some {
			s.add(decisions.RawRowView(at), p.y.RawRowView(i), p.meanTarget, p.labels[i])
		}
	}
	return s, true
}

func (p *primal) solve(signal, penalty float64) *mat.Dense {
	weights, _ := p.weights(p.gram, p.side, signal, penalty)
	return weights
}

// shifted solves (gram + αI)·x = y, and changes gram. It is not ok if rounding has made the matrix singular.
func shifted(gram *mat.SymDense, alpha float64, y *mat.Dense) (x *mat.Dense, factor *mat.Cholesky, ok bool) {
	for i := range gram.SymmetricDim() {
		gram.SetSym(i, i, gram.At(i, i)+alpha)
	}
	factor, x = new(mat.Cholesky), new(mat.Dense)
	ok = factor.Factorize(gram) && factor.SolveTo(x, y) == nil
	return x, factor, ok
}
