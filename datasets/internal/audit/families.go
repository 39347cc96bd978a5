package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// Dependence is evidence that samples come in families: that the samples nearest to one another, of one class, stand
// where chance would not put them.
type Dependence struct {
	// Kind is how the places of neighbours go together.
	Kind Kind
	// View is what the samples are near in: values, spectrum or level.
	View string
	// Seen and Drawn are the shares of samples whose nearest neighbour is so placed, in the file and where places are
	// drawn anew within classes. Deviations is their difference in deviations of the draws.
	Seen, Drawn, Deviations float64
	// Period is the number of samples in a round; 0 if neighbours stand next to one another.
	Period int
	// Cuts are the places in the file at which another family begins, for each class, if neighbours stand next to one
	// another.
	Cuts [][]int
	// Across says that families have samples of several classes, because samples of other classes that stand together in
	// the file are alike, too. Cuts are the same for all classes then.
	Across bool
	// Places are those in the file of some samples, each with that of the nearest sample of its class.
	Places [][2]int
}

// Kind says how the places of samples of one family go together.
type Kind int

// The places of samples of one family.
const (
	Near   Kind = iota // within nearPlaces of one another, counted within the class
	Rounds             // whole rounds apart
	Prefix             // their names begin alike
	Drift              // near in the file, though of other classes
)

const (
	nearPlaces    = 3   // that far are neighbours in a file
	draws         = 100 // of places
	dependent     = 5.0 // deviations that no set of independent samples has
	inRounds      = 7.0 // and for the best of many periods
	longestPeriod = 48
	fewestOfAll   = 20 // samples of which neighbours say something
)

// Dependences lists the evidence of families, the clearest of each kind.
func (s *Samples) Dependences(views []view) (found []Dependence) {
	if s.Len() < fewestOfAll {
		return nil
	}
	members := s.byClass()
	rank := make([]int, s.Len()) // the place of a sample among those of its class
	for _, class := range members {
		for at, i := range class {
			rank[i] = at
		}
	}
	ranks, places, stems := draw(members, rank), draw(members, s.places()), s.drawnStems(members)
	best, in := map[Kind]Dependence{}, map[Kind]view{}
	for _, v := range views {
		nearest := s.nearest(v, members)
		for _, d := range []Dependence{s.near(ranks, nearest), s.rounds(places, nearest), s.prefixes(stems, nearest),
			s.drift(v, places, members)} {
			d.View, d.Places = v.name, s.pairs(nearest)
			least := dependent
			if d.Kind == Rounds {
				least = inRounds
			}
			if d.Deviations >= least && d.Deviations > best[d.Kind].Deviations {
				best[d.Kind], in[d.Kind] = d, v
			}
		}
	}
	for kind, d := range best {
		if kind == Near {
			_, drifts := best[Drift]
			d.Across = drifts && !s.inStretches()
			d.Cuts = s.cuts(in[kind], members)
			if d.Across {
				d.Cuts = slices.Repeat(s.cuts(in[kind], [][]int{loop.Indices(s.Len())}), len(members))
			}
		}
		found = append(found, d)
	}
	slices.SortFunc(found, func(a, b Dependence) int { return cmp.Compare(b.Deviations, a.Deviations) })
	return found
}

// nearest returns the nearest other sample of the same class for each sample; -1 if the class has no other.
func (s *Samples) nearest(v view, members [][]int) []int {
	nearest := make([]int, s.Len())
	for i := range nearest {
		nearest[i] = -1
	}
	least := make([]float32, s.Len())
	for _, class := range members {
		for at, i := range class {
			for _, j := range class[:at] {
				d := v.distance(i, j)
				for _, pair := range [2][2]int{{i, j}, {j, i}} {
					if nearest[pair[0]] < 0 || d < least[pair[0]] {
						nearest[pair[0]], least[pair[0]] = pair[1], d
					}
				}
			}
		}
	}
	return nearest
}

// mostPairs bounds the neighbours that are told.
const mostPairs = 150

// pairs returns the places of some samples and of their nearest ones.
func (s *Samples) pairs(nearest []int) (places [][2]int) {
	for _, i := range spread(s.Len(), mostPairs) {
		if j := nearest[i]; j >= 0 {
			places = append(places, [2]int{s.place(i), s.place(j)})
		}
	}
	return places
}

// drawing is the place of each sample, and those of many draws of them anew within classes.
type drawing struct {
	place []int
	drawn [][]int
}

