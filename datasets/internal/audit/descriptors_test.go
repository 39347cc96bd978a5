package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// marks change a recording as something does that goes with a class.
var marks = []struct {
	name, what string
	mark       func(d *drawn, series []float32)
	levels     []string // that it has where it tells a class: artefact, asked, property
}{
	{"rounded and standardised", "rounding", func(d *drawn, series []float32) {
		step := 0.01 * math.Exp(3*d.rng.Float64())
		for at, value := range series {
			series[at] = float32(math.Round(float64(value)/step) * step)
		}
	}, []string{"artefact"}},
	{"another range", "of the values", func(_ *drawn, series []float32) {
		for at, value := range series {
			series[at] = float32(math.Round(float64(value)/0.0317) * 0.0317)
		}
	}, []string{"artefact"}},
	{"clipped", "end of a sensor's range", func(_ *drawn, series []float32) {
		for at, value := range series {
			series[at] = min(max(value, -1.2), 1.2)
		}
	}, []string{"asked"}},
	{"a dead sensor", "whether %s never changes", func(_ *drawn, series []float32) {
		for at := 1; at < len(series); at += sensors {
			series[at] = 0.37
		}
	}, []string{"property"}},
}

// rests draws recordings of devices that are off for most of the time, and of one that hardly ever is.
func rests(seed int) *drawn {
	d := newDrawn(seed)
	for i := range 150 {
		class, on := i%5, 0.2
		if class == 2 {
			on = 0.9
		}
		var load [timePoints]float64
		for time := range load {
			switch {
			case time > 0 && d.rng.Float64() < 0.6:
				load[time] = load[time-1]
			case d.rng.Float64() < on:
				load[time] = 10 + d.rng.NormFloat64()
			}
		}
		d.add(class, func(time, _ int) float64 { return load[time] })
	}
	return d
}

// waves draws coarse values of waves, of which those of one class begin at their top, where such values hardly change.
func waves(seed int) *drawn {
	d := newDrawn(seed)
	for i := range 150 {
		class, phase := i%5, 1+4*d.rng.Float64()
		if class == 2 {
			phase = 0.1 * d.rng.NormFloat64()
		}
		d.add(class, func(time, _ int) float64 {
			return math.Round(10 * math.Cos(float64(time)/8+phase))
		})
	}
	return d
}

// A run at an end is no filled one where runs within recordings are as long, and is one where they are much shorter.
func TestRunsThatRecordingsHave(t *testing.T) {
	ends := func(d *drawn) (count int) {
		for _, found := range d.samples().Shortcuts() {
			if strings.Contains(found.Descriptor.Name, "run of one value") {
				count++
			}
		}
		return count
	}
	for seed := range drawnSets {
		for name, d := range map[string]*drawn{"what is off": rests(seed), "what is flat": waves(seed)} {
			if ends(d) != 0 {
				t.Errorf("draw %d of %s: its end is told", seed, name)
			}
		}
		if coarse := marked(seed, padded); ends(coarse) == 0 {
			t.Errorf("draw %d: filled ends are not told", seed)
		}
	}
}

// kindOf names what a descriptor's findings are.
func kindOf(d Descriptor) string {
	switch {
	case d.Artefact:
		return "artefact"
	case d.Asked:
		return "asked"
	}
	return "property"
}

// Each mark is found where most samples of one class of five have it (all of them, of a property), and nowhere if any
// class has it.
func TestMarksOfSensors(t *testing.T) {
	for _, m := range marks {
		found, accused := 0, 0
		for seed := range drawnSets {
			d := newDrawn(seed).noise(150, 5)
			for i, class := range d.labels {
				if class == 2 && (m.levels[0] == "property" || d.rng.Float64() < 0.8) {
					m.mark(d, d.series[i])
				}
			}
			for _, s := range d.samples().Shortcuts() {
				if s.Class == 2 && slices.Contains(m.levels, kindOf(s.Descriptor)) && strings.Contains(s.Descriptor.Name, m.what) {
					found++
					break
				}
			}
			for _, s := range spoiled(seed, m.mark).samples().Shortcuts() {
				accused++
				t.Log(m.name, s.Descriptor.Name, s.Area, s.Deviations)
			}
		}
		if found < drawnSets-2 || accused > 0 {
			t.Errorf("%s: found in %d of %d sets, %d times in their twins", m.name, found, drawnSets, accused)
		}
	}
}

