package serve

import (
	"cmp"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
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

// Reject withholds the predictions that are less probable than a threshold, see models.Calibration. It returns their number.
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

// perValue returns the most bytes that a value of a recording takes while a series is made of it: as float64, and as
// float32. With times the series may have four times as many time points, and there are two of it.
func perValue(r recording.Recording) int {
	if r.Times == nil {
		return 8 + 4
	}
	return 8 + 2*4*4
}

// decodeRecordings reads the query and the body of a request about recordings, or about their windows, as decode does.
// Errors name the recording, the sensor and the time point.
func decodeRecordings(query string, body []byte, c *models.Classifier, most int, take func(int) error) (*inferRequest, error) {
	cut, threshold, err := asked(query, c)
	if err != nil {
		return nil, err
	}
	if c.Form == nil {
		return nil, bad("%w", recording.ErrNoForm)
	}
	all, err := recording.ReadAll(body, func(i, bytes int) error {
		if i == most {
			return bad("the batch has more than %d signals, which is the most that a request can have", most)
		}
		return take(bytes)
	})
	if err != nil {
		return nil, unreadable(err)
	}
	if len(all) == 0 {
		return nil, bad(`there are no recordings; want {"recordings": [{"sensors": [...], "values": [[...], ...]}]}`)
	}
	d := &inferRequest{threshold: threshold}
	for i, r := range all {
		sensors := cmp.Or(len(r.Sensors), len(c.Form.Sensors))
		if err := take(perValue(r) * (len(r.Values)/sensors + 1) * len(c.Form.Sensors)); err != nil { // with the missing ones
			return nil, err
		}
		if cut.Window.Length > 0 {
			if err := d.cut(i, r, cut, c, most, take); err != nil {
				return nil, err
			}
		}
	}
	if cut.Window.Length == 0 {
		d.Samples, err = Whole(c.Form, all, nil)
	}
	return d, refuseRecording(err)
}

// answers returns the body of the response to a request about recordings: a prediction for each.
func (d *inferRequest) answers(m *served, c *models.Classifier, predictions []models.Prediction) document {
	var all []Prediction
	Reject(predictions, d.threshold)
	for i, p := range predictions {
		p.Warnings = append(d.Notes[i], p.Warnings...)
		all = append(all, d.Prediction(i, p, c.ClassNames, 0))
	}
	return document{"model_name": m.name, "model_version": version(c), "predictions": all}
}
