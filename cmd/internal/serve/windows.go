package serve

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

// Samples are what is classified at once: signals on a graph, or series of recordings or of their windows.
type Samples struct {
	Names   []string           // of samples or recordings; nil if an answer names none
	Of      []int              // the recording that each is of, counted from 0; nil if they were no recordings
	Windows []recording.Window // nil: samples are whole
	Signals [][]float32        // as Classify takes them
	Notes   [][]string         // what to know of each recording, see recording.Form.Series; nil if they were no recordings
}

func (s *Samples) add(of int, name string, signal []float32, notes []string) {
	s.Of, s.Names, s.Signals, s.Notes = append(s.Of, of), append(s.Names, name), append(s.Signals, signal), append(s.Notes, notes)
}

// RecordingError says which recording is unusable, counted from 0, and why.
type RecordingError struct {
	Index int
	Name  string // "" without
	Err   error
}

// Error names the recording, by its number if it has no name.
func (e *RecordingError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("recording %d: %v", e.Index, e.Err)
	}
	return fmt.Sprintf("%s: %v", suggest.Clip(e.Name), e.Err)
}

// Unwrap gives the reason.
func (e *RecordingError) Unwrap() error { return e.Err }

// Skip is called with what is wrong with a recording that is left out. If it is nil, none is left out.
type Skip func(*RecordingError)

// Whole makes the series of recordings. The error is a RecordingError.
func Whole(f *recording.Form, all []recording.Recording, skip Skip) (s Samples, err error) {
	for i, r := range all {
		name := r.Name
		r.Name = "" // which the error has
		signal, notes, err := f.Series(r)
		if err != nil {
			wrong := &RecordingError{Index: i, Name: name, Err: err}
			if skip == nil {
				return s, wrong
			}
			skip(wrong)
			continue
		}
		s.add(i, name, signal, notes)
	}
	return s, nil
}

// Name makes a RecordingError of the classifier's error about a series. Other errors stay as they are.
func (s *Samples) Name(err error) error {
	wrong, ok := errors.AsType[*models.SignalError](err)
	if !ok || s.Notes == nil {
		return err
	}
	at := wrong.Index
	err = errors.New(wrong.Reason)
	if s.Windows != nil {
		err = inWindow(s.Windows[at], err)
	}
	return &RecordingError{Index: s.Of[at], Name: s.Names[at], Err: err}
}

// Without returns the samples and their predictions but those that the classifier's error is about, of which it tells skip. Another
// error comes back.
func (s *Samples) Without(predictions []models.Prediction, err error, skip Skip) (Samples, []models.Prediction, error) {
	wrong, ok := errors.AsType[*models.SignalError](err)
	if !ok || s.Notes == nil || skip == nil {
		return *s, predictions, s.Name(err)
	}
	bad := map[int]bool{}
	for _, w := range append([]*models.SignalError{wrong}, wrong.More...) {
		bad[w.Index] = true
		named, _ := errors.AsType[*RecordingError](s.Name(w))
		skip(named)
	}
	left, kept := Samples{}, []models.Prediction{}
	for i, p := range predictions {
		if bad[i] {
			continue
		}
		left.add(s.Of[i], s.Names[i], s.Signals[i], s.Notes[i])
		kept = append(kept, p)
		if s.Windows != nil {
			left.Windows = append(left.Windows, s.Windows[i])
		}
	}
	return left, kept, nil
}

func inWindow(w recording.Window, err error) error {
	return fmt.Errorf("window from %s to %s: %w", recording.TimeText(w.Start), recording.TimeText(w.End), err)
}

// Cut adds the series of windows of a recording, whose number is of. It leaves out unusable windows, such as windows in which a sensor is
// silent. unusable says what is wrong with the first. An error of ended, such as a context's, ends it.
func (s *Samples) Cut(ended func() error, f *recording.Form, of int, r recording.Recording, windows []recording.Window) (unusable, err error) {
	for _, w := range windows {
		err = ended()
		if err != nil {
			return nil, err
		}
		part := r.Part(w)
		part.Name = "" // which the caller's error has
		signal, notes, err := f.Series(part)
		switch {
		case err == nil:
			s.Windows = append(s.Windows, w)
			s.add(of, r.Name, signal, notes)
		case unusable == nil:
			unusable = inWindow(w, err)
		}
	}
	return unusable, nil
}

// parameters reads the query of a request, whose path takes the parameters in known.
func parameters(raw string, known ...string) (query url.Values, err error) {
	query, err = url.ParseQuery(raw)
	if err != nil {
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
		if asked := query.Get(name); query.Has(name) {
			*span, err = recording.ParseSpan(asked)
			if err != nil {
				return cut, 0, bad("%s=%s %w", name, suggest.Clip(asked), err)
			}
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

// refuseRecording makes a refusal of a RecordingError. Other errors stay as they are.
func refuseRecording(err error) error {
	wrong, ok := errors.AsType[*RecordingError](err)
	switch {
	case !ok:
		return err
	case wrong.Name == "":
		return bad("recording %d: %w", wrong.Index, wrong.Err)
	}
	return bad("recording %d, %q: %w", wrong.Index, suggest.Clip(wrong.Name), wrong.Err)
}

// cut adds the windows of recording i to a request, which has at most most. The first has the notes about all.
func (d *inferRequest) cut(i int, r recording.Recording, cut recording.Cut, c *models.Classifier, most int,
	take func(int) error) error {
	refuse := func(err error) error { return refuseRecording(&RecordingError{Index: i, Name: r.Name, Err: err}) }
	if err := take(16 * len(r.Values)); err != nil { // at most, for the times of time points
		return err
	}
	ordered, windows, about, err := c.Form.Windows(r, cut, most)
	if err == nil && len(d.Signals)+len(windows) > most {
		err = fmt.Errorf("with the windows of those before, the request has more than %d windows, which is the most; take a "+
			"longer step, or send it in parts", most)
	}
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
	first := len(d.Notes)
	unusable, err := d.Cut(func() error { return take(0) }, c.Form, i, ordered, windows)
	if err != nil {
		return err
	}
	kept := len(d.Notes) - first
	if kept == 0 {
		return refuse(unusable)
	}
	if left := len(windows) - kept; left > 0 {
		about = append(about, fmt.Sprintf("%d windows are left out, the first: %v", left, unusable))
	}
	d.Notes[first] = append(about, d.Notes[first]...)
	return nil
}
