package models

import (
	"context"
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/scale"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// The nominal curve of a class is made of that many of its training recordings at most, spread evenly over them, in that many rounds.
const (
	nominalSamples = 64
	nominalRounds  = 25
)

// precomputeLieGroup computes the nominal curve of each class: first the curve of one of its recordings, then again and again the mean of all of
// them, each warped to the curve so far. A class without recordings has a curve of zeros.
func precomputeLieGroup(ctx context.Context, backend compute.Backend, s Spec, store *model.Store, graph *affinity.Matrix, samples Samples, mean, std []float32) error {
	bones := bonesOf(graph, s.Grid[1])
	curves, err := NewExec(backend, func(x *Node) *Node { return relativeGeometry(placesOf(s, x), bones) })
	if err != nil {
		return err
	}
	defer curves.Finalize()
	means, err := NewExec(backend, func(x, weights, nominal *Node) *Node {
		warped := Einsum("bst,btv->bsv", Squeeze(warpTo(x, ExpandAxes(nominal, 0)), 1), x)
		return Einsum("bsv,b->sv", warped, weights)
	})
	if err != nil {
		return err
	}
	defer means.Finalize()
	chosen := s.choose(samples, mean, std)
	var flat []float32
	values := s.Bodies * len(bones) * (len(bones) - 1) * 5
	for _, recordings := range chosen {
		if err := ctx.Err(); err != nil {
			return err
		}
		curve := make([]float32, s.Grid[0]*values)
		if len(recordings) > 0 {
			if curve, err = nominalCurve(curves, means, s, recordings); err != nil {
				return fmt.Errorf("nominal curve of a class: %w", err)
			}
		}
		flat = append(flat, curve...)
	}
	store.RootScope().In("model").VariableWithValue(nominalCurves, tensors.FromFlatDataAndDimensions(flat, s.Classes, s.Grid[0], values)).SetTrainable(false)
	return nil
}

// choose takes the recordings of each class that its nominal curve is made of, normalised.
func (s Spec) choose(samples Samples, mean, std []float32) [][][]float32 {
	counts := make([]int, s.Classes)
	samples(func(_ []float32, class int32) bool { counts[class]++; return true })
	chosen, seen := make([][][]float32, s.Classes), make([]int, s.Classes)
	samples(func(x []float32, class int32) bool {
		n, k := counts[class], seen[class]
		seen[class]++
		if kept := min(n, nominalSamples); k*kept/n == len(chosen[class]) { // the first of each of as many equal shares
			normalised := make([]float32, len(x))
			scale.Normalize(normalised, x, mean, std)
			chosen[class] = append(chosen[class], normalised)
		}
		return true
	})
	return chosen
}

// nominalCurve is that of the recordings of one class. Batches are filled up with zeros of no weight, so that one program serves all classes.
func nominalCurve(curves, means *Exec, s Spec, recordings [][]float32) ([]float32, error) {
	flat, weights := make([]float32, nominalSamples*s.Nodes*s.Channels), make([]float32, nominalSamples)
	for i, x := range recordings {
		copy(flat[i*len(x):], x)
		weights[i] = 1 / float32(len(recordings))
	}
	batch := tensors.FromFlatDataAndDimensions(flat, nominalSamples, s.Nodes, s.Channels)
	defer batch.MustFinalizeAll()
	x, err := curves.Call(batch)
	if err != nil {
		return nil, err
	}
	defer x[0].MustFinalizeAll() // its memory is the device's
	first := make([]float32, x[0].Shape().Size()/nominalSamples)
	if err := tensors.ConstFlatData(x[0], func(all []float32) { copy(first, all) }); err != nil {
		return nil, err
	}
	nominal := tensors.FromFlatDataAndDimensions(first, x[0].Shape().Dim(1), x[0].Shape().Dim(2))
	for range nominalRounds {
		next, err := means.Call(x[0], weights, nominal)
		if err != nil {
			return nil, err
		}
		nominal.MustFinalizeAll()
		nominal = next[0]
	}
	defer nominal.MustFinalizeAll()
	return tensors.CopyFlatData[float32](nominal)
}
