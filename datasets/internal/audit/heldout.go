package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/trees"
)

// Told says how well a class is told from all others, of samples that were held out: by a limit of a descriptor, which
// is learned from the other samples.
type Told struct {
	// Recall is the share of the class, Others that of the other samples, that the limit takes for the class.
	Recall, Others float64
}

// Accuracy is the share that is told right if there are as many samples of the class as others. By chance it is a half.
func (t Told) Accuracy() float64 { return (t.Recall + 1 - t.Others) / 2 }

// Row is a descriptor, the class that it tells best, and how well it does.
type Row struct {
	Shortcut
	Told Told
}

const (
	mostRows   = 20
	mixedTrees = 40
)

// Table lists the descriptors that differ among the samples, those that tell held-out samples best first, and how often
// all of them together are right, each class weighing as much: those of the recording alone, and all.
//
// family numbers what no fold may part; nil if every sample is alone.
func (s *Samples) Table(family []int) (rows []Row, artefacts, all float64) {
	var use []Descriptor
	fold := s.folds(family)
	for _, d := range s.descriptors() {
		best := s.clearest(d.Values)
		if best.Deviations == 0 {
			continue
		}
		best.Descriptor = d
		rows = append(rows, Row{best, s.heldOutBy(d.Values, fold)})
		if !d.Aside {
			use = append(use, d)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Told.Accuracy(), a.Told.Accuracy()), cmp.Compare(order(a.Shortcut), order(b.Shortcut)))
	})
	rows = rows[:min(len(rows), mostRows)]
	all = s.together(use, fold)
	use = slices.DeleteFunc(slices.Clone(use), func(d Descriptor) bool { return !d.Artefact })
	return rows, s.together(use, fold), all
}

// HeldOut returns how well a shortcut tells its class of held-out samples; see [Samples.Table].
func (s *Samples) HeldOut(of Shortcut, family []int) Told {
	return s.heldOutBy(of.Descriptor.Values, s.folds(family))
}

// folds gives each sample a fold, each class as evenly as families allow that stay whole. Of a single family, as the
// training of two people has, nothing would be left to learn from: its samples are held out each by itself.
func (s *Samples) folds(family []int) []int {
	members := s.byClass()
	if !slices.ContainsFunc(family, func(one int) bool { return one != family[0] }) {
		return drawnFolds(members, s.wholeFolds(members, loop.Indices(s.Len())), 0)
	}
	return s.wholeFolds(members, family)
}

// heldOutBy holds out fold by fold, and learns from the other samples which class the values tell best, and its limit:
// else the choice of the class would see what is held out. A sample without a value is none of the class.
func (s *Samples) heldOutBy(values []float64, fold []int) (t Told) {
	count, rest := 0.0, 0.0
	learn := make([]float64, len(values))
	for k := range folds {
		copy(learn, values)
		for i := range learn {
			if fold[i] == k {
				learn[i] = math.NaN()
			}
		}
		best := s.clearest(learn)
		for i, value := range values {
			if fold[i] != k {
				continue
			}
			taken := float64(asInt(best.limit.holds(value)))
			if int(s.Labels[i]) == best.Class {
				count, t.Recall = count+1, t.Recall+taken
			} else {
				rest, t.Others = rest+1, t.Others+taken
			}
		}
	}
	return Told{t.Recall / max(1, count), t.Others / max(1, rest)}
}

func asInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// together returns how often a forest on descriptors is right about held-out samples, each class weighing as much.
func (s *Samples) together(descriptors []Descriptor, fold []int) (accuracy float64) {
	if len(descriptors) == 0 {
		return 0
	}
	columns := columnsOf(descriptors)
	forest := trees.NewSamples(columns, s.Labels, s.Classes)
	rng := rand.New(rand.NewPCG(5, 5))
	right, all := make([]float64, s.Classes), make([]float64, s.Classes)
	for k := range folds {
		learn := slices.DeleteFunc(loop.Indices(s.Len()), func(i int) bool { return fold[i] == k })
		if len(learn) == 0 || len(learn) == s.Len() {
			continue
		}
		var grown [mixedTrees]trees.Tree
		for at := range grown {
			grown[at] = forest.Grow(slices.Clone(learn), int(math.Sqrt(float64(len(descriptors))))+1, rng)
		}
		for i, class := range s.Labels {
			if fold[i] == k {
				all[class]++
				right[class] += float64(asInt(s.voted(grown[:], columns, i) == int(class)))
			}
		}
	}
	classes := 0.0
	for class, count := range all {
		if count > 0 {
			accuracy, classes = accuracy+right[class]/count, classes+1
		}
	}
	return accuracy / max(1, classes)
}

// voted returns the class that most trees give sample i.
func (s *Samples) voted(grown []trees.Tree, columns []float32, i int) int {
	var row []float32
	for at := i; at < len(columns); at += s.Len() {
		row = append(row, columns[at])
	}
	votes := make([]int, s.Classes)
	for _, tree := range grown {
		votes[tree.Class(row)]++
	}
	return slices.Index(votes, slices.Max(votes))
}

// columnsOf returns the values of descriptors, `[descriptors][samples]`, with one that no sample has for none.
func columnsOf(descriptors []Descriptor) (columns []float32) {
	for _, d := range descriptors {
		least := math.Inf(1)
		for _, value := range d.Values {
			if value < least {
				least = value
			}
		}
		for _, value := range d.Values {
			if value != value {
				value = least - 1
			}
			columns = append(columns, float32(value))
		}
	}
	return columns
}
