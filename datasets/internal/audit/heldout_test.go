package audit

import (
	"math"
	"slices"
	"testing"
)

// A mark of most samples of one class of five is found in held-out samples as often as it is there; of noise nothing is
// told, neither by one descriptor nor by all.
func TestHeldOutShortcuts(t *testing.T) {
	var ofMark, ofNoise, together, withMark float64
	for seed := range drawnSets {
		s := marked(seed, padded).samples()
		found := s.Shortcuts()
		if len(found) == 0 || found[0].Class != 2 {
			t.Fatalf("draw %d: %+v", seed, found)
		}
		told := s.HeldOut(found[0], nil)
		if told.Recall > found[0].Recall+1e-6 || told.Others > 0.1 {
			t.Errorf("draw %d: held out %+v of %+v", seed, told, found[0])
		}
		ofMark += told.Accuracy() / drawnSets
		rows, artefacts, all := s.Table(nil)
		if rows[0].Descriptor.Name != "the run of one value at the end" || !rows[0].Descriptor.Artefact {
			t.Errorf("draw %d: %s tells most", seed, rows[0].Descriptor.Name)
		}
		withMark += min(artefacts, all) / drawnSets
		rows, _, all = newDrawn(seed).noise(150, 5).samples().Table(nil)
		together += all / drawnSets
		for _, row := range rows {
			ofNoise += row.Told.Accuracy() / float64(len(rows)) / drawnSets
		}
	}
	if math.Abs(ofMark-0.85) > 0.04 {
		t.Errorf("a mark of 70%% of a class tells %.3f of held-out samples", ofMark)
	}
	if math.Abs(ofNoise-0.5) > 0.05 || math.Abs(together-0.2) > 0.03 || withMark < 0.25 {
		t.Errorf("noise is told by %.3f and %.3f, a mark of one of five classes by %.3f", ofNoise, together, withMark)
	}
}

// Where a descriptor tells people, and each is of one class, samples held out at random are told by it and those of new
// people are not.
func TestHeldOutFamilies(t *testing.T) {
	alone, whole := 0.0, 0.0
	for seed := range drawnSets {
		d := newDrawn(seed)
		var family []int
		for person := range 20 {
			class, scale := d.rng.IntN(2), math.Exp(d.rng.NormFloat64())
			for range 6 {
				d.add(class, func(int, int) float64 { return scale * d.rng.NormFloat64() })
				family = append(family, person)
			}
		}
		s := d.samples()
		_, _, all := s.Table(nil)
		alone += all / drawnSets
		_, _, all = s.Table(family)
		whole += all / drawnSets
	}
	if alone < 0.68 || whole > 0.55 {
		t.Errorf("people are told by their scale: %.3f of samples at random, %.3f of new people", alone, whole)
	}
}

func TestLimit(t *testing.T) {
	values, labels := []float64{1, 2, 2, 3, 5, 7}, []int32{0, 0, 0, 0, 1, 1}
	l := bestLimit(values, labels, 1, 2)
	if l.recall != 1 || l.others != 0 || l.value != 4 || !l.above {
		t.Errorf("%+v", l)
	}
	l = bestLimit(values, labels, 0, 4)
	if !l.holds(4) || l.holds(4.1) || l.holds(math.NaN()) {
		t.Errorf("%+v", l)
	}
	l = bestLimit(make([]float64, 6), labels, 0, 4)
	if slices.ContainsFunc([]float64{-1, 0, 1}, l.holds) {
		t.Errorf("values that are all equal have a limit: %+v", l)
	}
}
