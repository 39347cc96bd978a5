package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
)

const drawnSets = 20 // of each kind

// drawn are samples of recordings drawn at random.
type drawn struct {
	rng    *rand.Rand
	series [][]float32 // [time points, 2] each
	labels []int32
	names  []string
	rate   float64
}

const timePoints, sensors = 64, 2

func newDrawn(seed int) *drawn { return &drawn{rng: rand.New(rand.NewPCG(uint64(seed), 7))} }

func (d *drawn) add(class int, value func(time, sensor int) float64) {
	row := make([]float32, 0, timePoints*sensors)
	for time := range timePoints {
		for sensor := range sensors {
			row = append(row, float32(value(time, sensor)))
		}
	}
	d.series, d.labels = append(d.series, row), append(d.labels, int32(class))
}

// noise adds n samples of noise, of classes by lot.
func (d *drawn) noise(n, classes int) *drawn {
	for range n {
		d.add(d.rng.IntN(classes), func(int, int) float64 { return d.rng.NormFloat64() })
	}
	return d
}

// shuffle draws the order of the samples.
func (d *drawn) shuffle() *drawn {
	d.rng.Shuffle(len(d.series), func(a, b int) {
		d.series[a], d.series[b] = d.series[b], d.series[a]
		d.labels[a], d.labels[b] = d.labels[b], d.labels[a]
	})
	return d
}

func (d *drawn) samples() *Samples {
	s := &Samples{Labels: d.labels, Width: sensors, Names: d.names, Classes: int(slices.Max(d.labels)) + 1}
	whole := make([][]float32, len(d.series))
	for i, series := range d.series {
		s.Made = append(s.Made, Made(series, sensors, d.rate))
		whole[i] = slices.Clone(series)
		for at, value := range whole[i] {
			if missing(value) {
				whole[i][at] = 0
			}
		}
	}
	s.Values = func(i int) []float32 { return whole[i] }
	return s
}

// tones draws samples in families: those of one family have the same frequencies, sizes and class.
func tones(seed, families, size int, family func(i int) int) *drawn {
	d := newDrawn(seed)
	type kind struct {
		class           int
		frequency, size [sensors]float64
	}
	kinds := make([]kind, families)
	for at := range kinds {
		kinds[at].class = d.rng.IntN(2)
		for sensor := range sensors {
			kinds[at].frequency[sensor] = 0.2 + 1.3*d.rng.Float64()
			kinds[at].size[sensor] = 0.8 + 0.8*d.rng.Float64()
		}
	}
	for i := range families * size {
		k := kinds[family(i)]
		phase := [sensors]float64{6 * d.rng.Float64(), 6 * d.rng.Float64()}
		d.add(k.class, func(time, sensor int) float64 {
			return k.size[sensor]*math.Sin(k.frequency[sensor]*float64(time)+phase[sensor]) + 0.3*d.rng.NormFloat64()
		})
	}
	return d
}

// walks draws random walks that were cut into windows a step apart.
func walks(seed, step int) *drawn {
	d := newDrawn(seed)
	for range 12 {
		walk := make([][sensors]float64, timePoints+8*step)
		for at := 1; at < len(walk); at++ {
			for sensor := range sensors {
				walk[at][sensor] = walk[at-1][sensor] + d.rng.NormFloat64()
			}
		}
		class := d.rng.IntN(2)
		for window := range 8 {
			d.add(class, func(time, sensor int) float64 { return walk[window*step+time][sensor] })
		}
	}
	return d
}

// standardise makes each sensor of each sample have a mean of 0 and a deviation of 1.
func (d *drawn) standardise() *drawn {
	for _, series := range d.series {
		for sensor := range sensors {
			mean, deviation := level(series[sensor:], sensors)
			for at := sensor; at < len(series); at += sensors {
				series[at] = float32((float64(series[at]) - float64(mean)) / math.Exp(float64(deviation)))
			}
		}
	}
	return d
}