// draw draws the places of samples anew.
func draw(members [][]int, place []int) drawing {
	rng := rand.New(rand.NewPCG(1, 1))
	d := drawing{place: place}
	drawn := slices.Clone(place)
	for range draws {
		for _, class := range members {
			rng.Shuffle(len(class), func(a, b int) {
				drawn[class[a]], drawn[class[b]] = drawn[class[b]], drawn[class[a]]
			})
		}
		d.drawn = append(d.drawn, slices.Clone(drawn))
	}
	return d
}

// compare returns how far a share of neighbours stands out from those where the places of samples are drawn anew. share
// takes the place of each sample.
func (s *Samples) compare(of drawing, share func(place []int) float64) (d Dependence) {
	sum, squares := 0.0, 0.0
	for _, drawn := range of.drawn {
		one := share(drawn)
		sum, squares = sum+one/draws, squares+one*one/draws
	}
	d.Seen, d.Drawn = share(of.place), sum
	// A share over few samples has jumps: a draw counts as at least one sample off.
	deviation := max(math.Sqrt(max(0, squares-sum*sum)), 1/float64(s.Len()))
	d.Deviations = (d.Seen - d.Drawn) / deviation
	return d
}

// near asks whether nearest samples are neighbours in the file.
func (s *Samples) near(ranks drawing, nearest []int) Dependence {
	d := s.compare(ranks, func(place []int) float64 {
		return shareOf(nearest, func(i, j int) bool {
			return abs(place[i]-place[j]) <= nearPlaces
		})
	})
	d.Kind = Near
	return d
}

// rounds asks whether nearest samples are whole rounds apart: recorded in turns.
func (s *Samples) rounds(places drawing, nearest []int) (best Dependence) {
	for period := nearPlaces + 1; period <= min(longestPeriod, s.Len()/3); period++ {
		d := s.compare(places, func(place []int) float64 {
			return shareOf(nearest, func(i, j int) bool { return (place[i]-place[j])%period == 0 })
		})
		if d.Deviations > best.Deviations {
			best = d
			best.Period = period
		}
	}
	best.Kind = Rounds
	return best
}

// drift asks whether the nearest sample of another class is one of those of that class that stand nearest in the file,
// more often than chance puts it. Then the recordings changed over time, whatever their class.
func (s *Samples) drift(v view, places drawing, members [][]int) Dependence {
	other := make([]int, s.Len()) // the nearest sample of another class
	for i := range other {
		least := float32(math.Inf(1))
		other[i] = -1
		for j := range s.Len() {
			if s.Labels[j] == s.Labels[i] {
				continue
			}
			if d := v.distance(i, j); d < least {
				other[i], least = j, d
			}
		}
	}
	ofClass := make([][]int, len(members)) // the places of each class, which a draw does not change
	for class, samples := range members {
		for _, i := range samples {
			ofClass[class] = append(ofClass[class], s.place(i))
		}
	}
	d := s.compare(places, func(place []int) float64 {
		return shareOf(other, func(i, j int) bool {
			return nearestFifth(ofClass[s.Labels[j]], place[i], place[j])
		})
	})
	d.Kind = Drift
	return d
}

// nearestFifth reports whether a place is among the fifth of sorted places that are nearest to another place.
func nearestFifth(places []int, to, place int) bool {
	reach := abs(place - to)
	first, _ := slices.BinarySearch(places, to-reach+1)
	end, _ := slices.BinarySearch(places, to+reach)
	return 5*(end-first) < len(places)
}

// drawnStems draws the stems of the names ([Stem]) anew, by their numbers; nothing if names do not make families.
func (s *Samples) drawnStems(members [][]int) (none drawing) {
	if s.Names == nil {
		return none
	}
	number := map[string]int{}
	place := make([]int, s.Len())
	for i, name := range s.Names {
		stem := Stem(name)
		if _, known := number[stem]; !known {
			number[stem] = len(number)
		}
		place[i] = number[stem]
	}
	if len(number) <= s.Classes || len(number) > s.Len()*3/4 {
		return none
	}
	return draw(members, place)
}

// prefixes asks whether nearest samples have names that begin alike.
func (s *Samples) prefixes(stems drawing, nearest []int) (d Dependence) {
	if stems.place == nil {
		return d
	}
	d = s.compare(stems, func(place []int) float64 {
		return shareOf(nearest, func(i, j int) bool { return place[i] == place[j] })
	})
	d.Kind = Prefix
	return d
}

// shareOf returns the share of samples for which holds(i, nearest[i]).
func shareOf(nearest []int, holds func(i, j int) bool) float64 {
	count, all := 0, 0
	for i, j := range nearest {
		if j < 0 {
			continue
		}
		all++
		if holds(i, j) {
			count++
		}
	}
	return float64(count) / float64(max(1, all))
}
