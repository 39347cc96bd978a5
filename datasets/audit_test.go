package datasets

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordingsOf returns an .npz file of n recordings `[sensors, timepoints]` of two classes in turns.
func recordingsOf(n, sensors, timepoints int, value func(i, sensor, time int) float32) arrays {
	values, labels := make([]float32, 0, n*sensors*timepoints), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 2)
		for sensor := range sensors {
			for time := range timepoints {
				values = append(values, value(i, sensor, time))
			}
		}
	}
	return arrays{"series": {Shape: []int{n, sensors, timepoints}, Data: values}, "labels": vectorOf(labels...)}
}

// noiseOf returns the value of noise that is not missing.
func noiseOf(rng *rand.Rand) func(i, sensor, time int) float32 {
	return func(int, int, int) float32 { return float32(rng.NormFloat64()) }
}

// windows returns recordings of twelve random walks, each of one class, cut into eight windows that overlap by three
// quarters.
func windows(rng *rand.Rand) arrays {
	const walks, each, length, step = 12, 8, 80, 20
	var walk [walks][2][length + each*step]float32
	for w := range walks {
		for sensor := range walk[w] {
			for at := 1; at < len(walk[w][sensor]); at++ {
				walk[w][sensor][at] = walk[w][sensor][at-1] + float32(rng.NormFloat64())
			}
		}
	}
	a := recordingsOf(walks*each, 2, length, func(i, sensor, time int) float32 {
		return walk[i/each][sensor][i%each*step+time]
	})
	labels := make([]int64, walks*each)
	for i := range labels {
		labels[i] = int64(i / each % 2)
	}
	return a.with("labels", vectorOf(labels...))
}

// kindsOf lists the levels and kinds of findings, such as "warning overlap".
func kindsOf(found Findings) (kinds []string) {
	for _, f := range found {
		kinds = append(kinds, f.Level+" "+f.Kind)
	}
	return kinds
}

func audited(t *testing.T, a arrays) Findings {
	t.Helper()
	found, err := Audit(a.load(t, Options{}))
	require.NoError(t, err)
	return found
}

func TestAuditOfWindows(t *testing.T) {
	a := windows(rand.New(rand.NewPCG(1, 1)))
	found := audited(t, a)
	require.Equal(t, []string{"warning overlap"}, kindsOf(found))
	assert.Equal(t, 96, found[0].Count)
	assert.Equal(t, 12, found[0].Families)
	assert.Greater(t, found[0].Random-found[0].Whole, 0.2, "what the overlap flatters")
	for seed := range uint64(5) {
		d := a.load(t, Options{Seed: seed, Validation: 0.2})
		walk := func(samples []int) (walks []int) {
			for _, i := range samples {
				walks = append(walks, i/8)
			}
			slices.Sort(walks)
			return slices.Compact(walks)
		}
		all := slices.Concat(walk(d.Train), walk(d.Validation), walk(d.Test))
		assert.Len(t, all, 12, "a walk in two splits")
		fold := a.load(t, Options{Seed: seed, Fold: Fold{Number: 1, Of: 3}})
		assert.Len(t, slices.Concat(walk(fold.Train), walk(fold.Test)), 12, "a walk in two folds")
		trial := d.Trial(d.Labels, d.Units(), 0.25, seed)
		assert.Len(t, slices.Concat(walk(trial.Train), walk(trial.Test)), len(walk(d.Train)), "a walk in both parts")
	}
}

// A classifier's own data is drawn as its training has drawn it: in whole families.
func TestFamiliesOfAClassifiersData(t *testing.T) {
	a := windows(rand.New(rand.NewPCG(1, 1)))
	trained := a.load(t, Options{Seed: 3})
	again := a.load(t, Options{Seed: 3, Form: trained.Form})
	assert.Equal(t, trained.Test, again.Test)
	assert.Empty(t, trained.Fingerprint().Differences(again.Fingerprint()))
}

// Windows that an import has cut of one recording were asked for: they stay together, and nothing is told. Of two
// recordings all the same.
func TestAuditOfWindowsOfAnImport(t *testing.T) {
	a := windows(rand.New(rand.NewPCG(1, 1)))
	cut := func(ofRecording func(walk int) int) arrays {
		var stretches, cuts []float64
		for walk := range 12 {
			stretches = append(stretches, float64(ofRecording(walk)), 0, 240, float64(walk%2))
			for each := range 8 {
				cuts = append(cuts, float64(walk), float64(20*each), float64(20*each+80))
			}
		}
		return a.with("stretches", matrixOf(4, stretches...)).with("windows", matrixOf(3, cuts...))
	}
	of := cut(func(walk int) int { return walk })
	assert.NotContains(t, kindsOf(audited(t, of)), "warning overlap")
	d := of.load(t, Options{})
	for i := range 96 {
		assert.Equal(t, d.Unit(i/8*8), d.Unit(i), "they stay together")
	}
	stretches := make([]float64, 0, 96*4) // each window a recording of its own
	windows := make([]float64, 0, 96*3)
	for i := range 96 {
		stretches = append(stretches, float64(i), 0, 80, float64(i/8%2))
		windows = append(windows, float64(i), 0, 80)
	}
	own := a.with("stretches", matrixOf(4, stretches...)).with("windows", matrixOf(3, windows...))
	assert.Contains(t, kindsOf(audited(t, own)), "warning overlap")
}