// marked draws noise of five classes, in which a mark changes most samples of class 2.
func marked(seed int, mark func(d *drawn, series []float32)) *drawn {
	d := newDrawn(seed).noise(150, 5)
	for i, class := range d.labels {
		if class == 2 && d.rng.Float64() < 0.7 {
			mark(d, d.series[i])
		}
	}
	return d
}

// spoiled draws the same, in which a mark changes as many samples of any class.
func spoiled(seed int, mark func(d *drawn, series []float32)) *drawn {
	d := newDrawn(seed).noise(150, 5)
	for i := range d.series {
		if d.rng.Float64() < 0.3 {
			mark(d, d.series[i])
		}
	}
	return d
}

func padded(d *drawn, series []float32) {
	for at := (timePoints - 4 - d.rng.IntN(20)) * sensors; at < len(series); at++ {
		series[at] = 0
	}
}

func holed(d *drawn, series []float32) {
	for at := range series {
		if d.rng.Float64() < 0.1 {
			series[at] = float32(math.NaN())
		}
	}
}

func rounded(_ *drawn, series []float32) {
	for at, value := range series {
		series[at] = float32(math.Round(float64(value)*10) / 10)
	}
}

func late(d *drawn, series []float32) {
	for at := range (3 + d.rng.IntN(9)) * sensors {
		series[at] = float32(math.NaN())
	}
}

// TestShortcutsOfFewClasses draws marks that most samples of one class of five have, and twins in which any class has
// them.
func TestShortcuts(t *testing.T) {
	for name, mark := range map[string]func(*drawn, []float32){"the run of one value at the end": padded,
		"the share of missing values": holed, "decimals step": rounded, "missing first": late} {
		found, accused := 0, 0
		for seed := range drawnSets {
			for _, s := range marked(seed, mark).samples().Shortcuts() {
				if s.Descriptor.Artefact && s.Class == 2 {
					found++
					break
				}
			}
			for _, s := range spoiled(seed, mark).samples().Shortcuts() {
				if s.Descriptor.Artefact {
					accused++
					t.Log(name, s.Descriptor.Name, s.Area, s.Deviations)
					break
				}
			}
		}
		if found < drawnSets-2 || accused > 0 {
			t.Errorf("%s: found in %d of %d sets, and in %d of their twins", name, found, drawnSets, accused)
		}
	}
}

func TestOverlaps(t *testing.T) {
	for _, step := range []int{timePoints / 4, timePoints * 3 / 4} {
		for _, c := range []struct {
			name   string
			change func(*drawn) *drawn
		}{{"in order", func(d *drawn) *drawn { return d }}, {"shuffled", (*drawn).shuffle},
			{"standardised", (*drawn).standardise}} {
			for seed := range drawnSets {
				if found, _ := c.change(walks(seed, step)).samples().Overlaps(timePoints); len(found) < 70 {
					t.Errorf("step %d, %s, draw %d: %d overlaps; want those of 84 pairs of neighbours", step, c.name, seed,
						len(found))
				}
			}
		}
	}
	for seed := range drawnSets {
		if found, _ := walks(seed, 2*timePoints).samples().Overlaps(timePoints); found != nil {
			t.Errorf("draw %d: windows that do not overlap: %v", seed, found)
		}
		if found, _ := spoiled(seed, padded).samples().Overlaps(timePoints); found != nil {
			t.Errorf("draw %d: noise with equal ends: %v", seed, found)
		}
	}
}

// Recordings that rest for most of the time overlap, too: what rests has no third differences but for rounding.
func TestOverlapsOfSpikes(t *testing.T) {
	const step = timePoints / 4
	for seed := range drawnSets {
		d := newDrawn(seed)
		long := make([]float64, 4*timePoints)
		for at := range long {
			if d.rng.Float64() < 0.3 {
				long[at] = math.Exp(d.rng.NormFloat64())
			}
		}
		for window := range 8 {
			d.add(window%2, func(time, _ int) float64 { return long[window*step+time] })
		}
		if found, _ := d.standardise().samples().Overlaps(timePoints); len(found) < 7 {
			t.Errorf("draw %d: %d overlaps; want those of 7 pairs of neighbours", seed, len(found))
		}
	}
}

