package along

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

// three is a model of three classes, of which the first has two states, the second three and the third one.
func three() *Model {
	return &Model{Step: 1, Lasts: []float64{5, 20, 9}, Deviation: []float64{2.7, 10.6, 9},
		Follows: [][]float64{{0, 0.7, 0.3}, {0.5, 0, 0.5}, {0.9, 0.1, 0}},
		Prior:   []float64{0.5, 0.3, 0.2}, Independent: 1, Power: 0.6, Threshold: 0.85}
}

// drawn returns probabilities of windows.
func drawn(rng *rand.Rand, windows, classes int) (all [][]float64) {
	for range windows {
		p := make([]float64, classes)
		for k := range p {
			p[k] = rng.ExpFloat64()
		}
		floats.Scale(1/floats.Sum(p), p)
		all = append(all, p)
	}
	return all
}

// chain is the hidden Markov model of three() state by state, written by hand: the class of each state, the probability
// of beginning in it, and that of each state after each.
func chain() (of []int, begins []float64, a [][]float64) {
	return []int{0, 0, 1, 1, 1, 2}, []float64{0.25, 0.25, 0.1, 0.1, 0.1, 0.2}, [][]float64{
		{3. / 5, 2. / 5, 0, 0, 0, 0},
		{0, 3. / 5, 0.7 * 2 / 5, 0, 0, 0.3 * 2 / 5},
		{0, 0, 17. / 20, 3. / 20, 0, 0},
		{0, 0, 0, 17. / 20, 3. / 20, 0},
		{0.5 * 3 / 20, 0, 0, 0, 17. / 20, 0.5 * 3 / 20},
		{0.9 / 9, 0, 0.1 / 9, 0, 0, 8. / 9},
	}
}

// paths calls do with each path of states through so many windows and its weight, which is not normalised.
func paths(m *Model, windows [][]float64, do func(path []int, weight float64)) {
	of, begins, a := chain()
	path := make([]int, len(windows))
	var extend func(at int, weight float64)
	extend = func(at int, weight float64) {
		if at == len(windows) || weight == 0 {
			do(path, weight)
			return
		}
		for state, class := range of {
			step := begins[state]
			if at > 0 {
				step = a[path[at-1]][state]
			}
			path[at] = state
			extend(at+1, weight*step*math.Pow(windows[at][class]/m.Prior[class], m.Power))
		}
	}
	extend(0, 1)
}

// The filter's probabilities, and those that later windows help with, are those of a sum over all paths. The best path
// says when a class began.
func TestFilterIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	m := three()
	windows := drawn(rng, 7, 3)
	f := m.Start(1)
	of, _, _ := chain()
	require.Equal(t, []int{0, 2, 5, 6}, f.states.first)
	var alphas, said [][]float64
	for at, p := range windows {
		got := f.Step(p, float64(at))
		alphas, said = append(alphas, slices.Clone(f.alpha)), append(said, slices.Clone(f.said))
		want, best, since := make([]float64, 3), make([]float64, 3), make([]float64, 3)
		paths(m, windows[:at+1], func(path []int, weight float64) {
			last := of[path[at]]
			want[last] += weight
			if weight > best[last] {
				best[last] = weight
				from := at
				for from > 0 && of[path[from-1]] == last {
					from--
				}
				since[last] = float64(from)
			}
		})
		floats.Scale(1/floats.Sum(want), want)
		assert.InDeltaSlice(t, want, got, 1e-12)
		for k := range 3 {
			assert.Equal(t, since[k], f.Since(k), "window %d, class %d", at, k)
		}
	}
	for at := range windows {
		want := make([]float64, 3)
		paths(m, windows, func(path []int, weight float64) { want[of[path[at]]] += weight })
		floats.Scale(1/floats.Sum(want), want)
		assert.InDeltaSlice(t, want, f.smoothed(alphas[at], said[at+1:]), 1e-12, "window %d", at)
	}
}

// A decider with a lag tells each window by exactly so many later ones, and the last by what there is.
func TestLag(t *testing.T) {
	m, windows := three(), drawn(rand.New(rand.NewPCG(2, 1)), 6, 3)
	of, _, _ := chain()
	d := m.Decide(1, Rule{Lag: 2})
	var told []Told
	for at, p := range windows {
		some, err := d.Add(float64(at), float64(at)+1, p)
		require.NoError(t, err)
		told = append(told, some...)
		assert.Len(t, told, max(0, at-1))
	}
	told = append(told, d.Finish()...)
	require.Len(t, told, 6)
	for at := range windows {
		want := make([]float64, 3)
		paths(m, windows[:min(6, at+3)], func(path []int, weight float64) { want[of[path[at]]] += weight })
		floats.Scale(1/floats.Sum(want), want)
		assert.InDeltaSlice(t, want, told[at].Probabilities, 1e-12)
		assert.Equal(t, floats.MaxIdx(want), told[at].Class)
		assert.Equal(t, float64(at), told[at].Start)
	}
}