// Of more recordings than can be compared it is told how many were.
func TestAuditOfVeryManyWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, length, step = 200, 32_768, 16_384
	walk := make([]float32, length+n*step)
	for at := 1; at < len(walk); at++ {
		walk[at] = walk[at-1] + float32(rng.NormFloat64())
	}
	found := audited(t, recordingsOf(n, 1, length, func(i, _, time int) float32 { return walk[i*step+time] }))
	require.Contains(t, kindsOf(found), "warning overlap")
	messagetest.Names(t, found[slices.Index(kindsOf(found), "warning overlap")].String(), "50 … compared")
}

// A check says, too, if it found no overlap among the recordings that it could compare.
func TestAuditOfManyRecordings(t *testing.T) {
	const length = 32_768
	for n, want := range map[int]bool{40: false, 100: true} {
		d := recordingsOf(n, 1, length, noiseOf(rand.New(rand.NewPCG(1, 2)))).load(t, Options{})
		found, err := d.doubts(true)
		require.NoError(t, err)
		at := slices.Index(kindsOf(found), "note overlap")
		require.Equal(t, want, at >= 0, "%d recordings: %v", n, found)
		if want {
			messagetest.Names(t, found[at].String(), "no recordings … 50 were compared")
		}
	}
}

func TestAuditOfGroups(t *testing.T) {
	a := windows(rand.New(rand.NewPCG(1, 1)))
	groups := make([]string, 96)
	for i := range groups {
		groups[i] = fmt.Sprint(i / 8)
	}
	d := a.with("groups", vectorOf(groups...)).load(t, Options{})
	found, err := Audit(d)
	require.NoError(t, err)
	assert.Empty(t, kindsOf(found), "groups that keep windows together")
}

func TestAuditOfCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var first [60][2][50]float32
	for i := range first {
		for sensor := range first[i] {
			for time := range first[i][sensor] {
				first[i][sensor][time] = float32(rng.NormFloat64())
			}
		}
	}
	a := recordingsOf(100, 2, 50, func(i, sensor, time int) float32 { return first[i%60][sensor][time] })
	found := audited(t, a)
	require.Equal(t, []string{"note copies"}, kindsOf(found))
	assert.Equal(t, 40, found[0].Count)
	d := a.load(t, Options{})
	for _, i := range d.Test {
		for _, j := range d.Train {
			assert.NotEqual(t, i%60, j%60, "a copy in training and test")
		}
	}
	alike := audited(t, recordingsOf(100, 2, 50, noiseOf(rng)))
	assert.Empty(t, alike)
}

// TestAuditOfShortcuts checks what tells a class by how its recordings were made, and twins in which any recording is
// so.
func TestAuditOfShortcuts(t *testing.T) {
	nan := float32(math.NaN())
	for name, mark := range map[string]func(rng *rand.Rand, value float32, time int) float32{
		"the run of one value at the end": func(_ *rand.Rand, value float32, time int) float32 {
			if time >= 40 {
				return 0
			}
			return value
		},
		"the share of missing values": func(rng *rand.Rand, value float32, _ int) float32 {
			if rng.Float64() < 0.2 {
				return nan
			}
			return value
		},
		"the time points before the first value": func(_ *rand.Rand, value float32, time int) float32 {
			if time < 5 {
				return nan
			}
			return value
		},
	} {
		rng := rand.New(rand.NewPCG(3, 3))
		by := func(marked func(i int) bool) Findings {
			return audited(t, recordingsOf(120, 2, 60, func(i, _, time int) float32 {
				value := float32(rng.NormFloat64())
				if marked(i) {
					return mark(rng, value, time)
				}
				return value
			}))
		}
		found := by(func(i int) bool { return i%2 == 1 })
		require.Contains(t, kindsOf(found), "warning shortcut", name)
		assert.Equal(t, 1, slices.Index(kindsOf(found), "warning shortcut")+1, "the gravest first")
		assert.InDelta(t, 1, found[0].Recall-found[0].Others, 0.01, name)
		assert.InDelta(t, 1, found[0].Accuracy, 0.01, name)
		at := slices.Index(kindsOf(found), "note descriptors")
		require.Positive(t, at, name)
		assert.Equal(t, found[0].What, found[at].Table[0].Name, name)
		assert.Greater(t, min(found[at].Accuracy, found[at].Artefacts), 0.95, name)
		assert.InDelta(t, 0.5, found[at].Chance, 0, name)
		assert.NotContains(t, kindsOf(by(func(i int) bool { return i%3 == 1 })), "warning shortcut", name)
	}
}

