package kernels

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Config of a fit.
type Config struct {
	View     *View
	Classes  int
	Features int // about so many
	Seed     uint64
	// Samples are the raw signals, `[nodes, channels]`, and their classes. Normalize makes the network's inputs of them.
	Samples   iter.Seq2[[]float32, int32]
	Normalize func(dst, raw []float32)
}

const (
	// HeldOut is the path of a variable: the share of the training samples that are classified rightly when held out.
	HeldOut = "left_out" // the name in checkpoints
	// Beside is the scope of kernels beside another network, in its scope.
	Beside = "kernels"

	batch = 32     // signals computed at once
	drawn = 64     // training samples that thresholds are quantiles of
	most  = 20_000 // training samples of a fit; of more, evenly spread ones are taken
)

// Fit draws the kernels, sets their thresholds, and solves for the ridge classifier. It returns variables by their paths below
// the network. Errors come from the context and the backend.
func Fit(ctx context.Context, backend compute.Backend, c Config) (map[string]*tensors.Tensor, error) {
	signals, labels := c.read()
	if err := ctx.Err(); err != nil { // it ends the samples, too
		return nil, err
	}
	values, store := map[string]*tensors.Tensor{}, model.NewStore()
	keep := func(name string, all []*tensors.Tensor) (err error) {
		for i, value := range all {
			path := fmt.Sprintf("dilation_%d/%s", i+1, name)
			values[path] = value
			if _, err = store.CreateVariable("/"+path, value); err != nil {
				return err
			}
		}
		return nil
	}
	if err := keep("signs", c.View.signs(c.Seed)); err != nil {
		return nil, err
	}
	thresholds, err := c.thresholds(backend, store, signals)
	if err != nil {
		return nil, err
	}
	if err := keep("thresholds", thresholds); err != nil {
		return nil, err
	}
	features, err := c.features(ctx, backend, store, signals)
	if err != nil {
		return nil, err
	}
	r, err := ridge(backend, features, c.View.values(c.Features), labels, c.Classes)
	if err != nil {
		return nil, err
	}
	logits := func(decisions []float64) []float32 {
		all := make([]float32, len(decisions))
		for i, x := range decisions {
			all[i] = float32(x * r.inverseTemperature)
		}
		return all
	}
	values["classes/W"] = tensors.FromFlatDataAndDimensions(logits(r.weights), len(features[0]), c.Classes)
	values["classes/b"] = tensors.FromFlatDataAndDimensions(logits(r.bias), c.Classes)
	values[HeldOut] = tensors.FromScalar(float32(r.accuracy))
	return values, nil
}

// read returns the normalised signals of the fit and their classes. Of too many it takes the same share of each class.
func (c Config) read() (signals [][]float32, labels []int32) {
	all := 0
	for range c.Samples {
		all++
	}
	seen, taken := map[int32]int{}, map[int32]int{}
	for x, label := range c.Samples {
		if seen[label]*min(all, most)/all == taken[label] {
			taken[label]++
			signal := make([]float32, len(x))
			c.Normalize(signal, x)
			signals, labels = append(signals, signal), append(labels, label)
		}
		seen[label]++
	}
	return signals, labels
}

// batchOf makes a batch of signals. Zeros fill it up.
func (c Config) batchOf(signals [][]float32, size int) *tensors.Tensor {
	width, nodes := len(signals[0]), c.View.Positions*max(1, c.View.Sensors)
	flat := make([]float32, size*width)
	for i, s := range signals {
		copy(flat[i*width:], s)
	}
	return tensors.FromFlatDataAndDimensions(flat, size, nodes, width/nodes)
}

// thresholds takes quantiles of the responses to training samples, `[thresholds, kernels]` for each dilation. As in
// MiniRocket, each kernel at each dilation has a sample of its own, and the quantiles are the fractional parts of
// multiples of the golden ratio.
func (c Config) thresholds(backend compute.Backend, store *model.Store, signals [][]float32) (all []*tensors.Tensor,
	err error) {
	rng := rand.New(rand.NewPCG(c.Seed, 0x7175616e74))
	chosen := make([][]float32, drawn)
	for i := range chosen {
		chosen[i] = signals[rng.IntN(len(signals))]
	}
	exec, err := model.NewExec(backend, store, c.View.responsesOf)
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	x := c.batchOf(chosen, drawn)
	responses, err := exec.Call(x)
	x.MustFinalizeAll()
	if err != nil {
		return nil, err
	}
	turn, one := 0, make([]float64, c.View.Positions)
	for i, q := range c.View.thresholds(c.Features) {
		flat, err := tensors.CopyFlatData[float32](responses[i])
		if err != nil {
			return nil, err
		}
		responses[i].MustFinalizeAll()
		t := make([]float32, q*count)
		for k := range count {
			sample := rng.IntN(drawn)
			for p := range one {
				one[p] = float64(flat[(p*drawn+sample)*count+k])
			}
			slices.Sort(one)
			for j := range q {
				turn++
				_, share := math.Modf(float64(turn) * math.Phi)
				t[j*count+k] = float32(Threshold(one, share))
			}
		}
		all = append(all, tensors.FromFlatDataAndDimensions(t, q, count))
	}
	return all, nil
}

// Threshold returns a quantile of sorted responses. If the responses around it are equal but for rounding, it lies
// halfway to the next ones above: otherwise rounding, which differs between backends, would decide on which side of the
// threshold a response is. Pixels have few values, and many responses are equal.
func Threshold(sorted []float64, share float64) float64 {
	last := len(sorted) - 1
	low, part := math.Modf(share * float64(last))
	from, to := sorted[int(low)], sorted[min(int(low)+1, last)]
	near := 1e-5 * (sorted[last] - sorted[0])
	if to-from > near {
		return from + part*(to-from)
	}
	above, _ := slices.BinarySearch(sorted, to+near)
	if above > last {
		return to + near
	}
	return (to + sorted[above]) / 2
}

// features computes the features of all signals, `[samples][features]`.
func (c Config) features(ctx context.Context, backend compute.Backend, store *model.Store, signals [][]float32) (
	all [][]float32, err error) {
	exec, err := model.NewExec(backend, store, func(scope *model.Scope, x *Node) *Node {
		return c.View.Features(scope, x, c.Features)
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	for chunk := range slices.Chunk(signals, batch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := c.batchOf(chunk, batch)
		out, err := exec.Call(x)
		if x.MustFinalizeAll(); err != nil {
			return nil, err
		}
		flat, err := tensors.CopyFlatData[float32](out[0])
		out[0].MustFinalizeAll()
		if err != nil {
			return nil, err
		}
		width := len(flat) / batch
		for i := range chunk {
			all = append(all, flat[i*width:(i+1)*width])
		}
	}
	return all, nil
}
