package recordings

// This file holds what says, beside the headings, what the columns of a table are: the options of a person, the
// settings of the training, and the folder.

import (
	"slices"
	"strings"
)

// Table says how to read tables. The zero value lets the reader recognise everything. After an import it says how to
// read new recordings alike.
type Table struct {
	Layout  string            `json:"layout,omitempty"`  // recording, timepoints, readings or samples
	Columns []string          `json:"columns,omitempty"` // of samples; times; sensors; and one or more values
	Time    string            `json:"time,omitempty"`    // the column of times
	Take    []string          `json:"take,omitempty"`    // the sensors or columns to take, in this order; nil for all
	Leave   []string          `json:"leave,omitempty"`   // the sensors or columns to leave out
	Units   map[string]string `json:"units,omitempty"`   // of columns, from a line below the headings
	Sheet   string            `json:"sheet,omitempty"`   // of a workbook; "" for the first
	// Lists says what lists in each other go along: time-first, time-last or sensors.
	Lists string `json:"lists,omitempty"`
	Dates string `json:"dates,omitempty"` // day or month: what comes first in dates such as 01/02/2024
	// Clock says how numbers are dates or times of day, such as HHMM; "" for plain numbers.
	Clock string `json:"clock,omitempty"`
	// Decimal is the mark before decimals: point or comma. In the settings of an import it is none where no number has a
	// mark. Without it, as 0.1.0 has it, each file is one for itself.
	Decimal string `json:"decimal,omitempty"`
}

// column returns the number of the column of that name; -1 if there is none, or it is left out.
func (o *Table) column(headings []string, name string) int {
	at := column(headings, name)
	if at >= 0 && slices.Contains(o.Leave, headings[at]) {
		return -1
	}
	return at
}

// column returns the number of the column that a name means: the one with exactly this heading, or else the first
// whose heading differs in case only; -1 if there is none.
func column(headings []string, name string) int {
	exact := slices.Index(headings, name)
	if exact >= 0 {
		return exact
	}
	return slices.IndexFunc(headings, func(h string) bool { return strings.EqualFold(h, name) })
}

// hints are all that says what the columns of a table are, beside their headings.
type hints struct {
	Table
	labelName string            // the heading of the column of classes; "" for label, if classes are needed
	groupBy   string            // the heading of the column of groups, or an expression with brackets; "" for none
	given     map[string]string // the classes of samples by a table of their own; nil without
	intervals []interval        // or the classes of stretches of recordings by such a table
	places    *positionsOf      // of sensors; nil if unknown
	folder    bool              // the folder names the class
	stretches bool              // windows are cut, within stretches of one class where the class changes in a recording
	// known says that the recordings are to classify, as those of a training: no class is asked for, and the settings of
	// the training's import only decide what headings leave open.
	known  bool
	byHand bool // the training's file was made without an import, of sensors of one value each
}

// columnNames returns the names that --columns gives to the columns of samples, times, sensors and values; nil without.
// Those of the import mean nothing where a file to classify lacks the first.
func (h *hints) columnNames(headings []string) []string {
	if h.known && h.Columns != nil && h.column(headings, h.Columns[0]) < 0 {
		return nil
	}
	return h.Columns
}

// layoutAsked returns the layout that a person asks for; "" if the headings decide. The layout of the import does not
// bind files to classify.
func (h *hints) layoutAsked() string {
	if h.known {
		return ""
	}
	return h.Layout
}

// classesGiven reports that a table of its own gives the classes.
func (h *hints) classesGiven() bool { return h.given != nil || h.intervals != nil }

// nameSensors reports that headings are the names of sensors, and not of a sensor's time points: some have positions,
// or are to be taken by these names, or a person says that lists are of sensors.
func (h *hints) nameSensors(headings []string) bool {
	if h.Lists == noTime {
		return true
	}
	return slices.ContainsFunc(headings, func(heading string) bool {
		return h.places.has(heading) || slices.Contains(h.Take, heading)
	})
}