func TestAuditOfLinks(t *testing.T) {
	const nodes, n = 40, 240
	rng := rand.New(rand.NewPCG(4, 4))
	order := rng.Perm(nodes - 1)
	values, labels := make([]float32, n*nodes), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 2)
		row := values[i*nodes : (i+1)*nodes]
		for node := range row {
			row[node] = float32(rng.NormFloat64())
		}
		for at := range nodes - 2 {
			row[order[at+1]] = 0.7*row[order[at]] + 0.7*row[order[at+1]]
		}
	}
	file := func(node func(int) int) arrays {
		var ends []int64
		for at := range nodes - 2 {
			ends = append(ends, int64(node(order[at])), int64(node(order[at+1])))
		}
		return arrays{"features": {Shape: []int{n, nodes}, Data: values}, "labels": vectorOf(labels...),
			"edges": &npz.Array{Shape: []int{nodes - 2, 2}, Data: ends}}
	}
	assert.Empty(t, audited(t, file(func(node int) int { return node })))
	assert.Equal(t, []string{"warning links"}, kindsOf(audited(t, file(func(node int) int { return node + 1 }))))
	other := rng.Perm(nodes)
	assert.Equal(t, []string{"question links"}, kindsOf(audited(t, file(func(node int) int { return other[node] }))))
}

func TestSplitByFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const size, families = 5, 24
	var shape [families][40]float32
	for at := range shape {
		for time := range shape[at] {
			shape[at][time] = float32(rng.NormFloat64())
		}
	}
	a := recordingsOf(size*families, 2, 40, func(i, _, time int) float32 {
		return shape[i%families][time] + float32(rng.NormFloat64())
	})
	found := audited(t, a)
	require.Contains(t, fmt.Sprint(kindsOf(found)), "families")
	d := a.load(t, Options{SplitFamilies: true})
	for _, i := range d.Test {
		for _, j := range d.Train {
			assert.NotEqual(t, i%families, j%families, "one family in training and test")
		}
	}
	marks := vectorOf(append(make([]int64, size*families-20), slices.Repeat([]int64{2}, 20)...)...)
	for name, c := range map[string]arrays{"belong together": recordingsOf(100, 2, 40, noiseOf(rng)),
		"groups":             maps.Clone(a).with("groups", vectorOf(slices.Repeat([]string{"a", "b"}, size*families/2)...)),
		"a split of its own": maps.Clone(a).with("split", marks)} {
		_, err := Load(t.Context(), c.write(t), Options{SplitFamilies: true})
		require.ErrorContains(t, err, name)
	}
}

// Families in any order are asked for where they cost something, and only then.
func TestAuditOfFamiliesInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const size, families = 2, 50
	var frequency [families][2]float64
	for at := range frequency {
		frequency[at] = [2]float64{0.2 + 1.3*rng.Float64(), 0.2 + 1.3*rng.Float64()}
	}
	order := rng.Perm(size * families)
	var labels, byLot []int64
	for _, place := range order {
		labels = append(labels, int64(place%families%2))
		byLot = append(byLot, int64(rng.IntN(2)))
	}
	phase := 0.0
	a := recordingsOf(size*families, 2, 64, func(i, sensor, time int) float32 {
		if time == 0 {
			phase = 6 * rng.Float64()
		}
		return float32(math.Sin(frequency[order[i]%families][sensor]*float64(time)+phase) + 0.2*rng.NormFloat64())
	}).with("labels", vectorOf(labels...))
	found := audited(t, a)
	require.Equal(t, []string{"question families"}, kindsOf(found))
	assert.Equal(t, size, found[0].Largest)
	assert.Greater(t, found[0].Random-found[0].Whole, 0.2)
	messagetest.Names(t, found[0].String(), fmt.Sprintf("about 2 … %.0f%%", 100*found[0].Whole))
	d := a.load(t, Options{SplitFamilies: true})
	parted := 0
	for _, i := range d.Test {
		for _, j := range d.Train {
			if order[i]%families == order[j]%families {
				parted++
			}
		}
	}
	assert.LessOrEqual(t, parted, 1, "families in training and test")
	judged := found[0].Judged("transforms have", slices.Repeat([]bool{true}, 100), make([]bool, 100))
	assert.Equal(t, "question", judged.Level, "values cannot tell families from clusters")
	assert.NotContains(t, kindsOf(audited(t, maps.Clone(a).with("labels", vectorOf(byLot...)))), "question families")
}

