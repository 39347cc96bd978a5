package training_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lot is a data set of noise: recordings of sensors, or signals on nodes if there are no time points.
type lot struct {
	samples, tests, columns, timepoints int
	label                               func(rng *rand.Rand, i int) int
	group                               func(i int) int                        // nil: none
	shift                               func(label, column int) float64        // nil: none
	change                              func(values []float32, labels []int32) // nil: nothing
}

// write writes the data set that a seed draws.
func (l lot) write(t *testing.T, seed uint64) string {
	t.Helper()
	rng, n, width := rand.New(rand.NewPCG(seed, 1)), l.samples+l.tests, l.columns*max(1, l.timepoints)
	values, labels, split, groups := make([]float32, n*width), make([]int32, n), make([]uint8, n), make([]string, n)
	order := append(rng.Perm(l.samples), rng.Perm(l.tests)...)
	for i := range n {
		labels[i] = int32(l.label(rng, order[i]))
		if i >= l.samples {
			split[i] = 2
		}
		if l.group != nil {
			groups[i] = fmt.Sprint("group ", l.group(i))
		}
		for at := range width {
			v := rng.NormFloat64()
			if l.shift != nil {
				v += l.shift(int(labels[i]), at/max(1, l.timepoints))
			}
			values[i*width+at] = float32(v)
		}
	}
	if l.change != nil {
		l.change(values, labels)
	}
	name, shape := "features", []int{n, l.columns}
	if l.timepoints > 0 {
		name, shape = "series", []int{n, l.columns, l.timepoints}
	}
	list := func(data any) *npz.Array { return &npz.Array{Shape: []int{n}, Data: data} }
	arrays := []npz.Named{{Name: "labels", Array: list(labels)}, {Name: "split", Array: list(split)},
		{Name: name, Array: &npz.Array{Shape: shape, Data: values}}}
	if l.group != nil {
		arrays = append(arrays, npz.Named{Name: "groups", Array: list(groups)})
	}
	path := filepath.Join(t.TempDir(), "lot.npz")
	require.NoError(t, npz.Write(path, arrays))
	return path
}

// fast trains transforms alone, and returns what is told of them, too.
func fast(t *testing.T, asked training.Patch) (training.Result, string, error) {
	t.Helper()
	var notices strings.Builder
	asked["model"] = "transforms"
	result, err := training.Train(t.Context(), backendtest.Go(t), asked,
		training.Options{Dir: filepath.Join(t.TempDir(), "run"),
			Observer: training.Observer{Notice: func(n training.Notice) { notices.WriteString(n.String() + "\n") }}})
	return result, notices.String(), err
}

func even(_ *rand.Rand, i int) int { return i % 2 }

// Classes by lot can be told by nothing. benchmarks/heldout_noise.py has more seeds, larger sets and closer bounds.
func TestHeldOutFiguresOfNoiseAreChance(t *testing.T) {
	const seeds = 6
	for name, c := range map[string]struct {
		lot
		knn int
	}{
		"nodes that are alike":     {lot{samples: 40, tests: 4, columns: 120, label: even}, 4},
		"sensors that correlate":   {lot{samples: 40, tests: 4, columns: 17, timepoints: 12, label: even}, 0},
		"forty samples":            {lot{samples: 40, tests: 4, columns: 2, timepoints: 20, label: even}, 0},
		"a quarter of unlike size": {lot{samples: 36, tests: 4, columns: 2, timepoints: 20, label: even}, 0},
		"two groups": {lot{samples: 40, tests: 4, columns: 2, timepoints: 20, label: even,
			group: func(i int) int { return i / 20 }}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			right, count := map[string]float64{}, map[string]int{}
			for seed := range uint64(seeds) {
				asked := training.Patch{"data": c.write(t, seed), "seed": int(seed)}
				if c.knn > 0 {
					asked["knn"] = c.knn
				}
				result, notices, err := fast(t, asked)
				require.NoError(t, err)
				of := result.Train
				require.Positive(t, of.Samples)
				assert.Contains(t, notices, fmt.Sprintf("(%d samples", of.Samples), "a figure says of how many")
				assert.Equal(t, of.Groups == 1, strings.Contains(notices, "on a held-out group ("))
				for _, m := range result.Members {
					require.NotNil(t, m.Score, m.Name)
					assert.Equal(t, []int{of.Samples, of.Groups}, []int{m.Samples, m.Groups}, m.Name)
					right[m.Name] += m.Accuracy * float64(m.Samples)
					count[m.Name] += m.Samples
					assert.Greater(t, m.Loss, 0.4, m.Name)
				}
			}
			for name, n := range count {
				deviation := math.Sqrt(0.25 / float64(n))
				assert.InDelta(t, 0.5, right[name]/float64(n), 4*deviation, "%s, of %d samples", name, n)
			}
		})
	}
}