// Of more samples than can be compared one by one, those that stand beside each other in the file are compared.
func TestOverlapsOfManySamples(t *testing.T) {
	const each, longest, walks = 4, 64, 1200
	for _, step := range []int{longest / 4, longest * 3 / 4} {
		rng := rand.New(rand.NewPCG(3, 3))
		long := make([][]float32, walks)
		for w := range long {
			long[w] = make([]float32, longest+each*step)
			for at := 1; at < len(long[w]); at++ {
				long[w][at] = long[w][at-1] + float32(rng.NormFloat64())
			}
		}
		s := &Samples{Labels: make([]int32, walks*each), Classes: 1, Width: 1, Values: func(i int) []float32 {
			return long[i/each][i%each*step:][:longest]
		}}
		found, some := s.Overlaps(longest)
		neighbours := 0
		for _, o := range found {
			if o.Earlier/each != o.Later/each {
				t.Errorf("step %d: windows of two walks overlap: %v", step, o)
			}
			if o.Later-o.Earlier == 1 {
				neighbours++
			}
		}
		if some.WithAll == 0 || some.Beside < s.Len()*99/100 || neighbours < walks*(each-1)*99/100 {
			t.Errorf("step %d: %d of %d pairs of neighbours found, %d samples compared with all, %d with those beside",
				step, neighbours, walks*(each-1), some.WithAll, some.Beside)
		}
	}
}

// Machines that switch on alike have recordings of which parts correlate by 0.996, as in the UCR archive's
// FreezerRegularTrain: they are no windows of one recording.
func TestWhatIsAlikeIsNoOverlap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	part, parts := make([]float32, timePoints/2), [2][]float32{}
	for at := range part {
		part[at] = float32(rng.NormFloat64())
	}
	for _, noise := range []float64{0, 0.06} {
		for which := range parts {
			parts[which] = parts[which][:0]
			for _, value := range part {
				parts[which] = append(parts[which], value+float32(noise*rng.NormFloat64()))
			}
		}
		values := [2][]float32{}
		for range timePoints - len(part) {
			values[0] = append(values[0], float32(rng.NormFloat64()))
		}
		values[0] = append(values[0], parts[0]...)
		values[1] = append(values[1], parts[1]...)
		for len(values[1]) < timePoints {
			values[1] = append(values[1], float32(rng.NormFloat64()))
		}
		s := &Samples{Labels: make([]int32, 2), Classes: 1, Width: 1, Values: func(i int) []float32 { return values[i] }}
		if found, _ := s.Overlaps(timePoints); (len(found) == 1) != (noise == 0) {
			t.Errorf("two recordings that share half up to noise of %g: %v", noise, found)
		}
	}
}

func TestFamilies(t *testing.T) {
	for _, size := range []int{2, 3, 8} {
		families := 100 / size
		inBlocks := func(i int) int { return i / size }
		inTurns := func(i int) int { return i % families }
		for _, c := range []struct {
			name   string
			family func(int) int
			kind   Kind
		}{{"blocks", inBlocks, Near}, {"turns", inTurns, Rounds}} {
			found := 0
			for seed := range drawnSets {
				report := Of(tones(seed, families, size, c.family).samples(), nil, false)
				if slices.ContainsFunc(report.Families, func(d Costly) bool { return d.Kind == c.kind }) {
					found++
				}
			}
			if found < drawnSets-1 {
				t.Errorf("families of %d in %s: found in %d of %d draws", size, c.name, found, drawnSets)
			}
		}
		told, costly := 0, 0
		for seed := range drawnSets {
			if gap := Of(tones(seed, families, size, inBlocks).shuffle().samples(), nil, false).Gap; gap.Size > 0 {
				told++
				if gap.Harm.Matters() && gap.AreOfOneClass() {
					costly++
				}
			}
		}
		if told < drawnSets-1 || costly < drawnSets-1 {
			t.Errorf("families of %d in any order: found in %d of %d draws, in %d with what they cost", size, told, drawnSets,
				costly)
		}
		for seed := range drawnSets {
			alone := func(i int) int { return i }
			report := Of(tones(seed, families*size, 1, alone).samples(), nil, false)
			if report.Families != nil || report.Gap.Size > 0 {
				t.Errorf("draw %d: samples that are alone: %+v", seed, report)
			}
			grouped := Of(tones(seed, families, size, inBlocks).samples(), nil, true)
			if grouped.Families != nil || grouped.Gap.Size > 0 {
				t.Errorf("draw %d: families that are known are told: %+v", seed, grouped)
			}
		}
	}
}

