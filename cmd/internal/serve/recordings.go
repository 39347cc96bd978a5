package serve

import (
	"cmp"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
)

// decodeRecordings reads the query and the body of a request about recordings, or about their windows, as decode does.
// Errors name the recording, the sensor and the time point.
func decodeRecordings(query string, body []byte, c *models.Classifier, most int,
	take func(int) error) (*inferRequest, error) {
	d := &inferRequest{}
	cut, err := d.asked(query, c)
	d.spans = cut
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
	for i, r := range all {
		sensors := cmp.Or(len(r.Sensors), len(c.Form.Sensors))
		values := (len(r.Values)/sensors + 1) * len(c.Form.Sensors) // with those of missing sensors
		if err := take(d.perValue(r) * values); err != nil {
			return nil, err
		}
		if cut.Window.Length > 0 {
			if err := d.cut(i, r, cut, c, most, take); err != nil {
				return nil, err
			}
		}
	}
	if cut.Window.Length == 0 {
		err = d.take(c.Form, all)
	}
	return d, refuseRecording(err)
}

// answers returns the body of the response to a request about recordings: a prediction for each or, as in the lines of
// `ccp predict --json`, for each of its windows and then for the whole.
func (d *inferRequest) answers(m *served, c *models.Classifier, predictions []models.Prediction) (document, error) {
	var all []classify.Prediction
	show := func(s classify.Samples, some []models.Prediction) error {
		for i, p := range some {
			if s.Notes != nil {
				p.Warnings = append(s.Notes[i], p.Warnings...)
			}
			all = append(all, s.Prediction(i, p, c.ClassNames, 0, d.sets))
		}
		return nil
	}
	var err error
	if d.Windows == nil {
		err = show(d.Samples, predictions)
	} else {
		along := watch.OfWindows(c, d.spans)
		err = along.Add(d.Samples, predictions, show)
		if err == nil {
			err = along.Finish(show)
		}
	}
	return document{"model_name": m.name, "model_version": version(c), "predictions": all}, err
}

// count returns how many predictions the answer has at most: of each signal and, of windows, of each recording.
func (d *inferRequest) count() int {
	if d.Windows == nil {
		return len(d.Signals)
	}
	return len(d.Signals) + d.Of[len(d.Of)-1] + 1
}