// The class changes once another one is sure enough, and began before that. A gap forgets all, and nothing looks ahead.
func TestDecider(t *testing.T) {
	m := three()
	sure := func(class int) []float64 {
		p := []float64{0.05, 0.05, 0.05}
		p[class] = 0.9
		return p
	}
	add := func(d *Decider, start float64, p []float64) Told {
		told, err := d.Add(start, start+2, p)
		require.NoError(t, err)
		require.Len(t, told, 1)
		return told[0]
	}
	d := m.Decide(1, Rule{})
	var all []Told
	for at, class := range []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 1, 1} {
		all = append(all, add(d, float64(at), sure(class)))
	}
	changes := 0
	for i, told := range all {
		if told.Changed {
			changes++
			assert.GreaterOrEqual(t, told.Probability, m.Threshold, i)
		}
	}
	assert.Equal(t, 2, changes, "to 0 and to 1; the lone 2 changes nothing")
	last := all[len(all)-1]
	assert.Equal(t, 1, last.Class)
	assert.Equal(t, 5.5, last.Since, "half a step before the middle of the first window of class 1")
	assert.Equal(t, 2, all[9].Raw)

	after := add(d, 20, sure(2))
	assert.True(t, after.Gap)
	fresh := m.Decide(1, Rule{})
	same := add(fresh, 20, sure(2))
	assert.Equal(t, same.Probabilities, after.Probabilities)
	assert.False(t, same.Gap)
	assert.True(t, add(d, 3, sure(2)).Gap, "a clock that was set back")

	_, err := d.Add(5, 6, []float64{0.5, 0.5})
	require.ErrorIs(t, err, ErrWindow)
	_, err = d.Add(5, 6, []float64{0.5, math.NaN(), 0.5})
	require.ErrorIs(t, err, ErrWindow)
}

// Mean times and what follows what have one more in each, and lone recordings tell neither.
func TestFit(t *testing.T) {
	stretches := []Stretch{{0, 0, 10}, {0, 1, 20}, {0, 0, 30}, {1, 2, 40}, {1, 0, 50}, {1, 0, 60}}
	m := Fit(stretches, []int{6, 2, 1}, 2, 1)
	assert.True(t, m.Learned)
	assert.InDeltaSlice(t, []float64{(150 + 35) / 5., (20 + 35) / 2., (40 + 35) / 2.}, m.Lasts, 1e-12)
	assert.InDeltaSlice(t, []float64{0, 2. / 3, 1. / 3}, m.Follows[0], 1e-12)
	assert.InDeltaSlice(t, []float64{2. / 3, 0, 1. / 3}, m.Follows[1], 1e-12)
	assert.InDeltaSlice(t, []float64{7. / 12, 3. / 12, 2. / 12}, m.Prior, 1e-12)
	assert.Equal(t, 0.5, m.Power, "each time point is in two windows")
	require.NoError(t, m.Check(3))
	require.Error(t, m.Check(2))
	off := func(lasts, mean float64) float64 { return (lasts - mean) * (lasts - mean) }
	assert.InDelta(t, math.Sqrt((off(20, 27.5)+off(27.5, 0))/2), m.Deviation[1], 1e-12)
	assert.InDelta(t, math.Sqrt((off(10, 37)+off(30, 37)+off(50, 37)+off(60, 37)+off(37, 0))/5), m.Deviation[0], 1e-12)
	lone := Fit([]Stretch{{0, 0, 10}, {1, 1, 90}}, []int{5, 5}, 2, 2)
	assert.False(t, lone.Learned)
	assert.Equal(t, []float64{20, 20}, lone.Lasts)
	assert.Nil(t, lone.Deviation)
	one := Fit([]Stretch{{0, 0, 10}}, []int{5}, 2, 2)
	filter := one.Start(1)
	for range 3 {
		assert.Equal(t, []float64{1}, filter.Step([]float64{1}, 0))
	}
}

