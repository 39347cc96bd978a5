package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

// Prediction says what a recording or a sample is, here and in a line of `ccp predict --json`.
type Prediction struct {
	Name          string             `json:"name"`            // of the recording or sample
	Start         *float64           `json:"start,omitempty"` // of a window, see recording.Window; nil for a whole recording
	End           *float64           `json:"end,omitempty"`
	Class         string             `json:"class"`              // "" if rejected
	Rejected      bool               `json:"rejected,omitempty"` // see Reject
	Probability   float64            `json:"probability"`
	Probabilities map[string]float64 `json:"probabilities"` // of all classes, or of the most probable
	Warnings      []string           `json:"warnings,omitempty"`
}

// Reject withholds the predictions that are less probable than a threshold, see models.Calibration. It returns their
// number.
func Reject(predictions []models.Prediction, threshold float64) (rejected int) {
	for i := range predictions {
		if p := &predictions[i]; p.Probability < threshold {
			p.Name = ""
			rejected++
		}
	}
	return rejected
}

// Prediction returns what is said of the prediction of sample i, with the most probable classes, or all for 0.
func (s Samples) Prediction(i int, p models.Prediction, classes []string, top int) Prediction {
	a := Prediction{Name: s.Names[i], Class: p.Name, Rejected: p.Name == "", Probability: p.Probability,
		Probabilities: map[string]float64{}, Warnings: p.Warnings}
	if s.Windows != nil {
		a.Start, a.End = &s.Windows[i].Start, &s.Windows[i].End
	}
	for _, class := range Ranked(p.Probabilities, top) {
		a.Probabilities[classes[class]] = p.Probabilities[class]
	}
	return a
}

// Ranked returns classes, the most probable first: as many as top says, or all for 0.
func Ranked(probabilities []float64, top int) []int {
	order := loop.Indices(len(probabilities))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	return order[:min(cmp.Or(top, len(order)), len(order))]
}

// Table returns a heading and a row for each prediction: the name, start and end of a window, the class, its
// probability, and the probabilities of all classes. If top is set, the row ends with the class and the probability of
// each further place.
func (s Samples) Table(predictions []models.Prediction, classes []string, top int) [][]string {
	rows := [][]string{{"name", "class", "probability"}}
	if s.Windows != nil {
		rows[0] = slices.Insert(rows[0], 1, "start", "end")
	}
	for _, class := range classes {
		// two columns would have one name
		if slices.Contains([]string{"name", "start", "end", "class", "probability"}, class) {
			class = "probability of " + class
		}
		if top == 0 {
			rows[0] = append(rows[0], class)
		}
	}
	for place := 2; place <= min(top, len(classes)); place++ {
		rows[0] = append(rows[0], fmt.Sprintf("class_%d", place), fmt.Sprintf("probability_%d", place))
	}
	share := func(p float64) string { return strconv.FormatFloat(p, 'g', 7, 64) }
	for i, p := range predictions {
		row := []string{s.Names[i]}
		if s.Windows != nil {
			w := s.Windows[i]
			row = append(row, text.Time(w.Start), text.Time(w.End))
		}
		row = append(row, p.Name, share(p.Probability))
		for place, k := range Ranked(p.Probabilities, top) {
			switch {
			case top == 0:
				row = append(row, share(p.Probabilities[place]))
			case place > 0:
				row = append(row, classes[k], share(p.Probabilities[k]))
			}
		}
		rows = append(rows, row)
	}
	return rows
}
