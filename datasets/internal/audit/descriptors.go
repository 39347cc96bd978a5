package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// ofPlace is the descriptor that is no shortcut: many files are sorted by class. Whether something changed along a file
// is asked by the neighbours of samples.
const ofPlace = "the place in the file"

// descriptors lists what can be said of how the samples were made, as far as they may differ in it.
func (s *Samples) descriptors() (all []Descriptor) {
	// Larger values have fewer decimals where all are written with as many digits.
	digits := s.each(func(m *Making) float64 { return float64(m.Digits) })
	lengths := s.each(func(m *Making) float64 { return float64(m.TimePoints) })
	scales := s.each(func(m *Making) float64 { return math.Round(1000*m.Scale) / 1000 })
	// Larger values have more steps, and so come again more seldom; more values have a better chance to come again.
	graded := []Followed{{scales, true}, {lengths, false}}
	all = []Descriptor{
		{Name: "the share of missing values", Artefact: true, Interpolated: true,
			Values: s.each(func(m *Making) float64 { return m.Missing })},
		{Name: "the share of values made up in holes", Artefact: true, Interpolated: true,
			Values: s.each(func(m *Making) float64 { return m.MadeUp })},
		{Name: "the time points before the first value", Artefact: true,
			Values: s.each(func(m *Making) float64 { return float64(m.Late) })},
		{Name: "the run of one value at the begin", Artefact: true,
			Values: s.runs(func(m *Making) int { return m.RunStart })},
		{Name: "the run of one value at the end", Artefact: true,
			Values: s.runs(func(m *Making) int { return m.RunEnd })},
		{Name: "the step of the values", Artefact: true, Graded: true, Values: s.steps(),
			Beside: graded},
		{Name: "the rounding of the values", Artefact: true, Graded: true,
			Values: s.each(func(m *Making) float64 { return m.Rounded }), Beside: graded},
		{Name: "the decimals of the values", Artefact: true,
			Values: s.each(func(m *Making) float64 { return float64(m.Decimals) }), With: digits},
		{Name: "the share of values at the end of a sensor's range", Asked: true,
			Values: s.each(func(m *Making) float64 { return m.Clipped }), Beside: []Followed{{scales, false}}},
		{Name: "the rate of the times", Artefact: true, Interpolated: true,
			Values: s.each(func(m *Making) float64 { return toDigits(m.Rate, 3) })},
		{Name: "the jitter of the times", Artefact: true, Interpolated: true,
			Values: s.each(func(m *Making) float64 { return toDigits(m.Jitter, 1) })},
		{Name: "the time of the first value", Asked: true, Aside: true,
			Values: s.each(func(m *Making) float64 { return m.Begin })},
		{Name: ofPlace, Aside: true, Values: s.placeValues()},
	}
	for line, frequency := range mains {
		all = append(all, Descriptor{Name: fmt.Sprintf("the hum at %g Hz", frequency), Artefact: true,
			Values: s.each(func(m *Making) float64 { return m.Hum[line] })})
	}
	// What one sensor does explains what the recording does. Of descriptors that tell as much the first one is told.
	return append(slices.Concat(all, s.columnDescriptors(), s.sensorDescriptors(), s.nameDescriptors()),
		Descriptor{Name: "the length", Values: lengths},
		Descriptor{Name: "the scale of the values", Values: s.each(func(m *Making) float64 { return m.Scale })},
		Descriptor{Name: "the longest time that a sensor keeps one value",
			Values: s.each(func(m *Making) float64 { return float64(m.Repeat) })})
}

// runs returns how much longer the run of one value at an end of each sample is than runs within samples explain. What
// rests, or is off, does so at an end as well, and in coarse values what hardly changes is a run. It is seldom longer
// than restTimes that of the samples within which nine of ten have shorter ones.
func (s *Samples) runs(of func(m *Making) int) []float64 {
	const restTimes, restShare = 4, 0.9
	within := s.each(func(m *Making) float64 { return float64(m.RunWithin) })
	slices.Sort(within)
	rest := restTimes * within[int(restShare*float64(len(within)-1))]
	return s.each(func(m *Making) float64 { return max(0, float64(of(m))-rest) })
}

// mostSteps bounds the steps that devices have. Where there are more, recordings were standardised one by one, and the
// step says how large the values were before.
const mostSteps = 6

