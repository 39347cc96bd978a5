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
	// Decided is how long the recording had lasted when its class was decided, in the unit of its times or, if these are
	// unknown, in time points; nil if it ended before.
	Decided *float64 `json:"decided"`
	// Seen is the share of the recording that was seen.
	Seen float64 `json:"seen"`
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
	e.Seen = p.Early.Seen
	if p.Early.Decided {
		e.Decided = new(form.Lasts(p.Early.Timepoints))
	}
	return e
}

// PredictEarly predicts recordings as models.Classifier.ClassifyEarly does, and notes when each was decided.
func (s *Samples) PredictEarly(ctx context.Context, c *models.Classifier) ([]models.Prediction, error) {
	predictions, err := c.ClassifyEarly(ctx, s.Signals)
	for _, p := range predictions {
		s.Early = append(s.Early, EarlyOf(c.Form, p))
	}
	return predictions, err
}
