package audit

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// class after the other, a person's age. What is measured is not taken for one of these, and numbers that tell no class
// are nothing to be told of.
func TestColumns(t *testing.T) {
	for name, c := range map[string]struct {
		value func(d *drawn, i, class, time int) float64 // of sensor 1
		times int
		want  string
		asked bool
	}{
		"a ward for each class": {func(_ *drawn, _, class, _ int) float64 { return 10 * float64(class+1) }, 1,
			"one for each class", true},
		"numbers of cases": {func(d *drawn, i, _, _ int) float64 { return float64(500 + 3*i + d.rng.IntN(3)) }, 1,
			"goes up", true},
		"a table that was sorted": {func(d *drawn, i, _, _ int) float64 { return float64(i) + d.rng.Float64() }, 1,
			"", false},
		"ages": {func(d *drawn, i, class, _ int) float64 { return float64(30 + 20*class + i%7) }, timePoints,
			"never changes within", true},
		"ages of anybody": {func(_ *drawn, i, _, _ int) float64 { return float64(30 + i%7) }, timePoints, "", false},
		"values": {func(_ *drawn, i, class, time int) float64 { return float64(20*class + i%7 + time) }, 2,
			"", false},
		"what is measured":  {func(_ *drawn, i, class, _ int) float64 { return float64(30 + 20*class + i%7) }, 1, "", false},
		"one value for all": {func(*drawn, int, int, int) float64 { return 7 }, 1, "", false},
	} {
		for seed := range drawnSets {
			d := newDrawn(seed)
			s := &Samples{Classes: 2, Width: 2}
			var rows [][]float32
			for i := range 80 {
				class := i / 40
				row := make([]float32, 0, 2*c.times)
				for time := range c.times {
					row = append(row, float32(d.rng.NormFloat64()), float32(c.value(d, i, class, time)))
				}
				rows = append(rows, row)
				s.Labels, s.Made = append(s.Labels, int32(class)), append(s.Made, Made(row, 2, 0))
			}
			s.Values = func(i int) []float32 { return rows[i] }
			found := s.Shortcuts()
			at := slices.IndexFunc(found, func(f Shortcut) bool { return f.Descriptor.Column })
			switch {
			case c.want == "" && at >= 0:
				t.Errorf("%s, draw %d: %v", name, seed, names(found))
			case c.want != "" && (at < 0 || !strings.Contains(found[at].Descriptor.Name, c.want) ||
				found[at].Descriptor.Sensor != 1 || found[at].Descriptor.Asked != c.asked):
				t.Errorf("%s, draw %d: %v", name, seed, names(found))
			}
		}
	}
}

// Numbers of cases are known as such where they tell no class, and measured values are not.
func TestNumbersOfCases(t *testing.T) {
	for name, c := range map[string]struct {
		value func(d *drawn, order []int, i int) float64
		want  bool
	}{
		"in any order":     {func(_ *drawn, order []int, i int) float64 { return float64(order[i] + 1) }, true},
		"codes of bars":    {func(d *drawn, _ []int, _ int) float64 { return float64(1e6 + d.rng.IntN(9e6)) }, true},
		"one of two twice": {func(_ *drawn, order []int, i int) float64 { return float64(order[i]/2 + 1) }, false},
		"pulse":            {func(d *drawn, _ []int, _ int) float64 { return float64(50 + d.rng.IntN(70)) }, false},
		"numbers of cells": {func(d *drawn, _ []int, _ int) float64 {
			return math.Round(math.Exp(9 + 2*d.rng.NormFloat64()))
		}, false},
		"what is a fraction": {func(d *drawn, _ []int, _ int) float64 { return 1000 + d.rng.Float64() }, false},
	} {
		for seed := range drawnSets {
			d := newDrawn(seed)
			s := &Samples{Classes: 2, Width: 2}
			var rows [][]float32
			order := d.rng.Perm(80)
			for i := range order {
				rows = append(rows, []float32{float32(d.rng.NormFloat64()), float32(c.value(d, order, i))})
				s.Labels = append(s.Labels, int32(i%2))
			}
			s.Values = func(i int) []float32 { return rows[i] }
			if got := s.Numbers(); (len(got) == 1 && got[0] == 1) != c.want {
				t.Errorf("%s, draw %d: columns %v", name, seed, got)
			}
		}
	}
}

// Numbers that rise in uneven steps may be what a table was sorted by: a note at most.
func TestNumbersThatWereSorted(t *testing.T) {
	asked := 0
	for seed := range 10 * drawnSets {
		d := newDrawn(seed)
		s := &Samples{Labels: make([]int32, 80)}
		values := make([]float64, 80)
		for i := range values {
			values[i] = math.Round(1e6 * d.rng.Float64())
		}
		slices.Sort(values)
		if s.evenly(values) {
			asked++
		}
	}
	if asked > 0 {
		t.Errorf("%d of %d sorted columns count samples", asked, 10*drawnSets)
	}
}
