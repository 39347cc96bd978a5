package recordings

// This file reads streams whose classes are known, to test a classifier along time.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
)

// Annotated is a recording whose class is known in parts. Its values are those of the training's sensors in their
// order.
type Annotated struct {
	recording.Recording
	Parts []Marking
}

// Marking is time points of one class, from the one to before the other.
type Marking struct {
	From, To int
	Class    string
}

// Annotation says where the classes of streams are: in a column, or in a table of intervals. Rest names the class of
// what has none; "": the one that the training's import gave it, or that does not count.
type Annotation struct{ Label, Labels, Rest string }

// ReadAnnotated reads streams with their classes, as the import that made a form read its own. The notes are what a
// person should know of the files.
func ReadAnnotated(ctx context.Context, inputs []string, form *recording.Form, a Annotation) (all []Annotated,
	notes []string, err error) {
	if form.Ahead.Length > 0 {
		return nil, nil, fmt.Errorf("the training's classes are of windows that end up to %s before an event "+
			"begins, and not "+
			"of time points; import these streams with ccp data import --ahead %[1]s, too, and test on the file of that, with "+
			"--data FILE.npz",
			form.Ahead)
	}
	own := []string{"--label", "--labels", "--rest", "--data"}
	asTrained := a.Rest == "" && form.Rest != ""
	a.Rest = cmp.Or(a.Rest, form.Rest)
	o := Options{Label: a.Label, Labels: a.Labels, Rest: a.Rest, trained: true}
	if form.Reading != nil {
		err = json.Unmarshal(form.Reading, &o.Table)
		if err != nil {
			return nil, nil, fmt.Errorf("the settings of the import cannot be read: %w; import and train again", err)
		}
	}
	o.Leave = slices.DeleteFunc(o.Leave, func(name string) bool { return name == a.Label || o.Take != nil })
	o.Cut.Window = recording.Span{Length: 1, Timepoints: true} // so that the class may change within a recording
	o.Ahead = o.Cut.Window                                     // and the recordings stay whole
	m, err := gather(ctx, inputs, o)
	var recorder *RecorderError
	var dataSet *dataSetError
	switch {
	case err == nil:
		err = m.parse()
	case errors.As(err, &recorder):
		err = recorder.toStream()
	case errors.As(err, &dataSet):
		err = fmt.Errorf("%w; %s", err, asTables)
	}
	if err != nil {
		return nil, nil, Elsewhere(err, own...)
	}
	m.noteUntaken(form)
	names := distinctNames(m.samples)
	for i, x := range m.samples {
		one := Annotated{Recording: x.Recording}
		one.Name = names[i]
		for _, e := range x.events {
			one.Parts = append(one.Parts, Marking{e.from, e.to, e.label})
		}
		if a.Rest != "" {
			one.Parts = withRest(one.Parts, x.Timepoints(), suggest.Truth(suggest.Tidy(a.Rest)))
		}
		all = append(all, one)
	}
	if asTrained {
		m.note("time points without a class count as %s, as in the training's import", a.Rest)
	}
	for _, note := range m.noteTexts() {
		if way := wayElsewhere(note, own); way != "" {
			note += "; " + way
		}
		notes = append(notes, note)
	}
	return all, notes, nil
}

// noteUntaken notes the columns of a stream that the training did not have.
func (m *making) noteUntaken(form *recording.Form) {
	if m.chosen.untaken == nil {
		return
	}
	notes, _ := form.Others(m.chosen.untaken, false, true)
	for _, note := range notes {
		m.note("%s", note)
	}
}

// withRest fills what is between parts, up to so many time points, with a class.
func withRest(parts []Marking, timepoints int, rest string) (all []Marking) {
	at := 0
	for _, p := range append(parts, Marking{timepoints, timepoints, ""}) {
		if p.From > at {
			all = append(all, Marking{at, p.From, rest})
		}
		if p.To > p.From {
			all = append(all, p)
		}
		at = p.To
	}
	return all
}
