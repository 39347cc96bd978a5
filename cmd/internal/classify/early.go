package classify

import (
	"context"
	"strconv"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

// Early says when the class of a recording was told.
type Early struct {
	// Decided is how long the recording had lasted when its class was decided, in Unit, see UnitOf; nil if it ended
	// before.
	Decided *float64 `json:"decided"`
	Unit    string   `json:"unit"`
	// Seen is the share of the recording that was seen.
	Seen float64 `json:"seen"`
}

// UnitOf says in what recording.Form.Lasts is: in seconds or another unit, as far as the training's times tell theirs.
func UnitOf(form *recording.Form) string {
	if form.Rate == 0 {
		return "time points"
	}
	switch form.Second {
	case 1:
		return "seconds"
	case 1e3:
		return "milliseconds"
	case 1e6:
		return "microseconds"
	case 1e9:
		return "nanoseconds"
	case 1. / 60:
		return "minutes"
	case 1. / (60 * 60):
		return "hours"
	case 1. / (24 * 60 * 60):
		return "days"
	}
	return "the unit of the times"
}

// cells returns the cells of a table's row: Decided, empty for nil, and Seen.
func (e Early) cells() []string {
	decided := ""
	if e.Decided != nil {
		decided = text.Time(*e.Decided)
	}
	return []string{decided, strconv.FormatFloat(e.Seen, 'g', 4, 64)}
}

// EarlyOf returns when the class of a recording was told, by its prediction.
func EarlyOf(form *recording.Form, p models.Prediction) (e Early) {
	if p.Early == nil { // it is unusable
		return e
	}
	e.Unit, e.Seen = UnitOf(form), p.Early.Seen
	if p.Early.Decided {
		e.Decided = new(form.Lasts(p.Early.Timepoints))
	}
	return e
}

// PredictEarly predicts recordings as models.Classifier.ClassifyEarly does, and notes when each was decided.
func (s *Samples) PredictEarly(ctx context.Context, c *models.Classifier) ([]models.Prediction, error) {
	predictions, err := c.ClassifyEarly(ctx, s.Signals, s.Unread)
	for _, p := range predictions {
		s.Early = append(s.Early, EarlyOf(c.Form, p))
	}
	return predictions, err
}
