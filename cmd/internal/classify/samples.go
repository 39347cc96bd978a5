// Package classify classifies samples and says what they are: in a row of a table, or in an object of JSON. The command
// and the server share it, so that a new column is added here and nowhere else.
package classify

import (
	"context"
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
)

// Samples are what is classified at once: signals on a graph, or series of recordings or of their windows.
type Samples struct {
	Names   []string             // of samples or recordings; nil if an answer names none
	Of      []int                // the recording that each is of, counted from 0; nil if they were no recordings
	Windows []recording.Window   // nil: samples are whole
	Signals [][]float32          // as Predict takes them
	Along   []along.Told         // what is told of each window by those before it; nil: samples are whole
	Unread  []*recording.Unread  // why each is not read as a whole recording, see SoFar; nil: all are
	Early   []Early              // when the class of each recording was decided; nil if all are of whole ones
	Written []recording.TimeForm // how the file of each writes its times; nil: as numbers
	Notes   [][]string           // what to know of each recording, see recording.Form.Series; nil for other data
}

func (s *Samples) add(of int, name string, signal []float32, notes []string) {
	s.Of, s.Names, s.Signals, s.Notes = append(s.Of, of), append(s.Names, name), append(s.Signals, signal),
		append(s.Notes, notes)
}

// Part returns the samples from the one to before the other.
func (s *Samples) Part(from, to int) Samples {
	return Samples{part(s.Names, from, to), part(s.Of, from, to), part(s.Windows, from, to), part(s.Signals, from, to),
		part(s.Along, from, to), part(s.Unread, from, to), part(s.Early, from, to), part(s.Written, from, to),
		part(s.Notes, from, to)}
}

// part returns elements of a list; nil of nil.
func part[T any](all []T, from, to int) []T {
	if all == nil {
		return nil
	}
	return all[from:to:to]
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
	err = s.addSeries(all, skip, f.Series)
	return s, err
}

// SoFar makes the series of recordings whose class is told before their end, as far as they can be read. The error is a
// RecordingError.
func SoFar(f *recording.Form, all []recording.Recording, skip Skip) (s Samples, err error) {
	err = s.addSeries(all, skip, func(r recording.Recording) ([]float32, []string, error) {
		signal, unread, notes, err := f.SoFar(r)
		if err == nil {
			s.Unread = append(s.Unread, unread)
		}
		return signal, notes, err
	})
	return s, err
}

// addSeries adds the series of recordings.
func (s *Samples) addSeries(all []recording.Recording, skip Skip,
	series func(recording.Recording) ([]float32, []string, error)) error {
	for i, r := range all {
		name := r.Name
		r.Name = "" // which the error has
		signal, notes, err := series(r)
		if err != nil {
			wrong := &RecordingError{Index: i, Name: name, Err: err}
			if skip == nil {
				return wrong
			}
			skip(wrong)
			continue
		}
		s.add(i, name, signal, notes)
	}
	return nil
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
		err = inWindow(s.Written[at], s.Windows[at], err)
	}
	return &RecordingError{Index: s.Of[at], Name: s.Names[at], Err: err}
}

// Without returns the samples and their predictions but those that the classifier's error is about, of which it tells
// skip. Another error comes back.
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
		if s.Written != nil {
			left.Written = append(left.Written, s.Written[i])
		}
		if s.Early != nil {
			left.Early = append(left.Early, s.Early[i])
		}
	}
	return left, kept, nil
}

func inWindow(written recording.TimeForm, w recording.Window, err error) error {
	return fmt.Errorf("window from %s to %s: %w", written.Text(w.Start), written.Text(w.End), err)
}

// Cut adds the series of windows of a recording, whose number is of. It leaves out unusable windows, such as windows in
// which a sensor is silent. unusable says what is wrong with the first. An error of ended, such as a context's, ends
// it.
func (s *Samples) Cut(ended func() error, f *recording.Form, of int, r recording.Recording,
	windows []recording.Window) (unusable, err error) {
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
			s.Windows, s.Written = append(s.Windows, w), append(s.Written, r.Written)
			s.add(of, r.Name, signal, notes)
		case unusable == nil:
			unusable = inWindow(r.Written, w, err)
		}
	}
	return unusable, nil
}

// Predict classifies samples as a data set holds them: signals on a graph, or series at even time points.
func Predict(ctx context.Context, c *models.Classifier, samples [][]float32) ([]models.Prediction, error) {
	if c.Form == nil {
		return c.Classify(ctx, samples)
	}
	return c.ClassifySeries(ctx, samples)
}