// steps returns the logarithm of the step of each sample, if they have few different ones.
func (s *Samples) steps() []float64 {
	steps := s.each(func(m *Making) float64 { return math.Round(m.Step*20) / 20 })
	there := slices.DeleteFunc(slices.Clone(steps), func(v float64) bool { return v != v })
	slices.Sort(there)
	if len(slices.Compact(there)) > mostSteps {
		return make([]float64, s.Len())
	}
	return steps
}

// each returns a number of each sample.
func (s *Samples) each(of func(m *Making) float64) []float64 {
	values := make([]float64, s.Len())
	for i := range s.Made {
		values[i] = of(&s.Made[i])
	}
	return values
}

func (s *Samples) placeValues() []float64 {
	values := make([]float64, s.Len())
	for i := range values {
		values[i] = float64(s.place(i))
	}
	return values
}

// sensorDescriptors lists what can be said of single sensors: of those with missing values, of those that never change
// in some samples, and of those that rise throughout all.
func (s *Samples) sensorDescriptors() (all []Descriptor) {
	var gaps bool
	constant, rising := map[int][]int{}, map[int][]float64{}
	for i, m := range s.Made {
		gaps = gaps || m.MissingOf != nil
		for _, sensor := range m.Constant {
			constant[sensor] = append(constant[sensor], i)
		}
		for _, rise := range m.Rising {
			rising[rise.Sensor] = append(rising[rise.Sensor], rise.First)
		}
	}
	for sensor := range s.Width {
		if gaps {
			all = append(all, Descriptor{Name: "the missing values of %s", Sensor: sensor, Artefact: true, Interpolated: true,
				Values: s.each(func(m *Making) float64 {
					if m.MissingOf == nil {
						return 0
					}
					return m.MissingOf[sensor]
				})})
		}
		if samples := constant[sensor]; samples != nil && len(samples) < s.Len() {
			values := make([]float64, s.Len())
			for _, i := range samples {
				values[i] = 1
			}
			all = append(all, Descriptor{Name: "whether %s never changes", Sensor: sensor, Values: values})
		}
		if len(rising[sensor]) == s.Len() {
			all = append(all, Descriptor{Name: "the first value of %s, which rises throughout,", Sensor: sensor, Artefact: true,
				Values: rising[sensor]})
		}
	}
	return all
}

// mostBeginnings bounds the different letters that names begin with if they tell anything.
const mostBeginnings = 12

// nameDescriptors lists what the names of samples say: the letters that they begin with, unless these are the classes,
// and the first number. Of samples with one number, which may be those of a person, one counts.
func (s *Samples) nameDescriptors() (all []Descriptor) {
	if s.Names == nil {
		return nil
	}
	with, numbers := map[string][]int{}, make([]float64, s.Len())
	known := map[float64]bool{}
	for i, name := range s.Names {
		letters, number := beginning(name)
		with[letters] = append(with[letters], i)
		if known[number] {
			number = math.NaN()
		}
		known[number] = true
		numbers[i] = number
	}
	if !s.inStretches() { // else the file was sorted by class before its samples were numbered, or so were they
		all = append(all, Descriptor{Name: "the number in the name", Aside: true, Values: numbers})
	}
	if len(with) < 2 || len(with) > mostBeginnings || s.namesClasses(with) {
		return all
	}
	var beginnings []string
	for letters := range with {
		beginnings = append(beginnings, letters)
	}
	slices.Sort(beginnings)
	for _, letters := range beginnings {
		values := make([]float64, s.Len())
		for _, i := range with[letters] {
			values[i] = 1
		}
		all = append(all, Descriptor{Name: fmt.Sprintf("a name that begins with %q", letters), Asked: true, Aside: true,
			Values: values})
	}
	return all
}

// namesClasses reports whether the beginnings of names are, or have, the names of classes.
func (s *Samples) namesClasses(beginnings map[string][]int) bool {
	lettersOf := func(name string) string {
		return strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c > 127 {
				return c
			}
			return -1
		}, strings.ToLower(name))
	}
	for begin := range beginnings {
		own := lettersOf(begin)
		for _, class := range s.ClassNames {
			name := lettersOf(class)
			if own != "" && name != "" && (strings.Contains(own, name) || strings.Contains(name, own)) {
				return true
			}
		}
	}
	return false
}

// toDigits returns a value with so many digits, so that rounding tells no class.
func toDigits(value float64, digits int) float64 {
	if value == 0 {
		return 0
	}
	unit := math.Pow10(int(math.Floor(math.Log10(math.Abs(value)))) + 1 - digits)
	return math.Round(value/unit) * unit
}
