package datasets

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/internal/loop"
)

// Fingerprint tells one data set from another. It is small enough to be kept with each result.
type Fingerprint struct {
	Parts   map[string]string `json:"parts"`   // the size and a hash of each part that a training depends on
	Trained []byte            `json:"trained"` // the hashes of the training samples, hashSize bytes each
}

// hashSize is the number of bytes of a sample's hash. Two of 50,000 samples then have one hash by chance with a
// probability below 1e-10.
const hashSize = 8

// Fingerprint returns the fingerprint of the data set. It reads every sample once, unless an earlier one did. A new
// part of a data set that decides results needs a line here, and its name in Differences.
func (d *Dataset) Fingerprint() Fingerprint {
	samples, series := d.allHashes(true)
	f := Fingerprint{Parts: map[string]string{}}
	for _, i := range d.Train {
		f.Trained = append(f.Trained, samples[i*hashSize:(i+1)*hashSize]...)
	}
	add := func(part, size string, content ...any) {
		hash := sha256.Sum256(fmt.Append(nil, content...))
		f.Parts[part] = fmt.Sprintf("%s, %x", size, hash[:hashSize])
	}
	add("features", fmt.Sprintf("%d x %d x %d", d.Signals.Len(), d.Nodes, d.Channels), string(samples))
	if d.Series != nil { // which the transforms use whole
		add("recordings", d.span(), string(series))
	}
	add("labels", fmt.Sprintf("%d classes", d.Classes()), d.Labels, fmt.Sprintf("%q", d.ClassNames))
	graph := []any{d.Affinity.Hash(), d.Coordinates, d.Grid, d.Parts, d.Bodies}
	if d.Directed != nil { // fingerprints without are those of 0.1.0
		graph = append(graph, d.Directed)
	}
	add("graph", fmt.Sprintf("%d edges", d.Affinity.Edges()), graph...)
	add("split", fmt.Sprintf("%d/%d/%d", len(d.Train), len(d.Validation), len(d.Test)), d.Train, d.Validation, d.Test)
	if d.Form != nil {
		form, _ := json.Marshal(d.Form) // of plain values: cannot fail
		add("import", "some", string(form))
	}
	add("groups", fmt.Sprintf("%d samples", len(d.Groups)), fmt.Sprintf("%q", d.Groups))
	add("scale", fmt.Sprintf("%d channels", d.Channels), d.Mean, d.Std)
	return f
}

// Differences lists the parts in which now differs from f, with their sizes if these differ. It passes over parts that
// f lacks, since an earlier version had fewer.
func (f Fingerprint) Differences(now Fingerprint) (differences []string) {
	for _, part := range []string{"features", "recordings", "labels", "graph", "split", "groups", "import", "scale"} {
		was, is := f.Parts[part], now.Parts[part]
		// they follow from the others
		if was == "" || was == is || (part == "scale" || part == "recordings") && differences != nil {
			continue
		}
		was, _, _ = strings.Cut(was, ",")
		is, _, _ = strings.Cut(cmp.Or(is, "none"), ",")
		if was != is {
			part += fmt.Sprintf(" (was %s, is %s)", was, is)
		}
		differences = append(differences, part)
	}
	return differences
}

// TrainedOn counts the samples of a split of d that have the values of a training sample of the fingerprint.
func (f Fingerprint) TrainedOn(d *Dataset, split []int) (count int) {
	trained := map[string]bool{}
	for hash := range slices.Chunk(f.Trained, hashSize) {
		trained[string(hash)] = true
	}
	for hash := range slices.Chunk(d.hashesOf(split), hashSize) {
		if trained[string(hash)] {
			count++
		}
	}
	return count
}

// hashes are those of the samples of a data set, hashSize bytes each. Copies of the data set share them.
type hashes struct {
	mu              sync.Mutex
	of              Signals // that were hashed: another may take their place
	signals, series []byte  // nil: not found yet, or not asked for
}

// allHashes returns the hash of each sample's raw values, as a signal and, if that is asked for and there are series,
// as a series. It finds both in one pass.
func (d *Dataset) allHashes(whole bool) (signals, series []byte) {
	h := d.hashed
	if h == nil { // the data set was made by hand
		h = &hashes{}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n := d.Signals.Len()
	known := h.signals != nil && same(h.of, d.Signals)
	whole = whole && d.Series != nil
	if known && (h.series != nil || !whole) {
		return h.signals, h.series
	}
	h.of, h.signals, h.series = d.Signals, make([]byte, n*hashSize), nil
	if whole {
		h.series = make([]byte, n*hashSize)
	}
	d.hash(n, func(at int) int { return at }, h.signals, h.series)
	return h.signals, h.series
}

// same reports whether two signals are one. Those that cannot be compared are not.
func same(a, b Signals) bool { return a != nil && reflect.TypeOf(a).Comparable() && a == b }

// hashesOf returns the hashes of some samples as signals.
func (d *Dataset) hashesOf(indices []int) []byte {
	signals := make([]byte, len(indices)*hashSize)
	d.hash(len(indices), func(at int) int { return indices[at] }, signals, nil)
	return signals
}

// hash writes the hashes of n samples' raw values as signals and, unless series is nil, as series. It uses all cores.
func (d *Dataset) hash(n int, sampleAt func(at int) int, signals, series []byte) {
	loop.Workers(n, func() func(at int) {
		const atOnce = 1 << 14 // values
		sample, sum, digest := make([]float32, d.Nodes*d.Channels), make([]byte, sha256.Size), sha256.New()
		var buffer []byte // of the bytes of some values, as long as the longest needs
		keep := func(at int, values []float32, hashes []byte) {
			digest.Reset()
			for len(values) > 0 {
				some := values[:min(atOnce, len(values))]
				buffer = slices.Grow(buffer[:0], 4*len(some))
				raw := buffer[:4*len(some)]
				for k, value := range some {
					binary.LittleEndian.PutUint32(raw[4*k:4*k+4], math.Float32bits(value))
				}
				digest.Write(raw)
				values = values[len(some):]
			}
			copy(hashes[at*hashSize:], digest.Sum(sum[:0])[:hashSize])
		}
		return func(at int) {
			i := sampleAt(at)
			d.Signals.Read(i, sample)
			keep(at, sample, signals)
			if series != nil {
				keep(at, d.Series[i], series)
			}
		}
	})
}
