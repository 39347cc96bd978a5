package transforms

import (
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/mat"
)

// ridge is a ridge classifier that is solved: the transforms of its candidates have their weights.
type ridge struct {
	*choice
	score score // of held-out samples
	bias  []float32
	held  HeldOut
	// inTurn has the logits of the judged samples, each held out with its group; nil unless they are asked for.
	inTurn [][]float32
}

// solver solves for one ridge classifier.
type solver struct {
	*plan
	task
	*choice
	normal *tiled // the normal equations of a weight for each feature
}

// solved is what a ridge classifier of all samples is, in the features before they are centred.
type solved struct {
	terms       []term // of each candidate
	left        residuals
	unexplained unexplained
}

// term is a candidate's part in the decisions: (x - centre)·coefficients, where x are its features, or its kernel
// values with the landmarks.
type term struct {
	centre       []float64
	coefficients *mat.Dense // `[features, classes]`
}

// solve fits a ridge classifier to what was chosen, by a weight for each sample or for each feature.
func (p *plan) solve(ctx context.Context, c *choice) (*ridge, error) {
	times, free, err := timesOn(p.Backend)
	if err != nil {
		return nil, err
	}
	defer free()
	s := &solver{plan: p, task: p.taskOf(p.samples), choice: c}
	s.times = times
	method := s.byFeatures
	if p.dual {
		method = s.bySamples
	}
	found, err := method(ctx)
	if err != nil {
		return nil, err
	}
	c.grams = nil // whose memory the next fit takes
	held, err := s.heldOut(ctx, found.unexplained, found.left)
	if err != nil {
		return nil, fmt.Errorf("transforms: the ridge classifier of %d samples: %w", len(p.samples), err)
	}
	score := s.adjust(ctx, held)
	right := s.heldOutOf(ctx, found, held, score)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	bias := slices.Clone(s.meanTarget)
	for i, t := range found.terms {
		width, _ := t.coefficients.Dims()
		weights := make([]float32, p.Classes*width)
		for j := range width {
			for class, x := range t.coefficients.RawRowView(j) {
				weights[class*width+j] = float32(score.inverseTemperature * x)
				bias[class] -= x * t.centre[j]
			}
		}
		c.candidates[i].weights = weights
	}
	fitted := &ridge{choice: c, score: score, bias: loop.Convert[float32](s.logits(bias, score)), held: right}
	if s.InTurn {
		for at := range s.judged {
			fitted.inTurn = append(fitted.inTurn, loop.Convert[float32](s.logits(held.RawRowView(at), score)))
		}
	}
	return fitted, nil
}

// bySamples solves for a weight of each sample. The coefficients of a transform with a kernel are these weights,
// since all samples are its landmarks.
func (s *solver) bySamples(ctx context.Context) (*solved, error) {
	terms, squares := make([]term, len(s.candidates)), make([]float64, len(s.candidates))
	for i, gram := range s.grams {
		terms[i].centre, squares[i] = centred(gram)
	}
	solution, left, u, err := s.solveDual(ctx, weighted(s.grams, s.weights), s.penalty)
	if err != nil {
		return nil, fmt.Errorf("transforms: the ridge classifier of %d samples: %w", len(s.samples), err)
	}
	for i, c := range s.candidates {
		coefficients := solution
		if c.kernel != nil {
			c.kernel.setLandmarks(c.features.memory)
		} else {
			terms[i].centre, err = c.features.means()
			if err != nil {
				return nil, err
			}
			coefficients, err = s.featureWeights(ctx, c.features.memory, solution)
			if err != nil {
				return nil, err
			}
		}
		terms[i].coefficients = new(mat.Dense)
		terms[i].coefficients.Scale(s.weights[i]/squares[i], coefficients)
	}
	return &solved{terms, left, u}, nil
}

// featureWeights returns the weight of each feature, `[features, classes]`, by the weights of samples.
func (s *solver) featureWeights(ctx context.Context, rows [][]float32, ofSamples *mat.Dense) (*mat.Dense, error) {
	width := len(rows[0])
	weights := mat.NewDense(width, s.Classes, nil)
	for from := 0; from < width; from += blockSize {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+blockSize, width)
		part, err := s.product(block(rows, from, to, to-from).T(), ofSamples)
		if err != nil {
			return nil, err
		}
		weights.Slice(from, to, 0, s.Classes).(*mat.Dense).Copy(part)
	}
	return weights, nil
}