// Rows of few counts are equal by chance, whatever their class. One of other values is a mistake.
func TestAuditOfEqualRows(t *testing.T) {
	const n, columns = 150, 8
	equal := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		values, labels := make([]float32, n*columns), make([]int64, n)
		for at := range values {
			for product := rng.Float64(); product > math.Exp(-1); product *= rng.Float64() { // Poisson's, of mean 1
				values[at]++
			}
		}
		for i := range labels {
			labels[i] = int64(rng.IntN(3))
		}
		file := func() arrays {
			return arrays{"features": {Shape: []int{n, columns}, Data: values}, "labels": vectorOf(labels...),
				"edges": &npz.Array{Shape: []int{2, 2}, Data: []int64{0, 1, 1, 2}}}
		}
		found := kindsOf(audited(t, file()))
		assert.NotContains(t, found, "warning copies")
		if slices.Contains(found, "note copies") {
			equal++
		}
		for at := range values {
			values[at] += float32(rng.NormFloat64())
		}
		copy(values[columns:], values[:columns])
		labels[0], labels[1] = 0, 1
		assert.Contains(t, kindsOf(audited(t, file())), "warning copies")
	}
	assert.Greater(t, equal, 3, "draws that have equal rows")
}

func TestFindingsAsJSON(t *testing.T) {
	found := audited(t, windows(rand.New(rand.NewPCG(1, 1))))
	raw, err := json.Marshal(found)
	require.NoError(t, err)
	var read Findings
	require.NoError(t, json.Unmarshal(raw, &read))
	require.Len(t, read, len(found))
	for i, f := range found {
		assert.Equal(t, f.String(), read[i].String())
		assert.Equal(t, f.Level, read[i].Level)
		assert.InDelta(t, f.Whole, read[i].Whole, 1e-12)
	}
}

// The figures of a table and the places of a picture are in JSON, too.
func TestTablesAsJSON(t *testing.T) {
	found := Findings{{Kind: ofDescriptors, Level: note, Accuracy: 0.9, Chance: 0.5, Artefacts: 0.8,
		Table: []Descriptor{{"the length", false, "1", 0.7, 0.6, 0.5, 0.4}}},
		{Kind: ofFamilies, Level: note, What: "x", Seen: 0.5, Places: [][2]int{{3, 4}, {7, 9}}}}
	raw, err := json.Marshal(found)
	require.NoError(t, err)
	var read Findings
	require.NoError(t, json.Unmarshal(raw, &read))
	assert.Equal(t, found.Stated(), read)
}

// Neighbours of families that stand together stand on the diagonal.
func TestPlacesOfFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	level := make([]float32, 10)
	for i := range level {
		level[i] = 5 * float32(rng.NormFloat64())
	}
	found := audited(t, recordingsOf(120, 1, 40, func(i, _, _ int) float32 {
		return level[i/12] + float32(rng.NormFloat64())
	}))
	at := slices.IndexFunc(found, func(f Finding) bool { return f.Places != nil })
	require.GreaterOrEqual(t, at, 0, kindsOf(found))
	near := 0
	for _, pair := range found[at].Places {
		if max(pair[0]-pair[1], pair[1]-pair[0]) < 12 {
			near++
		}
	}
	assert.Greater(t, near, len(found[at].Places)/2)
}

func TestMistakesOfASession(t *testing.T) {
	d := recordingsOf(120, 1, 20, noiseOf(rand.New(rand.NewPCG(6, 6)))).load(t, Options{})
	d.Train = loop.Indices(120)
	right := make([]bool, 120)
	for i := range right {
		right[i] = (i < 48 || i >= 60) && i%15 != 0
	}
	found := d.Mistakes(d.Train, right)
	require.NotNil(t, found)
	assert.Equal(t, question, found.Level)
	assert.Subset(t, found.Samples, []int{50, 55, 58})
	for i := range right {
		right[i] = i%10 != 0
	}
	assert.Nil(t, d.Mistakes(d.Train, right))
}

func TestAuditWithoutTraining(t *testing.T) {
	d := recordingsOf(40, 1, 20, noiseOf(rand.New(rand.NewPCG(7, 7)))).load(t, Options{})
	d.Train = nil
	_, err := Audit(d)
	require.ErrorContains(t, err, "no training samples")
}

// Two devices with two rates, each for one class.
func TestAuditOfRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const n, points = 60, 40
	a := recordingsOf(n, 1, points, noiseOf(rng))
	times := make([]float64, 0, n*points)
	for i := range n {
		for at := range points {
			times = append(times, float64(at)*[]float64{0.01, 0.013}[i%2]+1e-4*rng.Float64())
		}
	}
	a = a.with("times", &npz.Array{Shape: []int{n, points}, Data: times})
	found := audited(t, a)
	require.Contains(t, kindsOf(found), "warning shortcut")
	assert.Contains(t, found[0].String(), "rate of the times")
}
