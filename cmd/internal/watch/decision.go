package watch

import (
	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/models/along"
)

// Decision is a line that tells the class of a stream, as `ccp watch --json` and the server's streams write it.
type Decision struct {
	Time        classify.Moment  `json:"time"`  // when it is told
	Class       string           `json:"class"` // "" while none is decided on
	Probability float64          `json:"probability"`
	Since       *classify.Moment `json:"since,omitempty"`  // when the class began, as far as is known at Time
	Gap         bool             `json:"gap,omitempty"`    // windows are missing, and all begins anew
	Start       *classify.Moment `json:"start,omitempty"`  // of the window, as the next two
	End         *classify.Moment `json:"end,omitempty"`    //
	Window      string           `json:"window,omitempty"` // the most probable class of the window alone
}

// Decisions returns the lines that say what is told: one for each gap, as soon as it is known, and one for each change
// of class or, if raw, for each window.
func (w *Watcher) Decisions(told []Told, raw bool) (lines []Decision) {
	names := w.classifier.ClassNames
	for _, one := range told {
		if !raw && !one.Changed && !one.Gap {
			continue
		}
		d := Decision{Time: w.moment(one.Time), Class: Class(names, one.Class), Probability: one.Probability, Gap: one.Gap}
		if one.Class != along.Unknown {
			d.Since = new(w.moment(one.Since))
		}
		if raw {
			d.Start, d.End, d.Window = new(w.moment(one.Start)), new(w.moment(one.End)), Class(names, one.Raw)
		}
		lines = append(lines, d)
	}
	return lines
}

// moment returns a time as the stream writes its own.
func (w *Watcher) moment(at float64) classify.Moment { return classify.MomentOf(w.written, at) }
