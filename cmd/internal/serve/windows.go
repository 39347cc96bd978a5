package serve

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models"
)

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
			return nil, bad("infer takes no query parameter, such as %q; window, step, coverage and early are of /recordings",
				suggest.Clip(name))
		default:
			return nil, bad("there is no query parameter %q; %s", suggest.Clip(name), suggest.Among(name, known))
		}
	}
	return query, nil
}

// truth reads a parameter that is true or false, or true without a value, as ?raw is; false if it is not there.
func truth(query url.Values, name string) (is bool, err error) {
	value := query.Get(name)
	if !query.Has(name) || value == "" {
		return query.Has(name), nil
	}
	is, err = strconv.ParseBool(value)
	if err != nil {
		return false, bad("%s=%s is neither true nor false", name, suggest.Clip(value))
	}
	return is, nil
}

// asked reads how a request wants recordings cut, which sets of classes, and whether early decisions.
func (d *inferRequest) asked(raw string, c *models.Classifier) (cut recording.Cut, err error) {
	query, err := parameters(raw, "window", "step", "coverage", "early")
	if err != nil {
		return cut, err
	}
	d.early, err = truth(query, "early")
	if err != nil {
		return cut, err
	}
	for name, span := range map[string]*recording.Span{"window": &cut.Window, "step": &cut.Step} {
		if asked := query.Get(name); query.Has(name) {
			*span, err = recording.ParseSpan(asked)
			if err != nil {
				return cut, bad("%s=%s %w", name, suggest.Clip(asked), err)
			}
		}
	}
	if cut.Step.Length > 0 && cut.Window.Length == 0 {
		return cut, bad("step is of windows; give window, too")
	}
	if asked := query.Get("coverage"); query.Has("coverage") {
		share, err := text.ParseShare(asked)
		if err == nil {
			err = c.Conformal.Allows(share)
		}
		if err != nil {
			return cut, bad("coverage=%s: %w", suggest.Clip(asked), err)
		}
		d.sets = classify.Sets{By: c.Conformal, Coverage: share}
	}
	return cut, nil
}

// cut adds the windows of recording i to a request, which has at most most. The first has the notes about all.
func (d *inferRequest) cut(i int, r recording.Recording, cut recording.Cut, c *models.Classifier, most int,
	take func(int) error) error {
	refuse := func(err error) error {
		return refuseRecording(&classify.RecordingError{Index: i, Name: r.Name, Err: err})
	}
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
		size += d.perValue(ordered) * len(ordered.Part(w).Values)
	}
	if err := take(size); err != nil {
		return err
	}
	first := len(d.Notes)
	unusable, err := d.Cut(func() error { return take(0) }, c.Form, i, ordered, windows)
	if err != nil {
		return err
	}
	if note, _ := c.Form.OtherRate(ordered.Rate()); note != "" {
		about = append(about, note)
	}
	kept := len(d.Notes) - first
	if kept == 0 {
		return refuse(unusable)
	}
	if left := len(windows) - kept; left > 0 {
		about = append(about, fmt.Sprintf("%s left out, the first: %v", text.Count(left, "window"), unusable))
	}
	d.Notes[first] = append(about, d.Notes[first]...)
	return nil
}

// perValue returns the most bytes that a value of a recording takes while a series is made of it: as float64, of which
// a recording that is read so far has two, and as float32. With times the series may have four times as many time
// points, and there are two of it.
func (d *inferRequest) perValue(r recording.Recording) int {
	bytes := 8 + 4
	if r.Times != nil {
		bytes = 8 + 2*4*4
	}
	if d.early {
		bytes += 8
	}
	return bytes
}

// refuseRecording makes a refusal of an error about a recording. Other errors stay as they are.
func refuseRecording(err error) error {
	wrong, ok := errors.AsType[*classify.RecordingError](err)
	switch {
	case !ok:
		return err
	case wrong.Name == "":
		return bad("recording %d: %w", wrong.Index, wrong.Err)
	}
	return bad("recording %d, %q: %w", wrong.Index, suggest.Clip(wrong.Name), wrong.Err)
}
