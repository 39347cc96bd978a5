package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
)

// Prediction says what a recording or a sample is, here and in a line of `ccp predict --json`.
type Prediction struct {
	Name          string             `json:"name"`            // of the recording or sample
	Start         *Moment            `json:"start,omitempty"` // of a window, see recording.Window; nil for a whole recording
	End           *Moment            `json:"end,omitempty"`
	Class         string             `json:"class"` // the most probable; "" if nothing is known yet, see Early
	Probability   float64            `json:"probability"`
	Probabilities map[string]float64 `json:"probabilities"` // of all classes, or of the most probable
	// Set, PValue and PValues are there if sets are asked for, see Sets. PValue is the largest of all classes. A class
	// without one, as of which no sample was held out, has null.
	Set      []string            `json:"set,omitzero"` // of classes; empty if the sample suits none
	PValue   *float64            `json:"p_value,omitempty"`
	PValues  map[string]*float64 `json:"p_values,omitempty"`
	Filtered *Filtered           `json:"filtered,omitempty"` // of a window; nil for a whole recording
	Early    *Early              `json:"early,omitempty"`    // nil unless early decisions are asked for
	Warnings []string            `json:"warnings,omitempty"`
}

// Prediction returns what is said of the prediction of sample i, with the most probable classes, or all for 0.
func (s Samples) Prediction(i int, p models.Prediction, classes []string, top int, sets Sets) Prediction {
	a := Prediction{Name: s.Names[i], Class: p.Name, Probability: p.Probability, Probabilities: map[string]float64{},
		Warnings: p.Warnings}
	if s.Windows != nil {
		a.Start, a.End = new(s.moment(i, s.Windows[i].Start)), new(s.moment(i, s.Windows[i].End))
	}
	if s.Along != nil && !s.isWhole(i) {
		a.Filtered = s.filtered(i, classes)
	}
	if s.Early != nil {
		a.Early = &s.Early[i]
	}
	named := Ranked(p.Probabilities, top)
	for _, class := range named {
		a.Probabilities[classes[class]] = p.Probabilities[class]
	}
	if sets.Asked() && !s.isWhole(i) {
		sets.describe(&a, p, classes, named)
	}
	return a
}

// isWhole reports that sample i is a whole recording of which windows are predicted, too. Its probabilities are the
// mean over these, of which held-out samples tell nothing.
func (s Samples) isWhole(i int) bool { return s.Along != nil && s.Along[i].Probabilities == nil }

// Filtered is the class of a stream at a window, by all windows so far, as `ccp watch` tells it.
type Filtered struct {
	Class       string  `json:"class"` // "" before the first decision
	Probability float64 `json:"probability"`
	Since       *Moment `json:"since,omitempty"`
}

// filtered returns what is told of window i.
func (s Samples) filtered(i int, classes []string) *Filtered {
	one := s.Along[i]
	if one.Class == along.Unknown {
		return &Filtered{}
	}
	return &Filtered{classes[one.Class], one.Probability, new(s.moment(i, one.Since))}
}

// filteredCells returns the cells of what is told of window i: the class and since when.
func (s Samples) filteredCells(i int, classes []string) []string {
	one := s.filtered(i, classes)
	if one.Since == nil {
		return []string{"", ""}
	}
	return []string{one.Class, one.Since.Text}
}

// moment returns a time of sample i as its recording's file writes it.
func (s Samples) moment(i int, at float64) Moment {
	if s.Written == nil {
		return MomentOf(recording.TimeForm{}, at)
	}
	return MomentOf(s.Written[i], at)
}

// Ranked returns classes, the most probable first: as many as top says, or all for 0.
func Ranked(probabilities []float64, top int) []int {
	order := loop.Indices(len(probabilities))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	return order[:min(cmp.Or(top, len(order)), len(order))]
}

// Table returns a heading and a row for each prediction: the name, start and end of a window, the class, its
// probability, when it was decided early and the share that was seen if that is asked for, the classes of its set and
// the largest p-value if sets are, and the probabilities of all classes. If top is set, the row ends with the class and
// the probability of each further place. Cells of a class are empty where none is known yet.
func (s Samples) Table(predictions []models.Prediction, classes []string, top int, sets Sets) [][]string {
	rows := [][]string{{"name", "class", "probability"}}
	if s.Windows != nil {
		rows[0] = slices.Insert(rows[0], 1, "start", "end")
	}
	own := []string{"name", "start", "end", "class", "probability"}
	if s.Along != nil {
		rows[0], own = append(rows[0], "filtered", "since"), append(own, "filtered", "since")
	}
	if s.Early != nil {
		rows[0], own = append(rows[0], "decided", "seen"), append(own, "decided", "seen")
	}
	if sets.Asked() {
		rows[0], own = append(rows[0], "set", "p_value"), append(own, "set", "p_value")
	}
	for _, class := range classes {
		// two columns would have one name
		if slices.Contains(own, class) {
			class = "probability of " + class
		}
		if top == 0 {
			rows[0] = append(rows[0], class)
		}
	}
	for place := 2; place <= min(top, len(classes)); place++ {
		rows[0] = append(rows[0], fmt.Sprintf("class_%d", place), fmt.Sprintf("probability_%d", place))
	}
	for i, p := range predictions {
		row := []string{s.Names[i]}
		if s.Windows != nil {
			w := s.Windows[i]
			row = append(row, s.moment(i, w.Start).Text, s.moment(i, w.End).Text)
		}
		row = append(row, classCells(p)...)
		if s.Along != nil {
			row = append(row, s.filteredCells(i, classes)...)
		}
		if s.Early != nil {
			row = append(row, s.Early[i].cells()...)
		}
		switch {
		case sets.Asked() && s.isWhole(i):
			row = append(row, "", "")
		case sets.Asked():
			row = append(row, sets.cells(p, classes)...)
		}
		rows = append(rows, append(row, probabilityCells(p, classes, top)...))
	}
	return rows
}

// share writes a probability.
func share(p float64) string { return strconv.FormatFloat(p, 'g', 7, 64) }

// classCells returns the cells of the class and its probability.
func classCells(p models.Prediction) []string {
	if p.Class == along.Unknown {
		return []string{"", ""}
	}
	return []string{p.Name, share(p.Probability)}
}

// probabilityCells returns the cells of the probabilities of all classes or, if top is set, of the class and the
// probability of each place but the first.
func probabilityCells(p models.Prediction, classes []string, top int) (cells []string) {
	for place, k := range Ranked(p.Probabilities, top) {
		switch {
		case top == 0:
			cells = append(cells, share(p.Probabilities[place]))
		case place > 0 && p.Class == along.Unknown:
			cells = append(cells, "", "")
		case place > 0:
			cells = append(cells, classes[k], share(p.Probabilities[k]))
		}
	}
	return cells
}
