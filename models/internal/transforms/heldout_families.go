package transforms

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/support/xslices"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// HeldOut is how a ridge classifier predicts the samples that it is fitted to, each held out in turn with its group.
type HeldOut struct {
	// Samples are those that were predicted, by their numbers, and Right says which of them were predicted right; it is
	// nil of a forest without a ridge classifier.
	Samples []int
	Right   []bool
	// Ways says what families of samples cost, for each way in which samples may belong together.
	Ways []Way
	// Readings is what the members say of Samples: the ridge classifiers, of which each sample is held out with its group,
	// and forests that grew without it, see extractor.outOfFold. Forest is nil of more samples than such forests are grown
	// for. It is nil unless Config.InTurn asks for it.
	Readings []Reading
}

// Way is one way in which samples may belong together, and what that costs.
type Way struct {
	// Families is their number; 0 if each sample is alone. Whole says which samples are predicted right if their whole
	// family is held out, and Random if as many samples as that, drawn from the same classes, are held out with them.
	Families      int
	Random, Whole []bool
}

// mostHeld bounds a family that is held out at once. The parts of a larger one are held out in turn.
const mostHeld = 512

// heldOutOf says how the samples are predicted. decisions are those of samples that were held out by groups, `[judged,
// classes]`. For each way in which samples have families, they are predicted twice more.
func (s *solver) heldOutOf(ctx context.Context, found *solved, decisions *mat.Dense, by score) HeldOut {
	h := HeldOut{Samples: pick(s.used, s.judged), Right: s.rightBy(decisions, by)}
	for way := range s.samples[0].Families {
		h.Ways = append(h.Ways, s.wayOf(ctx, found, by, func(sample Sample) string { return sample.Families[way] }))
	}
	return h
}

// wayOf predicts the samples with whole families held out, and with drawn sets of the same sizes. Without some of them
// nothing can be told, and it returns no families.
func (s *solver) wayOf(ctx context.Context, found *solved, by score, familyOf func(Sample) string) (w Way) {
	named := make([]Sample, len(s.samples))
	for i, sample := range s.samples {
		named[i].Group = familyOf(sample)
	}
	families := groupsOf(named)
	if len(families) == len(s.samples) {
		return w
	}
	other := s.drawnInPlace()
	var right [2][]bool
	for at, member := range []func(int) int{func(i int) int { return other[i] }, func(i int) int { return i }} {
		held := s.task
		held.groups = nil
		for _, family := range families {
			members := xslices.Map(family, member)
			held.groups = slices.AppendSeq(held.groups, slices.Chunk(members, mostHeld))
		}
		decisions, err := held.heldOut(ctx, found.unexplained, found.left)
		if err != nil {
			return w
		}
		right[at] = s.rightBy(decisions, by)
	}
	return Way{len(families), right[0], right[1]}
}

// drawnInPlace returns a sample of the same class for each, every one once, in an order that is drawn.
func (s *solver) drawnInPlace() []int {
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	ofClass := map[int32][]int{}
	for i, label := range s.labels {
		ofClass[label] = append(ofClass[label], i)
	}
	other := make([]int, len(s.labels))
	for _, class := range slices.Sorted(maps.Keys(ofClass)) { // the draws depend on the order
		members := ofClass[class]
		for at, place := range rng.Perm(len(members)) {
			other[members[at]] = members[place]
		}
	}
	return other
}

// rightBy says which of the judged samples decisions predict right, `[judged, classes]`.
func (t task) rightBy(decisions *mat.Dense, by score) []bool {
	right := make([]bool, len(t.judged))
	for at, sample := range t.judged {
		right[at] = floats.MaxIdx(t.logits(decisions.RawRowView(at), by)) == int(t.labels[sample])
	}
	return right
}
