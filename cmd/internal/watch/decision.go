package watch

import "github.com/clusterpool/ccp/models/along"

// Decision is a line that tells the class of a stream, as `ccp watch --json` and the server's streams write it. Times
// are in the unit of the training's.
type Decision struct {
	Time        float64  `json:"time"`  // when it is told
	Class       string   `json:"class"` // "" while none is decided on
	Probability float64  `json:"probability"`
	Since       *float64 `json:"since,omitempty"`  // when the class began, as far as is known at Time
	Gap         bool     `json:"gap,omitempty"`    // windows are missing, and all begins anew
	Start       *float64 `json:"start,omitempty"`  // of the window, as the next two
	End         *float64 `json:"end,omitempty"`    //
	Window      string   `json:"window,omitempty"` // the most probable class of the window alone
}

// Decisions returns the lines that say what is told: one for each gap, as soon as it is known, and one for each change
// of class or, if raw, for each window. names are those of the classes.
func Decisions(names []string, told []Told, raw bool) (lines []Decision) {
	for _, one := range told {
		if !raw && !one.Changed && !one.Gap {
			continue
		}
		d := Decision{Time: one.Time, Class: Class(names, one.Class), Probability: one.Probability, Gap: one.Gap}
		if one.Class != along.Unknown {
			d.Since = &one.Since
		}
		if raw {
			d.Start, d.End, d.Window = &one.Start, &one.End, Class(names, one.Raw)
		}
		lines = append(lines, d)
	}
	return lines
}
