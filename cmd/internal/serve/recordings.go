package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"mime"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/models"
)

// Answer says what a recording or a sample is, here and in a line of `ccp predict --json`.
type Answer struct {
	Name          string             `json:"name"` // of the recording or sample
	Class         string             `json:"class"`
	Probability   float64            `json:"probability"`
	Probabilities map[string]float64 `json:"probabilities"` // of all classes, or of the most probable
	Warnings      []string           `json:"warnings,omitempty"`
}

// AnswerOf returns the answer of a prediction, with the most probable classes, or all for 0.
func AnswerOf(name string, p models.Prediction, classes []string, top int) Answer {
	a := Answer{name, p.Name, p.Probability, map[string]float64{}, p.Warnings}
	for _, class := range Ranked(p.Probabilities, top) {
		a.Probabilities[classes[class]] = p.Probabilities[class]
	}
	return a
}

// Ranked returns classes, the most probable first: as many as top says, or all for 0.
func Ranked(probabilities []float64, top int) []int {
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	return order[:min(cmp.Or(top, len(order)), len(order))]
}

// decodeRecordings reads the body of a request about recordings. The body is a table if its Content-Type is text/csv, and
// JSON otherwise. It may hold at most most recordings. Errors name the recording, the sensor and the moment, or the line
// and the column.
func decodeRecordings(ctx context.Context, body []byte, contentType string, c *models.Classifier, most int) (*inferRequest,
	error) {
	var d inferRequest
	var in struct {
		Recordings []models.Recording `json:"recordings"`
	}
	kind, _, _ := mime.ParseMediaType(contentType)
	var err error
	switch {
	case c.Form == nil:
		err = models.ErrNoForm
	case kind == "text/csv":
		in.Recordings, _, err = recordings.ReadUnlabelled(ctx, []string{"-"}, c.Form, bytes.NewReader(body))
	default:
		err = json.Unmarshal(body, &in)
	}
	switch {
	case err != nil:
		return nil, bad("the recordings cannot be read: %w", err)
	case len(in.Recordings) == 0:
		return nil, bad(`there are no recordings; want {"recordings": [{"sensors": [...], "values": [[...], ...]}]}`)
	case len(in.Recordings) > most:
		return nil, tooMany(len(in.Recordings), most)
	}
	if d.signals, d.notes, err = c.Signals(in.Recordings...); err != nil {
		return nil, err
	}
	for _, r := range in.Recordings {
		d.names = append(d.names, r.Name)
	}
	return &d, nil
}

func tooMany(signals, most int) error {
	return bad("the batch has %d signals; a request can have %d", signals, most)
}

// answers is the answer to a request about recordings.
func (d *inferRequest) answers(m *served, c *models.Classifier, predictions []models.Prediction) document {
	var all []Answer
	for i, p := range predictions {
		p.Warnings = append(d.notes[i], p.Warnings...)
		all = append(all, AnswerOf(d.names[i], p, c.ClassNames, 0))
	}
	return document{"model_name": m.name, "model_version": version(c), "predictions": all}
}