// clustered draws rows of clusters. The class of a row is that of its cluster, or by lot.
func clustered(seed, n, clusters, classes int, classOf func(d *drawn, cluster int) int) *Samples {
	const columns = 10
	d := newDrawn(seed)
	centres := make([][columns]float64, clusters)
	for at := range centres {
		for column := range columns {
			centres[at][column] = 4 * d.rng.NormFloat64()
		}
	}
	s := &Samples{Width: columns, Classes: classes, Made: make([]Making, n)}
	rows := make([][]float32, n)
	for i := range n {
		cluster := d.rng.IntN(clusters)
		for _, centre := range centres[cluster] {
			rows[i] = append(rows[i], float32(centre+d.rng.NormFloat64()))
		}
		s.Labels = append(s.Labels, int32(classOf(d, cluster)))
	}
	s.Values = func(i int) []float32 { return rows[i] }
	return s
}

// Clusters that are no families cost nothing: each has samples of all classes, or is much larger than a family.
// Families in any order are told of all samples, also of those that overlap others.
func TestGapBesideOverlaps(t *testing.T) {
	const families, size = 30, 3
	d := tones(3, families, size, func(i int) int { return i % families }).shuffle()
	known := loop.Indices(len(d.series))
	known[7] = known[2]
	gap := Of(d.samples(), known, false).Gap
	if gap.Size == 0 || len(gap.Family) != families*size || gap.Family[7] != gap.Family[2] {
		t.Errorf("families of about %d, of %d samples: %v", gap.Size, len(gap.Family), gap.Family)
	}
}

func TestGapOfClusters(t *testing.T) {
	for seed := range drawnSets {
		for name, s := range map[string]*Samples{
			"whatever the class": clustered(seed, 150, 6, 3, func(d *drawn, _ int) int { return d.rng.IntN(3) }),
			"two of each class":  clustered(seed, 150, 6, 3, func(_ *drawn, cluster int) int { return cluster % 3 }),
			"four of each class": clustered(seed, 200, 8, 2, func(_ *drawn, cluster int) int { return cluster % 2 }),
		} {
			if gap := Of(s, nil, false).Gap; gap.AreOfOneClass() {
				t.Errorf("draw %d: clusters, %s, are families: %+v", seed, name, gap)
			}
		}
	}
}

func TestHarmOfFamilies(t *testing.T) {
	for _, size := range []int{2, 3, 8, 12} {
		families := 100 / size
		for kind, family := range map[Kind]func(int) int{Near: func(i int) int { return i / size },
			Rounds: func(i int) int { return i % families }} {
			if kind == Rounds && size > 8 {
				continue // so few families that a round is short
			}
			harmed := 0
			for seed := range drawnSets {
				for _, c := range Of(tones(seed, families, size, family).samples(), nil, false).Families {
					if c.Kind == kind && c.Harm.Matters() {
						harmed++
					}
				}
			}
			if harmed < drawnSets-1 {
				t.Errorf("families of %d, kind %d, flatter in %d of %d draws", size, kind, harmed, drawnSets)
			}
		}
	}
}

