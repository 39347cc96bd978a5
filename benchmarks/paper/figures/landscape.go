package figures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Side is the number of points of a landscape on each of its two axes, which go from −1 to 1.
const Side = 21

// Weight is a variable of a network that a landscape moves.
type Weight struct {
	Path   string
	Values []float32
	// Filters is the number of filters in the variable. Value i belongs to filter i/Run mod Filters.
	Filters, Run int
}

// Landscape is the loss on a square of points around weights w. The points are w + a·d1 + b·d2, where a and b go from
// −1 to 1 in equal steps.
type Landscape struct {
	Step int       `json:"step"` // of the training, at w
	Side int       `json:"side"`
	Task []float64 `json:"task"` // cross entropy, in nats, `[Side, Side]`: a within a row, b from row to row
	C    []float64 `json:"c"`    // the objective, summed over the levels
}

// at returns a or b of the i-th point on its axis.
func (l Landscape) at(i int) float64 { return 2*float64(i)/float64(l.Side-1) - 1 }

// Direction draws a direction of normal random numbers for weights. It gives each filter the norm of the weights' own
// filter (Li et al. 2018). A filter of norm 0 does not move.
func Direction(weights []Weight, random *rand.Rand) [][]float32 {
	direction := make([][]float32, len(weights))
	for k, w := range weights {
		d, own, drawn := make([]float32, len(w.Values)), make([]float64, w.Filters), make([]float64, w.Filters)
		for i, v := range w.Values {
			f := i / w.Run % w.Filters
			d[i] = float32(random.NormFloat64())
			own[f] += float64(v) * float64(v)
			drawn[f] += float64(d[i]) * float64(d[i])
		}
		for i := range d {
			f := i / w.Run % w.Filters
			d[i] *= float32(math.Sqrt(own[f] / drawn[f]))
		}
		direction[k] = d
	}
	return direction
}

// Scan computes the landscape of side × side points around weights. It draws two directions from seed, and tells
// progress the share that is done. loss returns the cross entropy and C for values of all weights, which it must not
// keep. If ctx ends, Scan returns its error.
func Scan(ctx context.Context, weights []Weight, side int, seed uint64,
	loss func(values [][]float32) (task, c float64, err error), progress func(float64)) (Landscape, error) {
	first := Direction(weights, rand.New(rand.NewPCG(seed, 1)))
	second := Direction(weights, rand.New(rand.NewPCG(seed, 2)))
	l := Landscape{Side: side}
	values := make([][]float32, len(weights))
	for k, w := range weights {
		values[k] = make([]float32, len(w.Values))
	}
	for point := range side * side {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		a, b := l.at(point%side), l.at(point/side)
		for k, w := range weights {
			for i, v := range w.Values {
				values[k][i] = v + float32(a)*first[k][i] + float32(b)*second[k][i]
			}
		}
		task, c, err := loss(values)
		if err != nil {
			return l, err
		}
		if sum := task + c; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return l, fmt.Errorf("the loss at a = %.1f, b = %.1f is %g", a, b, sum)
		}
		l.Task, l.C = append(l.Task, task), append(l.C, c)
		progress(float64(point+1) / float64(side*side))
	}
	return l, nil
}
