package early

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Looks are at each twentieth, rounded up, but where there are too few time points, and before the end.
func TestLooksAt(t *testing.T) {
	assert.Equal(t, []int{4, 5, 6, 7, 8, 9, 10, 11}, LooksAt(12, 4))
	assert.Equal(t, []int{5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95}, LooksAt(100, 4))
	assert.Equal(t, []int{4, 5, 6}, LooksAt(7, 4))
	assert.Empty(t, LooksAt(4, 4))
	assert.Empty(t, LooksAt(1, 1))
}

// A class is decided once so many looks in a row have it with its threshold. Another class, and a look below the
// threshold, begin anew.
func TestDecider(t *testing.T) {
	r := &Rule{Looks: []int{1, 2, 3, 4, 5, 6, 7}, Agree: 2, Thresholds: []float64{0.6, 0.8}}
	d := r.Decide()
	for _, p := range [][]float64{{0.7, 0.3}, {0.1, 0.9}, {0.3, 0.7}, {0.2, 0.8}, {0.59, 0.41}, {0.6, 0.4}} {
		assert.False(t, d.Add(p), p)
	}
	assert.True(t, d.Add([]float64{0.6, 0.4}))

	r.Agree = 1
	assert.False(t, r.Decide().Add([]float64{0.25, 0.75}))
	assert.True(t, r.Decide().Add([]float64{0.2, 0.8}))
}

func TestTally(t *testing.T) {
	var tally Tally
	tally.Add(true, true, 0.25)
	tally.Add(true, false, 0.5)
	tally.Add(false, true, 0.75)
	tally.Add(true, true, 0.5)
	assert.Equal(t, Figures{Samples: 4, Accuracy: 0.75, AtEnd: 0.75, Seen: 0.5, Mean: 0.6}, tally.Figures())

	var late Tally
	late.Add(false, false, 1)
	assert.Zero(t, late.Figures().Mean, "all wrong at the end")
	assert.False(t, math.IsNaN(new(Tally).Figures().Accuracy))
}

// steps are samples of two classes in recordings of 10 time points, with looks at 2, 4, 6 and 8. Those of class 0 are
// told with 0.9 from the first look on. Those of class 1 look like class 0 with 0.6 until the third look, and then are
// told with 0.9.
func steps(ofClass int) (samples []Sample) {
	for i := range 2 * ofClass {
		early, late := []float64{0.9, 0.1}, []float64{0.9, 0.1}
		if i%2 == 1 {
			early, late = []float64{0.6, 0.4}, []float64{0.1, 0.9}
		}
		samples = append(samples, Sample{Class: i % 2, Length: 10, Looks: [][]float64{early, early, late, late}, End: late})
	}
	return samples
}

// half are the shares of two classes.
var half = []float64{0.5, 0.5}

// By loss the three looks that agree come as early as can be for class 0, and too late for class 1, which waits for the
// end. By mean one look is enough.
func TestChoose(t *testing.T) {
	looks := []int{2, 4, 6, 8}
	r := Choose(looks, half, steps(20), ByLoss, 0.02)
	assert.Equal(t, 3, r.Agree)
	near(t, Figures{Samples: 40, Accuracy: 1, AtEnd: 1, Seen: 0.8, Mean: 2 * 0.2 / 1.2}, r.Chosen)
	near(t, Figures{Samples: 40, Accuracy: 1, AtEnd: 1, Seen: 0.4, Mean: 2 * 0.6 / 1.6}, r.Best)
	require.Len(t, r.Curve, 5)
	for at, want := range []Point{{0.2, 0.5}, {0.4, 0.5}, {0.6, 1}, {0.8, 1}, {1, 1}} {
		assert.InDelta(t, want.Seen, r.Curve[at].Seen, 1e-12)
		assert.InDelta(t, want.Accuracy, r.Curve[at].Accuracy, 1e-12)
	}

	byMean := Choose(looks, half, steps(20), ByMean, 0.02)
	assert.Equal(t, 1, byMean.Agree)
	assert.Equal(t, r.Best, byMean.Chosen)
	require.NoError(t, byMean.Check(2))
	require.Error(t, byMean.Check(3))
}

// near fails unless figures are the wanted ones.
func near(t *testing.T, want, is Figures) {
	t.Helper()
	assert.Equal(t, want.Samples, is.Samples)
	assert.InDeltaSlice(t, []float64{want.Accuracy, want.AtEnd, want.Seen, want.Mean},
		[]float64{is.Accuracy, is.AtEnd, is.Seen, is.Mean}, 1e-9)
}