// The harm of families is told, too, where all samples that are held out at random are right: sums of that many shares
// of one are a little more than 1 for some numbers of samples.
func TestHarmBesideNoMistake(t *testing.T) {
	const size = 4
	for families := 6; families < 26; families += 2 {
		s := &Samples{Width: 1, Classes: 2, Made: make([]Making, size*families)}
		family := make([]int, size*families)
		for i := range family {
			family[i] = i / size
			s.Labels = append(s.Labels, int32(i/size%2))
		}
		s.Values = func(i int) []float32 { return []float32{float32(10*(i/size) + i%size)} }
		if h := s.HarmOf(s.views(), family); h.Random < 0.95 || h.Whole > 0.5 || !h.Matters() {
			t.Errorf("%d families, one class beside the other: %+v", families, h)
		}
	}
}

func TestPrefixes(t *testing.T) {
	for seed := range drawnSets {
		d := tones(seed, 20, 5, func(i int) int { return i / 5 })
		for i := range d.series {
			d.names = append(d.names, fmt.Sprintf("rat%d-call%d.csv", i/5, i%5))
		}
		s := d.samples()
		if !slices.ContainsFunc(s.Dependences(s.views()), func(d Dependence) bool { return d.Kind == Prefix }) {
			t.Errorf("draw %d: names that begin alike are not told", seed)
		}
		d.rng.Shuffle(len(d.names), func(a, b int) { d.names[a], d.names[b] = d.names[b], d.names[a] })
		s = d.samples()
		if slices.ContainsFunc(s.Dependences(s.views()), func(d Dependence) bool { return d.Kind == Prefix }) {
			t.Errorf("draw %d: names that were drawn are told", seed)
		}
	}
}

