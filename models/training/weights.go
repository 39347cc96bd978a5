package training

import (
	"context"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

const (
	// chanceInNats is the difference of two log-likelihoods that chance alone makes: a smaller one does not tell
	// members apart.
	chanceInNats = 1
	// The logarithm of each temperature has a normal prior around 0 with these deviations. The ridge classifier's is
	// narrow: its temperature was chosen already, by held-out samples of its own, and the few mistakes in a quarter
	// are no reason to make the classifier of all samples much less sure. Forests are not sure enough, and networks
	// may be either.
	ridgeDeviation, forestDeviation, networkDeviation = 0.3, 0.5, 1
	// equalUnits is the number of units that count as much as the prior belief that members are best in equal parts.
	equalUnits = 10
	// A search for a temperature or a weight judges some hundred mixtures. If there are more than fewJudged samples,
	// it judges no more than mostJudged probabilities of classes.
	mostJudged = 4_000_000
	fewJudged  = 1_000
)

// heldOut holds what members predict for samples that none of them was fitted to, and what these samples are. The
// slices by sample have one order. All methods are pure: they return mixtures and figures, and leave the held-out
// samples as they are.
type heldOut struct {
	labels []int32
	// units has the number of each sample's unit, counted from 0 by first appearance. The samples of a group are one
	// unit, because they err together. Any other sample is a unit of its own.
	units []int
	// families says that units are families that the audit found: samples that seem to belong together.
	families bool
	shares   []float64            // by class, of all training samples: the held-out ones and the others
	readings []transforms.Reading // what the ridge classifier and the forest say
	network  [][]float64          // the network's probabilities; nil until a network has been trained
}

// figures say how well a mixture of members predicts the held-out samples.
type figures struct {
	loss     float64 // the log-loss in nats, summed over the samples
	unitLoss float64 // the same, summed over the units, each of which counts with the mean of its samples
	accuracy float64 // as transforms.Accuracy takes it
}

// judge returns the figures of a mixture. Without a network's probabilities, the weight of the network has no effect.
// If ctx ends meanwhile, the figures are of no use.
func (h heldOut) judge(ctx context.Context, m transforms.Mixture) figures {
	n := len(h.labels)
	losses, predicted := make([]float64, n), make([]int, n)
	loop.Parallel(n, func(at int) {
		if ctx.Err() != nil {
			return
		}
		var network []float64
		if h.network != nil {
			network = h.network[at]
		}
		p := m.Probabilities(h.readings[at], network)
		losses[at] = -math.Log(max(p[h.labels[at]], 1e-9))
		predicted[at] = floats.MaxIdx(p)
	})
	byUnit, samples := make([]float64, h.unitCount()), make([]float64, h.unitCount())
	for at, loss := range losses {
		byUnit[h.units[at]] += loss
		samples[h.units[at]]++
	}
	f := figures{loss: floats.Sum(byUnit), accuracy: transforms.Accuracy(predicted, h.labels, h.shares)}
	floats.Div(byUnit, samples)
	f.unitLoss = floats.Sum(byUnit)
	return f
}

// unitCount returns the number of units.
func (h heldOut) unitCount() int { return slices.Max(h.units) + 1 }

// thinned returns fewer of the samples, evenly spaced, if samples and classes are so many that judging hundreds of
// mixtures by all of them would take long. Otherwise it returns all.
func (h heldOut) thinned() heldOut {
	kept := loop.Spread(loop.Indices(len(h.labels)), max(fewJudged, mostJudged/len(h.shares)))
	if len(kept) == len(h.labels) {
		return h
	}
	few := heldOut{shares: h.shares, families: h.families}
	for _, at := range kept {
		few.labels = append(few.labels, h.labels[at])
		few.units = append(few.units, h.units[at])
		few.readings = append(few.readings, h.readings[at])
		if h.network != nil {
			few.network = append(few.network, h.network[at])
		}
	}
	few.units = numbered(few.units)
	return few
}

// numbered replaces each name by its number, counted from 0 in the order of first appearance.
func numbered[T comparable](names []T) []int {
	numbers, known := make([]int, len(names)), map[T]int{}
	for at, name := range names {
		if _, seen := known[name]; !seen {
			known[name] = len(known)
		}
		numbers[at] = known[name]
	}
	return numbers
}

// baseline returns the mean log-loss of the majority-class baseline, which predicts the shares of the classes among all
// training samples. A member whose loss is no lower has learned nothing, and gets no weight.
func (h heldOut) baseline() float64 {
	frequencies := make([]float64, len(h.shares))
	for _, label := range h.labels {
		frequencies[label]++
	}
	floats.Scale(1/float64(len(h.labels)), frequencies)
	const rounding = 1e-9 // of sums, so that a member that predicts the shares is not better than they are
	return stat.CrossEntropy(frequencies, h.shares) - rounding
}

// The temperatures that tempered can choose.
func ridgeTemperature(m *transforms.Mixture) *float64   { return &m.Temperature }
func forestTemperature(m *transforms.Mixture) *float64  { return &m.ForestTemperature }
func networkTemperature(m *transforms.Mixture) *float64 { return &m.NetworkTemperature }

// tempered returns the mixture with the temperature of the greatest posterior, see bestTemperature, and its figures.
// which says which of the temperatures is chosen.
func (h heldOut) tempered(ctx context.Context, m transforms.Mixture, which func(*transforms.Mixture) *float64,
	deviation float64) (transforms.Mixture, figures) {
	few := h.thinned()
	best := bestTemperature(deviation, func(temperature float64) float64 {
		tried := m
		*which(&tried) = temperature
		return few.judge(ctx, tried).loss
	})
	*which(&m) = best
	return m, h.judge(ctx, m)
}

// bestTemperature returns the temperature with the greatest posterior: the least sum of the loss in nats and of the
// negative logarithm of its prior, in which the logarithm of the temperature is normal around 0 with this deviation.
// It tries logarithms from -3 to 3 in steps of a twentieth.
func bestTemperature(deviation float64, loss func(temperature float64) float64) float64 {
	best, least := 1., math.Inf(1)
	for step := -60; step <= 60; step++ {
		log := float64(step) / 20
		if l := loss(math.Exp(log)) + log*log/(2*deviation*deviation); l < least {
			best, least = math.Exp(log), l
		}
	}
	return best
}

// weighTransforms chooses the temperatures of the ridge classifier and of the forest, and then the weight of the
// forest beside the ridge classifier. hasRidge and hasForest say which of the two there are. The figures are those of
// each alone.
func (h heldOut) weighTransforms(ctx context.Context, m transforms.Mixture, hasRidge, hasForest bool) (
	_ transforms.Mixture, ridge, forest figures) {
	if hasForest {
		m.ForestWeight = 1
		m, forest = h.tempered(ctx, m, forestTemperature, forestDeviation)
	}
	if hasRidge {
		m.ForestWeight = 0
		m, ridge = h.tempered(ctx, m, ridgeTemperature, ridgeDeviation)
	}
	if hasRidge && hasForest {
		m.ForestWeight = h.besideForest(ctx, m, ridge, forest)
	}
	return m, ridge, forest
}

// besideForest returns the weight that the forest has beside the ridge classifier. m has the temperatures of both, and
// no weight of the forest. ridge and forest are their figures alone. A forest that has learned nothing gets no weight
// if the ridge classifier has learned something.
func (h heldOut) besideForest(ctx context.Context, m transforms.Mixture, ridge, forest figures) (weight float64) {
	nothing := h.baseline() * float64(len(h.labels))
	if forest.loss >= nothing && ridge.loss < nothing {
		return 0
	}
	few := h.thinned()
	return 1 - bestWeight(few.judge(ctx, m), 1, func(weight float64) figures {
		tried := m
		tried.ForestWeight = 1 - weight
		return few.judge(ctx, tried)
	})
}

// networkAlone chooses the temperature of the network. It returns the mixture with this temperature, in which the
// network has all the weight, and its figures.
func (h heldOut) networkAlone(ctx context.Context, m transforms.Mixture) (transforms.Mixture, figures) {
	m.Weight = 0
	return h.tempered(ctx, m, networkTemperature, networkDeviation)
}

// besideNetwork returns the weight that the transforms have beside the network. m has the temperatures of all
// members. together are the figures of the transforms without the network, and network those of the network alone.
//
// The network has a weight only if the loss falls. Where families were found it must fall by more than chance makes it:
// a network of all training samples memorises best what the samples of a family share, and a few families tell little
// of others.
func (h heldOut) besideNetwork(ctx context.Context, m transforms.Mixture, together, network figures) (weight float64) {
	n, nothing := float64(len(h.labels)), h.baseline()
	switch {
	case network.loss/n >= nothing:
		return 1
	case together.loss/n >= nothing:
		return 0
	}
	members := 1
	if m.ForestWeight > 0 && m.ForestWeight < 1 {
		members = 2 // the ridge classifier and the forest
	}
	beside := func(weight float64) figures {
		tried := m
		tried.Weight = weight
		return h.judge(ctx, tried)
	}
	weight = bestWeight(together, members, beside)
	gain := together.loss - beside(weight).loss
	if gain <= 0 || h.families && gain < chanceInNats {
		return 1
	}
	return weight
}

// bestWeight returns the weight that some members together have beside one more. alone are their figures without it,
// and judge returns the figures of all for a weight.
//
// The weight is one of the tenths below 1 whose log-loss is less than chanceInNats above that of the members alone,
// or 1 if there is no such tenth. Good members are best in equal parts, and few samples tell little. So the weight
// has a Dirichlet prior around equal parts, which counts as much as equalUnits units. The result is the tenth with
// the least sum of two terms: the log-loss over the units, and equalUnits times the Kullback-Leibler divergence of
// equal parts from it.
func bestWeight(alone figures, members int, judge func(weight float64) figures) (weight float64) {
	equal, least := float64(members)/float64(members+1), math.Inf(1)
	weight = 1
	for step := 9; step >= 1; step-- {
		tenth := float64(step) / 10
		f := judge(tenth)
		divergence := stat.KullbackLeibler([]float64{equal, 1 - equal}, []float64{tenth, 1 - tenth})
		sum := f.unitLoss + equalUnits*divergence
		if f.loss < alone.loss+chanceInNats && sum < least {
			weight, least = tenth, sum
		}
	}
	return weight
}
