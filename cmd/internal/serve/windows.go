package serve

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

// Signals makes the series of recordings, with their notes, see recording.Form.Series. The error is a models.SignalError.
func Signals(f *recording.Form, all []recording.Recording) (signals [][]float32, notes [][]string, err error) {
	signals, notes = make([][]float32, len(all)), make([][]string, len(all))
	for i, r := range all {
		if signals[i], notes[i], err = f.Series(r); err != nil {
			return nil, nil, &models.SignalError{Index: i, Reason: err.Error()}
		}
	}
	return signals, notes, nil
}

// WindowSignals makes the series of windows of a recording, with their notes. It leaves out
// unusable windows, such as windows in which a sensor is silent. unusable says what is wrong with the first. An error of
// ended, such as a context's, ends it.
func WindowSignals(ended func() error, f *recording.Form, r recording.Recording, windows []recording.Window) (kept []recording.Window,
	signals [][]float32, notes [][]string, unusable, err error) {
	for _, w := range windows {
		if err = ended(); err != nil {
			return nil, nil, nil, nil, err
		}
		signal, note, err := f.Series(r.Part(w))
		switch {
		case err == nil:
			kept, signals, notes = append(kept, w), append(signals, signal), append(notes, note)
		case unusable == nil:
			unusable = fmt.Errorf("window from %s to %s: %w", recording.TimeText(w.Start), recording.TimeText(w.End), err)
		}
	}
	return kept, signals, notes, unusable, nil
}

// parameters reads the query of a request, whose path takes the parameters in known.
func parameters(raw string, known ...string) (query url.Values, err error) {
	if query, err = url.ParseQuery(raw); err != nil {
		return nil, bad("the query of the address cannot be read: %w", err)
	}
	for name, values := range query {
		switch {
		case slices.Contains(known, name) && len(values) == 1:
		case slices.Contains(known, name):
			return nil, bad("the query has %s %d times; give it once", name, len(values))
		case known == nil:
			return nil, bad("infer takes no query parameter, such as %q; window, step and reject are of /recordings", suggest.Clip(name))
		default:
			return nil, bad("there is no query parameter %q; %s", suggest.Clip(name), suggest.Among(name, known))
		}
	}
	return query, nil
}

// asked reads how a request wants recordings cut, and the least probability of a prediction.
func asked(raw string, c *models.Classifier) (cut recording.Cut, threshold float64, err error) {
	query, err := parameters(raw, "window", "step", "reject")
	if err != nil {
		return cut, 0, err
	}
	for name, span := range map[string]*recording.Span{"window": &cut.Window, "step": &cut.Step} {
		if !query.Has(name) {
			continue
		}
		if *span, err = recording.ParseSpan(query.Get(name)); err != nil {
			return cut, 0, bad("%s=%s %w", name, suggest.Clip(query.Get(name)), err)
		}
	}
	if cut.Step.Length > 0 && cut.Window.Length == 0 {
		return cut, 0, bad("step is of windows; give window, too")
	}
	if asked := query.Get("reject"); query.Has("reject") {
		share, err := text.ParseShare(asked)
		if err == nil {
			threshold, err = c.Calibration.Threshold(share)
		}
		if err != nil {
			return cut, 0, bad("reject=%s: %w", suggest.Clip(asked), err)
		}
	}
	return cut, threshold, nil
}

// cut adds the windows of a recording to a request. The first has the notes about all.
func (d *inferRequest) cut(r recording.Recording, cut recording.Cut, c *models.Classifier, most int,
	take func(int) error) error {
	refuse := func(err error) error { return bad("recording %q: %w", suggest.Clip(r.Name), err) }
	if err := take(16 * len(r.Values)); err != nil { // at most, for the times of time points
		return err
	}
	ordered, windows, about, err := c.Form.Windows(r, cut, most)
	if err != nil {
		return refuse(err)
	}
	size := len(windows) * 512
	for _, w := range windows {
		size += perValue(ordered) * len(ordered.Part(w).Values)
	}
	if err := take(size); err != nil {
		return err
	}
	kept, signals, notes, unusable, err := WindowSignals(func() error { return take(0) }, c.Form, ordered, windows)
	if err != nil {
		return err
	}
	if len(kept) == 0 {
		return refuse(unusable)
	}
	if left := len(windows) - len(kept); left > 0 {
		about = append(about, fmt.Sprintf("%d windows are left out, the first: %v", left, unusable))
	}
	notes[0] = append(about, notes[0]...)
	d.names = append(d.names, slices.Repeat([]string{r.Name}, len(kept))...)
	d.windows, d.signals, d.notes = append(d.windows, kept...), append(d.signals, signals...), append(d.notes, notes...)
	return nil
}
