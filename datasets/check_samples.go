package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

// What counts as odd.
const (
	farDeviations = 100 // an extreme value: that many deviations from the mean of its channel
	unevenClasses = 20  // training samples of the largest class for each of the smallest
	shownOddNodes = 5
)

// Oddities looks through all samples for what is allowed but seldom meant: extreme values, nodes that never change over the
// training samples, test or validation samples that are training samples, too, equal samples of different classes, classes
// of very different sizes. One sentence each, with what to do. It reads every sample once.
func (d *Dataset) Oddities() []string {
	size := d.Nodes * d.Channels
	found := &oddities{d: d, sample: make([]float32, size), low: make([]float32, size), high: make([]float32, size),
		first: map[[sha256.Size]byte]int{}, owner: map[int]string{}, repeats: map[string]int{}, repeated: map[string][2]int{}}
	for _, split := range d.splits() {
		for at, i := range split.indices {
			found.owner[i] = split.name
			found.look(i, split.name == "train", at == 0)
		}
	}
	found.samples()
	found.nodes()
	found.classes()
	return found.lines
}

// oddities is a search for them.
type oddities struct {
	d         *Dataset
	sample    []float32 // at hand
	raw       []byte
	low, high []float32                 // of each value over the training samples
	first     map[[sha256.Size]byte]int // the first sample of that content
	owner     map[int]string            // the split of each sample
	far       int                       // values that are extreme
	farthest  float64
	farAt     string
	repeats   map[string]int    // samples seen in train before, by split
	repeated  map[string][2]int // the first such pair
	clashes   int               // samples equal to one of another class
	clash     [2]int            // the first such pair
	lines     []string
}

func (o *oddities) say(format string, values ...any) {
	o.lines = append(o.lines, fmt.Sprintf(format, values...))
}

// look takes in one sample.
func (o *oddities) look(i int, train, begin bool) {
	d := o.d
	d.Signals.Read(i, o.sample)
	o.raw = o.raw[:0]
	for j, value := range o.sample {
		channel := j % d.Channels
		if far := math.Abs(float64(value-d.Mean[channel])) / float64(d.Std[channel]); far > farDeviations {
			if o.far++; far > o.farthest {
				o.farthest, o.farAt = far, fmt.Sprintf("sample %d, node %d, channel %d is %g", i, j/d.Channels, channel, value)
			}
		}
		if train && (begin || value < o.low[j]) {
			o.low[j] = value
		}
		if train && (begin || value > o.high[j]) {
			o.high[j] = value
		}
		o.raw = binary.LittleEndian.AppendUint32(o.raw, math.Float32bits(value))
	}
	content := sha256.Sum256(o.raw)
	before, seen := o.first[content]
	if !seen {
		o.first[content] = i
		return
	}
	if d.Labels[before] != d.Labels[i] {
		if o.clashes++; o.clashes == 1 {
			o.clash = [2]int{before, i}
		}
	}
	if split := o.owner[i]; !train && o.owner[before] == "train" {
		if o.repeats[split]++; o.repeats[split] == 1 {
			o.repeated[split] = [2]int{before, i}
		}
	}
}

// samples reports what single samples showed.
func (o *oddities) samples() {
	if o.far > 0 {
		o.say("%d values lie over %d deviations from the mean of their channel, the farthest %.0f: %s; clip them, or take logarithms",
			o.far, farDeviations, o.farthest, o.farAt)
	}
	for _, split := range []string{"validation", "test"} {
		if n := o.repeats[split]; n > 0 {
			pair := o.repeated[split]
			o.say("%d %s samples are training samples, too (sample %d is sample %d): the %s accuracy will be too good; keep copies together in split",
				n, split, pair[1], pair[0], split)
		}
	}
	if o.clashes > 0 {
		o.say("%d samples equal a sample of another class (sample %d, class %s, is sample %d, class %s): no classifier can tell them apart; check labels",
			o.clashes, o.clash[1], o.d.className(int(o.d.Labels[o.clash[1]])), o.clash[0], o.d.className(int(o.d.Labels[o.clash[0]])))
	}
}

// nodes reports those whose values are the same in all training samples.
func (o *oddities) nodes() {
	var constant []int
	count := 0
	for node := range o.d.Nodes {
		same := true
		for j := node * o.d.Channels; j < (node+1)*o.d.Channels; j++ {
			same = same && o.low[j] == o.high[j]
		}
		if same {
			if count++; count <= shownOddNodes {
				constant = append(constant, node)
			}
		}
	}
	if count > 0 {
		o.say("%d of %d nodes never change over the training samples (the first: %v); they cost time and tell nothing", count, o.d.Nodes, constant)
	}
}

// classes reports sizes that differ much.
func (o *oddities) classes() {
	largest, smallest := -1, -1
	counts := o.d.classCounts(o.d.Train)
	for class, n := range counts {
		if n > 0 && (largest < 0 || n > counts[largest]) {
			largest = class
		}
		if n > 0 && (smallest < 0 || n < counts[smallest]) {
			smallest = class
		}
	}
	if largest >= 0 && counts[largest] >= unevenClasses*counts[smallest] {
		o.say("class %s has %d training samples, class %s only %d: accuracy says little about the small one; look at recall in ccp eval",
			o.d.className(largest), counts[largest], o.d.className(smallest), counts[smallest])
	}
}
