package recordings

// This file counts what lies in holes of the recordings of an import, and tells of it: what is interpolated there was
// never measured.

import (
	"cmp"
	"fmt"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
)

// Holes are the values of an import that lie in holes: where a sensor has none for longer than usual.
type Holes struct {
	Values    int     `json:"values"`     // made up
	Of        int     `json:"of"`         // all values, with those
	Samples   int     `json:"samples"`    // with holes
	Most      float64 `json:"most"`       // the largest share of a sample
	MostIn    string  `json:"most_in"`    // that sample
	Longest   float64 `json:"longest"`    // hole, in the unit of the times, or in time points
	LongestIn string  `json:"longest_in"` // the sample that it is in
	Sensor    string  `json:"sensor"`     // that it is of
}

// Share returns the share of all values that lie in holes.
func (h Holes) Share() float64 { return float64(h.Values) / float64(max(1, h.Of)) }

// holes are counted sample by sample.
type holes struct {
	Holes
	most       *recording.Holes // of the training samples
	told       bool             // some sample has so much in holes that a person should know
	late       int              // samples that begin without values
	latest     int              // the most time points that one begins without
	latestIn   string
	halfMadeUp int // samples of which more than half is made up
	firstHalf  string
	unseen     bool // times were made even, or gaps filled, so that the series do not tell how they were recorded
}

// countHoles adds those of a sample.
func (m *making) countHoles(x *sample, of *recording.Holes) {
	h := &m.holes
	values, all := of.Values()
	h.Values, h.Of = h.Values+values, h.Of+all
	if x.test == "" {
		h.most = h.most.Most(*of, len(m.form.Sensors))
	}
	if late := of.Late(); late > 0 {
		h.late++
		if late > h.latest {
			h.latest, h.latestIn = late, x.where
		}
	}
	if values == 0 {
		return
	}
	h.Samples++
	h.told = h.told || of.Told()
	if of.Share > h.Most {
		h.Most, h.MostIn = of.Share, x.where
	}
	if longest, sensor := of.LongestOf(); longest > h.Longest {
		h.Longest, h.LongestIn, h.Sensor = longest, x.where, m.form.Sensors[sensor]
	}
	const half = 0.5
	if of.Share > half {
		h.halfMadeUp++
		h.firstHalf = cmp.Or(h.firstHalf, x.where)
	}
}

// settleHoles puts what was counted into the form, by which recordings to classify are judged, and into the result.
func (m *making) settleHoles() {
	h := &m.holes
	m.form.Holes = h.most
	const least = 0.02 // of all values
	if h.told || h.Share() >= least {
		m.made.Filled.Holes = &h.Holes
	}
	if h.halfMadeUp > 0 {
		m.note("more than half of %s is made up, such as of %s: leave them out, unless little happens there",
			ofAll(h.halfMadeUp, len(m.samples)), h.firstHalf)
	}
	if h.late > 0 {
		m.note("%s without values, up to %s (%s): the first value is repeated there, so that what follows keeps its place",
			begin(h.late, len(m.samples)), text.Count(h.latest, "time point"), h.latestIn)
	}
}

// begin writes how many samples begin.
func begin(n, all int) string {
	if n == 1 {
		return fmt.Sprintf("1 of %s begins", text.Count(all, "sample"))
	}
	return ofAll(n, all) + " begin"
}