// Where nothing can be held out there is no figure.
func TestNoFigureWithoutHeldOutSamples(t *testing.T) {
	lone := lot{samples: 20, tests: 20, columns: 2, timepoints: 20,
		label: func(_ *rand.Rand, i int) int { return i % 20 }}
	// Each group has a class that no other has, so that none can be spared; most samples are of classes that all
	// have.
	own := lot{samples: 36, tests: 12, columns: 2, timepoints: 20, label: even, group: func(i int) int { return i % 3 },
		change: func(_ []float32, labels []int32) {
			for i := range 12 {
				labels[i] = int32(2 + i%3)
			}
		}}
	for name, c := range map[string]struct {
		lot
		transforms, says string
	}{
		"one sample of each class": {lone, "all",
			"no class has two training samples or groups, so that none can be held out: the transforms have"},
		"one sample of each, a forest": {lone, "forest",
			"no class has two training samples or groups, so that none can be held out: forest predicts"},
		"groups with their own class": {own, "all",
			"no quarter can be held out without the last samples or groups of a class, so that nothing says how well"},
	} {
		t.Run(name, func(t *testing.T) {
			result, notices, err := fast(t, training.Patch{"data": c.write(t, 1), "transforms": c.transforms})
			require.NoError(t, err)
			assert.Contains(t, notices, c.says)
			assert.NotContains(t, notices, "%, loss")
			assert.Zero(t, result.Train)
			assert.Equal(t, "model transforms has no network", result.NoNetwork)
			for _, m := range result.Members {
				assert.Nil(t, m.Score, m.Name)
			}
		})
	}
}

// Twenty of 600 nodes are higher in a class, and so they are joined to each other. Along the links that samples have
// made they look smoother than new samples do; a transform that is fitted to that has nearly all held-out samples
// right, and a third of new ones wrong.
func TestGraphOfSamplesPromisesNoMoreThanNewSamplesShow(t *testing.T) {
	of := lot{samples: 64, tests: 200, columns: 600, label: even,
		shift: func(label, column int) float64 { return 1.5 * float64(label*max(0, min(1, 20-column))) }}
	promised, shown := 0., 0.
	for seed := range uint64(4) {
		result, _, err := fast(t, training.Patch{"data": of.write(t, seed), "knn": 4, "transforms": "scattering",
			"seed": int(seed)})
		require.NoError(t, err)
		promised, shown = promised+result.Train.Accuracy/4, shown+result.Test.Accuracy/4
	}
	assert.LessOrEqual(t, promised, shown+0.1)
	assert.GreaterOrEqual(t, shown, 0.8)
}

// Three quarters may have each class in one group, although the whole has some in several. Then groups tell nothing
// of the three quarters, whose classifier is chosen by single samples.
func TestTrialIsFittedByTheGroupsOfItsThreeQuarters(t *testing.T) {
	of := lot{samples: 36, tests: 12, columns: 3, timepoints: 12, label: even,
		group: func(i int) int { return min(i/12, 2) },
		shift: func(label, column int) float64 { return 4 * float64(1-min(1, (label-column)*(label-column))) }}
	of.change = func(series []float32, labels []int32) {
		for i := 24; i < 36; i++ { // the third group has a class of its own
			for timepoint := range 12 {
				series[(i*3+int(labels[i]))*12+timepoint] -= 4
				series[(i*3+2)*12+timepoint] += 4
			}
			labels[i] = 2
		}
	}
	result, notices, err := fast(t, training.Patch{"data": of.write(t, 1), "transforms": "values"})
	require.NoError(t, err)
	assert.Equal(t, 1.0, result.Test.Accuracy)
	assert.Equal(t, 1.0, result.Train.Accuracy, notices)
	assert.Equal(t, []int{12, 1}, []int{result.Train.Samples, result.Train.Groups})
	assert.Contains(t, notices, "on a held-out group (12 samples): ")
}

// A trial says what went wrong, unless the samples are too few for it.
func TestTrialReturnsItsError(t *testing.T) {
	of := lot{samples: 40, tests: 10, columns: 2, timepoints: 12, label: even,
		change: func(series []float32, _ []int32) {
			clear(series[:10*24]) // all but sample 10 are alike
			clear(series[11*24:])
		}}
	path, failed := of.write(t, 1), 0
	for seed := range 12 { // sample 10 is held out in about a quarter of them
		if _, _, err := fast(t, training.Patch{"data": path, "seed": seed}); err != nil {
			require.ErrorContains(t, err, "the trial on 30 of the 40 training samples: all 30 samples have the same "+
				"features")
			failed++
		}
	}
	assert.Positive(t, failed)
}