// One class is five times as large as the others, and all have one step; or all are written with six digits, so that
// larger values have a coarser step. Neither is a step of its own, and loud recordings are not asked whether they are
// clipped.
func TestGradingThatFollowsTheScale(t *testing.T) {
	for seed := range drawnSets {
		for name, write := range map[string]func(value float64) float64{
			"one step":     func(value float64) float64 { return math.Round(value/0.00317) * 0.00317 },
			"two decimals": func(value float64) float64 { return math.Round(value*100) / 100 },
			"coarse":       func(value float64) float64 { return math.Round(value/0.317) * 0.317 },
			"six digits":   func(value float64) float64 { return toDigits(value, 6) },
			"a range":      func(value float64) float64 { return min(value, 8) },
		} {
			d := newDrawn(seed)
			for range 120 {
				class := d.rng.IntN(2)
				size := math.Exp(0.4*d.rng.NormFloat64()) * []float64{1, 5}[class]
				d.add(class, func(int, int) float64 { return write(size * d.rng.NormFloat64()) })
			}
			for _, s := range d.samples().Shortcuts() {
				if s.Descriptor.Artefact || s.Descriptor.Asked {
					t.Errorf("draw %d, %s: class %d by %s: %.2f", seed, name, s.Class, s.Descriptor.Name, s.Area)
				}
			}
		}
	}
}

// A clock beside the sensors that goes on from recording to recording tells classes that were recorded one after
// another; where they were recorded in turns it tells nothing.
func TestRisingColumn(t *testing.T) {
	for seed := range drawnSets {
		for _, inTurns := range []bool{false, true} {
			d := newDrawn(seed)
			clock := 0.0
			for i := range 80 {
				class := i / 40
				if inTurns {
					class = i % 2
				}
				d.add(class, func(_, sensor int) float64 {
					if sensor == 0 {
						return d.rng.NormFloat64()
					}
					clock += 0.5 + d.rng.Float64()
					return clock
				})
			}
			at := slices.IndexFunc(d.samples().Shortcuts(), func(s Shortcut) bool {
				return s.Descriptor.Sensor == 1 && s.Descriptor.Artefact && strings.Contains(s.Descriptor.Name, "rises")
			})
			if (at >= 0) == inTurns {
				t.Errorf("draw %d, in turns %v: %v", seed, inTurns, at)
			}
		}
	}
}

// Names that begin with a device tell a class that it recorded; those that begin with the class say what everybody
// knows. Numbers of people say something if there are many people.
func TestNames(t *testing.T) {
	classes := []string{"walking", "running"}
	for name, c := range map[string]struct {
		of   func(d *drawn, i, class int) string
		want string // is asked
	}{
		"a device for a class": {func(_ *drawn, i, class int) string {
			return fmt.Sprintf("%s_%03d.csv", []string{"new", "old"}[class], i)
		},
			`a name that begins with "`},
		"a device by lot": {func(d *drawn, i, _ int) string {
			return fmt.Sprintf("%s_%03d.csv", []string{"new", "old"}[d.rng.IntN(2)], i)
		}, ""},
		"the class":  {func(_ *drawn, i, class int) string { return fmt.Sprintf("Walking%d_%d", class, i) }, ""},
		"in letters": {func(_ *drawn, i, class int) string { return fmt.Sprintf("%s/%d.csv", classes[class], i) }, ""},
		"numbers":    {func(_ *drawn, i, class int) string { return fmt.Sprintf("r%d.csv", 2*i+class) }, ""},
		"in order": {func(_ *drawn, i, class int) string { return fmt.Sprintf("r%d.csv", i+1_000*class) },
			"the number in the name"},
		"few people": {func(_ *drawn, i, class int) string { return fmt.Sprintf("p%d-%d.csv", class*3+i%3, i) }, ""},
	} {
		for seed := range drawnSets {
			d := newDrawn(seed).noise(100, 2)
			for i, class := range d.labels {
				d.names = append(d.names, c.of(d, i, int(class)))
			}
			s := d.samples()
			s.ClassNames = classes
			found := s.Shortcuts()
			told := slices.ContainsFunc(found, func(s Shortcut) bool {
				return s.Descriptor.Aside && !s.Descriptor.Artefact && strings.Contains(s.Descriptor.Name, c.want)
			})
			if c.want == "" && found != nil || c.want != "" && !told {
				t.Errorf("%s, draw %d: %+v", name, seed, names(found))
			}
		}
	}
}

func names(found []Shortcut) (all []string) {
	for _, s := range found {
		all = append(all, s.Descriptor.Name)
	}
	return all
}

// The times of the first values tell classes that were recorded at different times, and none that were recorded in
// turns.
func TestBegin(t *testing.T) {
	for seed := range drawnSets {
		for _, inTurns := range []bool{false, true} {
			s := newDrawn(seed).noise(100, 2).samples()
			for i := range s.Made {
				s.Made[i].Begin = 1e9 + 60*float64(i)
				if !inTurns {
					s.Made[i].Begin += 1e5 * float64(s.Labels[i])
				}
			}
			found := s.Shortcuts()
			if (len(found) == 1 && found[0].Descriptor.Asked) == inTurns {
				t.Errorf("draw %d, in turns %v: %v", seed, inTurns, names(found))
			}
		}
	}
}