// A class of k states that are each left with the probability p lasts n steps with the negative binomial probability
// (n-1 over k-1) p^k (1-p)^(n-k): its mean is that of the model, and its deviation near it.
func TestDurations(t *testing.T) {
	m := &Model{Step: 1, Lasts: []float64{20, 40}, Deviation: []float64{8, 40}, Follows: [][]float64{{0, 1}, {1, 0}},
		Prior: []float64{0.5, 0.5}, Independent: 1, Power: 1, Threshold: 0.85}
	s := m.states(1)
	require.Equal(t, []int{0, 5, 6}, s.first, "400 / (64 + 20) = 4.8")
	now, next := make([]float64, 6), make([]float64, 6)
	now[0] = 1
	mean, square := 0.0, 0.0
	for n := 1; n < 400; n++ {
		s.forward(next, now)
		ends := next[5]
		next[5] = 0 // none comes back
		want := 0.0
		if n >= 5 {
			choose := float64((n - 1) * (n - 2) * (n - 3) * (n - 4) / 24)
			want = choose * math.Pow(0.25, 5) * math.Pow(0.75, float64(n-5))
		}
		require.InDelta(t, want, ends, 1e-12, n)
		mean, square = mean+float64(n)*ends, square+float64(n*n)*ends
		now, next = next, now
	}
	assert.InDelta(t, 20, mean, 1e-6)
	assert.InDelta(t, math.Sqrt(400/5.-20), math.Sqrt(square-mean*mean), 1e-6)

	m.Deviation = []float64{0.1, 0.1}
	assert.Equal(t, []int{0, 10, 22}, m.states(1).first, "no more than half of the steps, and than 12")
	assert.Equal(t, []int{0, 2, 6}, m.states(5).first, "two steps for each state")
	assert.Equal(t, []int{0, 1, 2}, m.states(50).first)
	m.Deviation = nil
	assert.Equal(t, []int{0, 1, 2}, m.states(1).first)
}

// world draws windows of a stream of three classes whose noise is known. A class lasts what stay says.
func world(rng *rand.Rand, windows int, noise float64, stay func() int) (all []Seen) {
	class, left := 0, stay()
	for range windows {
		if left == 0 {
			class, left = (class+1+rng.IntN(2))%3, stay()
		}
		left--
		p := make([]float64, 3)
		for k := range p {
			mean := 0.0
			if k == class {
				mean = 1
			}
			p[k] = math.Exp((mean + noise*rng.NormFloat64()) / (noise * noise))
		}
		floats.Scale(1/floats.Sum(p), p)
		all = append(all, Seen{p, class})
	}
	return all
}

// even is a model of three classes that last 20 windows in the mean, and follow each other alike.
func even() *Model {
	return &Model{Step: 1, Independent: 1, Power: 1, Threshold: 0.85, Lasts: []float64{20, 20, 20},
		Follows: [][]float64{{0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}},
		Prior:   []float64{1. / 3, 1. / 3, 1. / 3}}
}

// Where classes last about alike, a model that knows it is more accurate by the same rule, and changes no more often.
func TestRegularStays(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	windows := world(rng, 20_000, 0.85, func() int { return 14 + rng.IntN(13) })
	m := even()
	geometric := m.Judge(windows, Rule{})
	m.Deviation = []float64{4, 4, 4}
	regular := m.Judge(windows, Rule{})
	assert.Greater(t, regular.Accuracy, geometric.Accuracy+0.02)
	assert.LessOrEqual(t, float64(regular.Told), 1.05*float64(geometric.Told))
	assert.Less(t, regular.Delay, geometric.Delay)
}

// Of windows that do not overlap the power is near 1, and the rule changes about as often as the truth, where windows
// alone change ten times as often. Where each window comes four times, the power is lower.
func TestChoose(t *testing.T) {
	m, rng := even(), rand.New(rand.NewPCG(3, 1))
	windows := world(rng, 6000, 0.85, func() int { return 1 + int(math.Log(1-rng.Float64())/math.Log(0.95)) })
	m.Choose(windows)
	assert.GreaterOrEqual(t, m.Power, 0.7)
	require.NotNil(t, m.HeldOut)
	h := m.HeldOut
	assert.Greater(t, h.Raw, 8*h.Changes)
	assert.InDelta(t, 1, float64(h.Told)/float64(h.Changes), 0.2)
	assert.Greater(t, h.Accuracy, h.RawAccuracy+0.1)
	assert.Positive(t, h.Delay)
	var four []Seen
	for _, w := range windows[:1500] {
		four = append(four, w, w, w, w)
	}
	m.Choose(four)
	assert.Less(t, m.Power, 0.5)

	before := *m
	m.Choose(nil)
	assert.Equal(t, before, *m)
}