// However large the loss, nothing that is asked is exceeded on the samples that chose; without any loss, all may wait
// for the end. More loss is never later.
func TestLossIsKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var samples []Sample
	looks := []int{10, 20, 30, 40, 50, 60, 70, 80, 90}
	for i := range 240 {
		s := Sample{Class: i % 3, Length: 100}
		for look := range 10 {
			p := []float64{rng.Float64(), rng.Float64(), rng.Float64()}
			p[s.Class] += float64(look) / 6
			sum := p[0] + p[1] + p[2]
			for k := range p {
				p[k] /= sum
			}
			if look == 9 {
				s.End = p
			} else {
				s.Looks = append(s.Looks, p)
			}
		}
		samples = append(samples, s)
	}
	seen := 1.0
	for _, loss := range []float64{0, 0.02, 0.1, 0.3, 1} {
		r := Choose(looks, []float64{1. / 3, 1. / 3, 1. / 3}, samples, ByLoss, loss)
		assert.LessOrEqual(t, r.Chosen.AtEnd-r.Chosen.Accuracy, loss+1e-9)
		assert.LessOrEqual(t, r.Chosen.Seen, seen+1e-9)
		assert.GreaterOrEqual(t, r.Best.Mean, r.Chosen.Mean-1e-9)
		seen = r.Chosen.Seen
	}
	assert.GreaterOrEqual(t, seen, 0.3, "the third look")
	assert.Less(t, seen, 0.6)
}

// A class of many samples has a threshold of its own, and one of few has not.
func TestThresholdsByClass(t *testing.T) {
	looks := []int{2, 4, 6, 8}
	differ := func(r *Rule) bool { return r.Thresholds[0] != r.Thresholds[1] }
	samples := func(ofClass int) (all []Sample) { // class 0 is told with 0.6, and class 1 is taken for itself too late
		for i := range 2 * ofClass {
			sure, early := []float64{0.62, 0.38}, []float64{0.62, 0.38}
			if i%2 == 1 {
				early, sure = []float64{0.3, 0.7}, []float64{0.3, 0.7}
				if i%10 == 1 {
					early, sure = []float64{0.36, 0.64}, []float64{0.64, 0.36} // which another class's threshold would keep out
				}
			}
			all = append(all, Sample{Class: i % 2, Length: 10, Looks: [][]float64{early, early, early, early}, End: sure})
		}
		for at := range all {
			if all[at].Class == 1 && all[at].End[0] > 0.5 {
				all[at].Class = 0
			}
		}
		return all
	}
	assert.True(t, differ(Choose(looks, half, samples(100), ByLoss, 0)))
	assert.False(t, differ(Choose(looks, half, samples(20), ByLoss, 0)))
}

// Looks after the end of a short recording do not matter.
func TestShortRecordings(t *testing.T) {
	wrong := []float64{0.01, 0.99}
	s := Sample{Class: 0, Length: 3, Looks: [][]float64{{0.5, 0.5}, wrong, wrong}, End: []float64{0.9, 0.1}}
	r := Choose([]int{2, 4, 8}, half, []Sample{s}, ByLoss, 0)
	assert.Equal(t, 1.0, r.Chosen.Accuracy)
	assert.Equal(t, Point{1, 1}, r.Curve[2])
}

// A look at the very end of a recording counts: it decides what the looks before it and it agree on.
func TestLookAtTheEnd(t *testing.T) {
	sure, wrong := []float64{0.9, 0.1}, []float64{0.1, 0.9}
	s := Sample{Class: 0, Length: 6, Looks: [][]float64{sure, sure, sure}, End: wrong}
	r := Choose([]int{2, 4, 6}, half, []Sample{s}, ByLoss, 0)
	assert.Equal(t, Figures{Samples: 1, Accuracy: 1, Seen: 1}, r.Chosen)
	assert.Equal(t, []Point{{2. / 6, 1}, {4. / 6, 1}, {1, 1}, {1, 0}}, r.Curve)
}

// Rules that only damage makes are told.
func TestCheck(t *testing.T) {
	good := func() *Rule {
		return &Rule{Looks: []int{3, 4}, Agree: 1, Thresholds: []float64{0.5, 2}, Shares: []float64{0.4, 0.6}}
	}
	require.NoError(t, good().Check(2))
	require.NoError(t, (&Rule{Agree: 1, Thresholds: []float64{2, 2}, Shares: half}).Check(2), "no look tells anything")
	require.NoError(t, (*Rule)(nil).Check(2))
	for _, spoil := range []func(r *Rule){
		func(r *Rule) { r.Looks = []int{4, 3} },
		func(r *Rule) { r.Looks = []int{0, 3} },
		func(r *Rule) { r.Agree = 0 },
		func(r *Rule) { r.Thresholds = []float64{0.5} },
		func(r *Rule) { r.Thresholds[0] = math.NaN() },
		func(r *Rule) { r.Thresholds[0] = -1 },
		func(r *Rule) { r.Shares = nil },
		func(r *Rule) { r.Shares[1] = math.NaN() },
	} {
		r := good()
		spoil(r)
		assert.Error(t, r.Check(2))
	}
}