// One fact is told once: missing values change how many values there are, and neither their step nor their rounding.
func TestMissingIsOneFact(t *testing.T) {
	for seed := range drawnSets {
		d := newDrawn(seed).noise(120, 2)
		for i, series := range d.series {
			for at, value := range series {
				series[at] = float32(math.Round(float64(value)*50) / 50)
				if d.labels[i] == 1 && d.rng.Float64() < 0.25 {
					series[at] = float32(math.NaN())
				}
			}
		}
		if found := d.samples().Shortcuts(); len(found) != 1 || !strings.Contains(found[0].Descriptor.Name, "missing") {
			t.Errorf("draw %d: %v", seed, names(found))
		}
	}
}

func TestReadings(t *testing.T) {
	nan := float32(math.NaN())
	r := readingsOf([]float32{2, 2, nan, 2, 1, 5, 5})
	if !slices.Equal(r.distinct, []float64{1, 2, 5}) || !slices.Equal(r.counts, []int{1, 2, 1}) || r.all != 4 {
		t.Errorf("%+v", r)
	}
	if _, known := r.step(); known {
		t.Error("three readings have a step")
	}
	if got := r.rounded(0); got == got {
		t.Errorf("three readings are rounded: %g", got)
	}
	// Of 3,000 steps some 60 are there, so that hardly two readings are one step apart.
	d := newDrawn(1)
	sparse := make([]float32, 60)
	for at := range sparse {
		sparse[at] = float32(0.0317 * float64(d.rng.IntN(3_000)))
	}
	if got, _ := readingsOf(sparse).step(); math.Abs(got-0.0317) > 1e-5 {
		t.Errorf("few of many steps have the step %g", got)
	}
	if gradedBy(0.01) != noStep || gradedBy(0) != noStep || math.Abs(gradedBy(0.02)-math.Log10(0.02)) > 1e-9 {
		t.Error("a power of ten is how numbers are written")
	}
	var m Making
	m.lookAtSensors([]float32{1, 2, 3}, 1)
	if m.Constant != nil || m.Rising != nil {
		t.Errorf("three time points: %+v", m)
	}
	flat := make([]float32, 2*fewestTimePoints)
	for at := range flat {
		flat[at] = 7 + float32(at%2*at)
	}
	m.lookAtSensors(flat, 2)
	if !slices.Equal(m.Constant, []int{0}) || !slices.Equal(m.Rising, []Rise{{1, 8}}) {
		t.Errorf("%+v", m)
	}
}

func TestBesides(t *testing.T) {
	nan := math.NaN()
	left := besides([]float64{10, 20, nan, 40, 30}, []Followed{{[]float64{1, 2, 3, 5, 4}, false}})
	for i, value := range left {
		if (value != value) != (i == 2) || math.Abs(value) > 1 {
			t.Errorf("what follows another number: %v", left)
		}
	}
	left = besides([]float64{1, 2, 1, 2}, []Followed{{[]float64{5, 5, 5, 5}, true}})
	if !slices.Equal(left, []float64{-1, 1, -1, 1}) {
		t.Errorf("what is beside a constant: %v", left)
	}
	left = besides([]float64{1, 2, 1, 2}, []Followed{{[]float64{5, 6, 5, 6}, true}})
	if !slices.Equal(left, []float64{-1, 1, -1, 1}) {
		t.Errorf("what is beside a constant: %v", left)
	}
}

// Hum in most of a class of some 24 samples is told by a limit, where ranks say too little; and in as many samples of
// any class it is not.
func TestHumOfAPartOfAClass(t *testing.T) {
	const points, rate = 500, 250
	found, accused := 0, 0
	for seed := range drawnSets {
		for _, spoiled := range []bool{false, true} {
			d := newDrawn(seed)
			s := &Samples{Classes: 5, Width: 1, Values: func(int) []float32 { return []float32{0} }}
			for i := range 120 {
				humming := i%5 == 2 && d.rng.Float64() < 0.6
				if spoiled {
					humming = d.rng.Float64() < 0.3
				}
				phase := 6 * d.rng.Float64()
				values := make([]float32, points)
				for at := range values {
					values[at] = float32(d.rng.NormFloat64())
					if humming {
						values[at] += float32(0.5 * math.Sin(2*math.Pi*50*float64(at)/rate+phase))
					}
				}
				s.Labels, s.Made = append(s.Labels, int32(i%5)), append(s.Made, Made(values, 1, rate))
			}
			told := s.Shortcuts()
			switch {
			case spoiled:
				accused += len(told)
			case len(told) == 1 && told[0].Class == 2 && strings.Contains(told[0].Descriptor.Name, "hum at 50"):
				found++
			}
		}
	}
	if found < drawnSets*3/4 || accused > 0 {
		t.Errorf("found in %d of %d sets, %d times in their twins", found, drawnSets, accused)
	}
}
