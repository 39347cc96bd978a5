package serve

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

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

// parsed is how many times as much memory as a body the recordings in it can take, when each value is short.
const parsed = 32

// decodeRecordings reads the body of a request about recordings. Errors name the recording, the sensor and the moment.
func (s *Server) decodeRecordings(body []byte, c *models.Classifier) (*inferRequest, error) {
	tooLarge := refused(http.StatusRequestEntityTooLarge, "the recordings are too large; they can have %d bytes",
		s.Memory/parsed)
	size, most := int64(parsed*len(body)), int64(s.Memory)
	if size > most {
		return nil, tooLarge
	}
	defer s.memory.Add(-size)
	if s.memory.Add(size) > most {
		return nil, errMemory
	}
	var in struct {
		Recordings []models.Recording `json:"recordings"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, bad("the request is not the JSON expected: %w", err)
	}
	switch {
	case c.Form == nil:
		return nil, bad("%w", models.ErrNoForm)
	case len(in.Recordings) == 0:
		return nil, bad(`there are no recordings; want {"recordings": [{"sensors": [...], "values": [[...], ...]}]}`)
	case len(in.Recordings) > s.Queue:
		return nil, tooMany(len(in.Recordings), s.Queue)
	}
	d := &inferRequest{}
	for _, r := range in.Recordings {
		if r.Sensors != nil && len(r.Values)/max(1, len(r.Sensors))*len(c.Form.Sensors) > s.Memory/8 { // with missing sensors
			return nil, tooLarge
		}
		d.names = append(d.names, r.Name)
	}
	var err error
	d.signals, d.notes, err = c.Signals(in.Recordings...)
	return d, err
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
