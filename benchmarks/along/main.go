// Along measures what package models/along tells of streams whose classes and noise are known, beside the exact filter
// with the true model: changes of class as a multiple of the true ones, and accuracy, for each rule.
//
//	go run ./benchmarks/along [-windows 60000] [-seed 1]
//
// Three classes follow each other. A stay is geometric, or the sum of nine exponential times (gamma), of a mean number
// of windows. A window of class k has three values, of which value k is 1 and the others 0, with normal noise; with an
// overlap of n a window's noise is the sum of n independent parts, of which each next window shares n - 1. The
// classifier is the exact one of a lone window. Half of the stream is to learn from: its first half is what stretches
// tell, and its second half the held-out windows. The other half is told.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/clusterpool/ccp/models/along"
)

const (
	classes = 3
	shape   = 9 // of the gamma distribution
)

// world says how a stream is drawn.
type world struct {
	stay    float64 // mean number of windows
	gamma   bool
	noise   float64
	overlap int
}

// draw draws windows of a stream.
func (w world) draw(rng *rand.Rand, windows int) (all []along.Seen) {
	parts := make([][classes]float64, w.overlap) // of the noise, the last ones
	fresh := func() (p [classes]float64) {
		for k := range p {
			p[k] = w.noise * rng.NormFloat64() / math.Sqrt(float64(w.overlap))
		}
		return p
	}
	for i := range parts {
		parts[i] = fresh()
	}
	class, left := 0, w.lasts(rng)
	for at := range windows {
		if left == 0 {
			class, left = (class+1+rng.IntN(2))%classes, w.lasts(rng)
		}
		left--
		parts[at%w.overlap] = fresh()
		p := make([]float64, classes)
		for k := range p {
			value := 0.0
			if k == class {
				value = 1
			}
			for _, part := range parts {
				value += part[k]
			}
			p[k] = value / (w.noise * w.noise)
		}
		floats.AddConst(-floats.Max(p), p)
		for k := range p {
			p[k] = math.Exp(p[k])
		}
		floats.Scale(1/floats.Sum(p), p)
		all = append(all, along.Seen{Probabilities: p, Class: class})
	}
	return all
}

// lasts draws how many windows a class lasts, at least one.
func (w world) lasts(rng *rand.Rand) int {
	if !w.gamma {
		return 1 + int(math.Log(1-rng.Float64())/math.Log(1-1/w.stay))
	}
	sum := 0.0
	for range shape {
		sum += rng.ExpFloat64() * w.stay / shape
	}
	return max(1, int(math.Round(sum)))
}

// stretches returns those of windows.
func stretches(windows []along.Seen) (all []along.Stretch) {
	for i, w := range windows {
		if i == 0 || windows[i-1].Class != w.Class {
			all = append(all, along.Stretch{Class: w.Class})
		}
		all[len(all)-1].Lasts++
	}
	return all
}

// mostProbable says how right the filter's most probable class is, and how often it changes.
func mostProbable(m *along.Model, windows []along.Seen) (changes int, accuracy float64) {
	filter, last := m.Start(1), 0
	for i, w := range windows {
		best := floats.MaxIdx(filter.Step(w.Probabilities, float64(i)))
		if i > 0 && best != last {
			changes++
		}
		if best == w.Class {
			accuracy += 1 / float64(len(windows))
		}
		last = best
	}
	return changes, accuracy
}

func main() {
	count := flag.Int("windows", 60_000, "windows that are told, and as many to learn from")
	seed := flag.Uint64("seed", 1, "seed of the streams")
	flag.Parse()
	fmt.Println("| stay, noise, overlap | raw | exact filter | learned: power, threshold | chosen rule | 0.8 | 0.9 |" +
		" lag 2 | lag 5 | accuracy: raw, exact, with deviations, chosen, 0.8, 0.9, lag 2, lag 5 | delay |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, w := range []world{{20, false, 0.85, 1}, {50, false, 0.5, 1}, {50, false, 1, 1}, {20, true, 0.85, 1},
		{50, true, 0.5, 1}, {100, true, 0.7, 1}, {100, false, 0.85, 4}, {200, true, 0.85, 4}, {10, false, 0.6, 1},
		{30, false, 0.7, 1}, {10, true, 0.5, 1}, {30, true, 0.7, 1}, {40, true, 1, 1}, {20, true, 1.2, 1},
		{60, true, 0.6, 2}} {
		row(w, *count, *seed)
	}
}

// row prints the figures of one world.
func row(w world, count int, seed uint64) {
	windows := w.draw(rand.New(rand.NewPCG(seed, 1)), 2*count)
	learn, test := windows[:count], windows[count:]
	counts := make([]int, classes)
	for _, one := range learn {
		counts[one.Class]++
	}
	m := along.Fit(stretches(learn[:count/2]), counts, float64(w.overlap), 1)
	m.Choose(learn[count/2:])
	exact := along.Fit(nil, make([]int, classes), 1, 1)
	exact.Lasts = []float64{w.stay, w.stay, w.stay}
	exact.Power = 1 / float64(w.overlap)
	exactChanges, exactAccuracy := mostProbable(exact, test)
	if w.gamma {
		deviation := w.stay / math.Sqrt(shape)
		exact.Deviation = []float64{deviation, deviation, deviation}
	}
	_, regularAccuracy := mostProbable(exact, test)
	var judged []along.HeldOut
	for _, rule := range []along.Rule{{}, {Threshold: 0.8}, {Threshold: 0.9}, {Lag: 2}, {Lag: 5}} {
		judged = append(judged, m.Judge(test, rule))
	}
	times := func(changes int) string { return fmt.Sprintf("%.2f", float64(changes)/float64(judged[0].Changes)) }
	kind := "geometric"
	if w.gamma {
		kind = "gamma(9)"
	}
	fmt.Printf("| %s %g, %g, %d | %s | %s | %.2g, %.2g |", kind, w.stay, w.noise, w.overlap, times(judged[0].Raw),
		times(exactChanges), m.Power, m.Threshold)
	for _, j := range judged {
		fmt.Printf(" %s |", times(j.Told))
	}
	fmt.Printf(" %.3f %.3f %.3f", judged[0].RawAccuracy, exactAccuracy, regularAccuracy)
	for _, j := range judged {
		fmt.Printf(" %.3f", j.Accuracy)
	}
	fmt.Printf(" | %.2f |\n", judged[0].Delay)
}
