package classify

import (
	"cmp"
	"context"
	"strconv"

	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

// Early says when the class of a recording was told.
type Early struct {
	// Decided reports that it was before the recording ended.
	Decided bool `json:"decided"`
	// Time is how much of the recording was seen, in the unit of its times, or in time points if these are unknown. Seen
	// is the share.
	Time float64 `json:"time"`
	Seen float64 `json:"seen"`
}

// cells returns the cells of a table's row: the time of the decision, empty if the recording ended before, and the
// share that was seen.
func (e Early) cells() []string {
	decided := ""
	if e.Decided {
		decided = text.Time(e.Time)
	}
	return []string{decided, strconv.FormatFloat(e.Seen, 'g', 4, 64)}
}

// PredictEarly predicts recordings as models.Classifier.ClassifyEarly does, and notes when each was decided.
func (s *Samples) PredictEarly(ctx context.Context, c *models.Classifier) ([]models.Prediction, error) {
	predictions, err := c.ClassifyEarly(ctx, s.Signals)
	for _, p := range predictions {
		var e Early
		if p.Early != nil {
			e = Early{p.Early.Decided, float64(p.Early.Timepoints) / cmp.Or(c.Form.Rate, 1), p.Early.Seen}
		}
		s.Early = append(s.Early, e)
	}
	return predictions, err
}
