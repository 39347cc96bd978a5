package datasets

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

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

// Fingerprint returns the fingerprint of the data set. It reads every sample once. A new part of a data set that
// decides results needs a line here, and its name in Differences.
func (d *Dataset) Fingerprint() Fingerprint {
	samples := d.hashes(loop.Indices(d.Signals.Len()), nil)
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
		add("recordings", d.span(), string(d.hashes(loop.Indices(len(d.Series)), d.Series)))
	}
	add("labels", fmt.Sprintf("%d classes", d.Classes()), d.Labels, fmt.Sprintf("%q", d.ClassNames))
	add("graph", fmt.Sprintf("%d edges", d.Affinity.Edges()), d.Affinity.Hash(), d.Coordinates, d.Grid, d.Parts, d.Bodies)
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
	for hash := range slices.Chunk(d.hashes(split, nil), hashSize) {
		if trained[string(hash)] {
			count++
		}
	}
	return count
}

// hashes returns the hash of each of some samples' raw values, on all cores: of the signals or of series.
func (d *Dataset) hashes(indices []int, series [][]float32) []byte {
	of := Raw{Info: d.Info, Signals: d.Signals, Series: series}
	hashes := make([]byte, len(indices)*hashSize)
	loop.Workers(len(indices), func() func(at int) {
		sample, raw := make([]float32, d.Nodes*d.Channels), []byte(nil)
		return func(at int) {
			raw = raw[:0]
			for _, value := range of.Input(indices[at], sample) {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(value))
			}
			hash := sha256.Sum256(raw)
			copy(hashes[at*hashSize:], hash[:hashSize])
		}
	})
	return hashes
}