func TestStem(t *testing.T) {
	for name, want := range map[string]string{"rat1-call12.csv": "rat1-call#", "01_a": "#_a", "p3.2": "p3.#",
		"walk":            "walk",
		"s01_e02_v1.json": "s01_e02_v#", "": ""} {
		if got := Stem(name); got != want {
			t.Errorf("Stem(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestStepOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rough := make([]float32, 200)
	for i := range rough {
		rough[i] = float32(rng.NormFloat64())
	}
	if got, known := readingsOf(rough).step(); got != 0 || !known {
		t.Errorf("noise has the step %g", got)
	}
	for _, step := range []float64{0.001, 0.00193, 0.25, 3} {
		values := make([]float32, len(rough))
		for i, value := range rough {
			values[i] = float32(math.Round(float64(value)/0.05) * step)
		}
		if got, _ := readingsOf(values).step(); math.Abs(got-step) > 1e-3*step {
			t.Errorf("multiples of %g have the step %g", step, got)
		}
	}
}

func TestHum(t *testing.T) {
	for seed := range drawnSets {
		d := newDrawn(seed)
		values := make([]float32, 500)
		for at := range values {
			values[at] = float32(d.rng.NormFloat64() + 0.5*math.Sin(2*math.Pi*50*float64(at)/250))
		}
		m := Made(values, 1, 250)
		if m.Hum[0] < 0.5 || m.Hum[1] > 1 {
			t.Errorf("draw %d: hum of 50 Hz is %v", seed, m.Hum)
		}
		if m := Made(values, 1, 60); m.Hum != [2]float64{} {
			t.Errorf("hum above half the rate is %v", m.Hum)
		}
	}
}

func TestLinks(t *testing.T) {
	const nodes, n = 40, 200
	for seed := range drawnSets {
		d := newDrawn(seed)
		values := make([]float32, n*nodes)
		order := d.rng.Perm(nodes - 1)
		var links []Link
		for at := range nodes - 2 {
			links = append(links, Link{I: order[at], J: order[at+1]})
		}
		s := &Samples{Width: nodes, Classes: 2}
		for i := range n {
			row := values[i*nodes : (i+1)*nodes]
			for node := range row {
				row[node] = float32(d.rng.NormFloat64())
			}
			for _, link := range links {
				row[link.J] = 0.6*row[link.I] + 0.8*row[link.J]
			}
			s.Labels = append(s.Labels, int32(i%2))
		}
		s.Values = func(i int) []float32 { return values[i*nodes : (i+1)*nodes] }
		if l := s.LinksOf(links, nodes); l.Unrelated() {
			t.Errorf("draw %d: right links are unrelated: %+v", seed, l)
		}
		var later, other []Link
		drawn := d.rng.Perm(nodes)
		for _, link := range links {
			later = append(later, Link{I: link.I + 1, J: link.J + 1})
			other = append(other, Link{I: drawn[link.I], J: drawn[link.J]})
		}
		if l := s.LinksOf(later, nodes); l.FromZero < 5 {
			t.Errorf("draw %d: links counted from 1: %+v", seed, l)
		}
		if l := s.LinksOf(other, nodes); l.Deviations > 4 {
			t.Errorf("draw %d: links of other nodes: %+v", seed, l)
		}
	}
}

func TestMistakesTogether(t *testing.T) {
	told := 0
	for seed := range 200 {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		wrong := make([]bool, 120)
		for i := range wrong {
			wrong[i] = rng.Float64() < 0.1
		}
		if _, ok := MistakesTogether(wrong); ok {
			told++
		}
		for i := 48; i < 60; i++ {
			wrong[i] = true
		}
		found, ok := MistakesTogether(wrong)
		if !ok || found.From < 44 || found.To > 64 || found.Mistakes < 6 {
			t.Errorf("draw %d: twelve mistakes from 48 on: %+v, %v", seed, found, ok)
		}
	}
	if told > 2 {
		t.Errorf("mistakes by lot are told in %d of 200 draws", told)
	}
}

// Waves of any frequency and phase are no families, though those of nearly one frequency are alike.
func TestGapOfWaves(t *testing.T) {
	for seed := range 5 {
		d := newDrawn(seed)
		for i := range 240 {
			period, phase := 14+12*d.rng.Float64(), 50*d.rng.Float64()
			delay := float64(i % 4)
			d.add(i%4, func(time, sensor int) float64 {
				at := float64(time) - phase - delay*float64(sensor)
				return math.Sin(2*math.Pi*at/period) + 0.3*d.rng.NormFloat64()
			})
		}
		s := d.samples()
		if gap := s.Families(s.views()); gap.Size > 0 {
			t.Errorf("seed %d: families of %d in %s, %.1f deviations, ratio %.2f", seed, gap.Size, gap.View, gap.Deviations,
				gap.Ratio)
		}
	}
}

// Of samples that slowly change along the file, whatever their class, a stretch of the file is held out with all its
// classes: with some classes of it left, a sample would be taken for one of those.
func TestUnitsOfWhatChangesAlongTheFile(t *testing.T) {
	d, level := newDrawn(1), [sensors]float64{}
	for range 120 {
		for sensor := range level {
			level[sensor] = 0.97*level[sensor] + d.rng.NormFloat64()
		}
		d.add(d.rng.IntN(3), func(_, sensor int) float64 { return level[sensor] + 0.2*d.rng.NormFloat64() })
	}
	s := d.samples()
	var found *Dependence
	for _, one := range s.Dependences(s.views()) {
		if one.Kind == Near {
			found = &one
		}
	}
	if found == nil || !found.Across {
		t.Fatalf("found %+v", found)
	}
	units := s.UnitsBy(*found)
	if !slices.IsSorted(units) || units[len(units)-1] != stretches-1 {
		t.Errorf("units %v", units)
	}
	families := s.FamiliesBy(*found)
	if !slices.IsSorted(families) {
		t.Errorf("families %v", families)
	}
	// Samples of a family that are of one class stay apart from those of other classes.
	found.Across = false
	for i, unit := range s.UnitsBy(*found) {
		if unit/blocks != int(s.Labels[i]) {
			t.Errorf("sample %d of class %d is of unit %d", i, s.Labels[i], unit)
		}
	}
}
