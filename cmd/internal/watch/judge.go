package watch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"gonum.org/v1/gonum/floats"
)

// Event is a stretch of a class: when it begins, and when it is told, as a timeline has it; of a true event both are
// its begin.
type Event struct {
	Class       int
	Begin, Told float64
}

// Judged says how right the classes of streams are told: at each time point, as it was told then; and event by event.
type Judged struct {
	Streams []StreamScore `json:"streams"`
	// TimePoints counts those that have a class, and Accuracy is the share at which the class told by then is right.
	TimePoints int     `json:"timepoints"`
	Accuracy   float64 `json:"accuracy"`
	// Recordings counts the streams that have one class, of which Right are told right by the mean over their windows.
	Recordings int `json:"recordings"`
	Right      int `json:"recordings_right"`
	// Tolerance is how far the told begin of an event may be from the true one, on each side and inclusive, in time
	// points of the training's rate.
	Tolerance int          `json:"tolerance_timepoints"`
	PerClass  []EventScore `json:"per_class"`
	// F is the mean of the classes' F, of those that have an event, or are told.
	F float64 `json:"f"`
	// FalseAlarmsPerHour are told events without a true one, over the Hours that all streams were recorded. A pause, in
	// which no time point comes for longer than a window, is no part of any time here. Both are nil where the training has
	// no times.
	FalseAlarmsPerHour *float64 `json:"false_alarms_per_hour"`
	Hours              *float64 `json:"hours"`
	// Delay is the mean time in seconds from a true begin to the moment at which it is told, over the hits; nil without a
	// hit. Where the training has no times, it is in time points.
	Delay *float64 `json:"delay"`
	// Confusion has a row for each true class, and a column for each told one, of events; the last of both is none. A
	// wrong class at the right time is off the diagonal, and both a miss and a false alarm.
	Confusion [][]int `json:"confusion"`
	// Changes counts the true changes from one class to another one, Told those that are told, and Raw those of windows
	// alone. Between two of them may lie a pause, or time points without a class: a class that goes on is no change.
	Changes int `json:"changes"`
	Told    int `json:"told_changes"`
	Raw     int `json:"raw_changes"`

	rate   float64   // time points of the training a second; 1 where it has no times
	delays []float64 // of each class, the sum over its hits
}

// StreamScore is how right one stream is told.
type StreamScore struct {
	Name       string  `json:"name"`
	Whole      string  `json:"whole"` // the class of the whole stream, by the mean over its windows
	TimePoints int     `json:"timepoints"`
	Accuracy   float64 `json:"accuracy"`
	Events     int     `json:"events"`
	Hits       int     `json:"hits"`
	False      int     `json:"false_alarms"`
}

// EventScore is how right the events of a class are told. F is 2 hits / (2 hits + false alarms + missed), which is 0
// where all are missed.
type EventScore struct {
	Name   string   `json:"class"`
	Events int      `json:"events"`
	Hits   int      `json:"hits"`
	Missed int      `json:"missed"`
	False  int      `json:"false_alarms"`
	F      *float64 `json:"f"`     // nil where there is no event, and none is told
	Delay  *float64 `json:"delay"` // as Judged.Delay
}

// Judge watches streams whose classes are known, and says how right they are told. tolerance is in seconds, of a
// training without times in time points; note is told what a person should know.
func Judge(ctx context.Context, c *models.Classifier, o Options, streams []recordings.Annotated, tolerance float64,
	note func(line string)) (Judged, error) {
	j := newJudged(c, tolerance)
	points, right, seconds := 0, 0, 0.0
	for _, s := range streams {
		truth, err := truthOf(s, c.ClassNames)
		if err != nil {
			return j, err
		}
		t := &told{classifier: c, stream: s, note: note}
		err = t.watch(ctx, o)
		if err != nil {
			return j, fmt.Errorf("%s: %w", s.Name, err)
		}
		score, correct := j.addStream(t, truth)
		points, right = points+score.TimePoints, right+correct
		seconds += t.line.recorded()
	}
	j.TimePoints, j.Accuracy = points, float64(right)/float64(max(1, points))
	if c.Form.Rate > 0 {
		j.Hours = new(seconds / 3600)
	}
	j.finish()
	return j, nil
}

// newJudged returns the judgement of no stream.
func newJudged(c *models.Classifier, tolerance float64) Judged {
	j := Judged{rate: cmp.Or(c.Form.Rate*cmp.Or(c.Form.Second, 1), 1), delays: make([]float64, len(c.ClassNames))}
	j.Tolerance = int(math.Round(tolerance * j.rate))
	for _, name := range c.ClassNames {
		j.PerClass = append(j.PerClass, EventScore{Name: name})
	}
	j.Confusion = make([][]int, len(c.ClassNames)+1)
	for k := range j.Confusion {
		j.Confusion[k] = make([]int, len(c.ClassNames)+1)
	}
	return j
}

// addStream adds what is told of a stream, and returns its score and how many time points are right.
func (j *Judged) addStream(t *told, truth []int) (score StreamScore, right int) {
	score.Name = t.stream.Name
	for i, class := range truth {
		if class == along.Unknown {
			continue
		}
		score.TimePoints++
		if t.class[i] == class {
			right++
		}
	}
	score.Accuracy = float64(right) / float64(max(1, score.TimePoints))
	trueEvents := eventsOf(truth, t.line)
	score.Whole = Class(t.classifier.ClassNames, t.whole())
	if len(trueEvents) == 1 {
		j.Recordings++
		if t.whole() == trueEvents[0].Class {
			j.Right++
		}
	}
	j.match(&score, trueEvents, t.events)
	j.Streams = append(j.Streams, score)
	j.Changes += max(0, len(trueEvents)-1)
	j.Told, j.Raw = j.Told+t.summary.Changes, j.Raw+t.summary.Raw
	return score, right
}

// truthOf returns the true class of each time point of a stream; Unknown for none.
func truthOf(s recordings.Annotated, names []string) ([]int, error) {
	truth := slices.Repeat([]int{along.Unknown}, s.Timepoints())
	for _, p := range s.Parts {
		class := suggest.Class(p.Class, names)
		if class < 0 {
			return nil, fmt.Errorf("%s: class %q is none of the training's, which are %s; correct its name, or remove it from "+
				"the labels", s.Name, p.Class, suggest.Few(names))
		}
		for i := p.From; i < p.To; i++ {
			truth[i] = class
		}
	}
	return truth, nil
}

// eventsOf returns the true events: a class that goes on after time points without a class is one.
func eventsOf(truth []int, line timeline) (all []Event) {
	last := along.Unknown
	for i, class := range truth {
		if class != along.Unknown && class != last {
			all, last = append(all, Event{class, line.when[i], line.when[i]}), class
		}
	}
	return all
}

// told is what a watcher tells of a stream.
type told struct {
	classifier *models.Classifier
	stream     recordings.Annotated
	line       timeline
	note       func(line string)
	class      []int // at each time point, as it was told then
	events     []Event
	summary    Summary
	sums       []float64 // of the probabilities of all windows, each alone
}

// whole returns the class with the greatest mean probability over all windows; Unknown without a window.
func (t *told) whole() int {
	if t.sums == nil {
		return along.Unknown
	}
	return floats.MaxIdx(t.sums)
}

// classify computes the predictions of windows, and sums up their probabilities.
func (t *told) classify(ctx context.Context, series [][]float32) ([]models.Prediction, error) {
	predictions, err := t.classifier.ClassifySeries(ctx, series)
	for _, p := range predictions {
		if t.sums == nil {
			t.sums = make([]float64, len(p.Probabilities))
		}
		floats.Add(t.sums, p.Probabilities)
	}
	return predictions, err
}

// watch watches the stream.
func (t *told) watch(ctx context.Context, o Options) error {
	o.Classify = t.classify
	w, err := New(t.classifier, o, func(line string) { t.note(t.stream.Name + ": " + line) })
	if err != nil {
		return err
	}
	w.written, t.line = t.stream.Written, timelineOf(t.classifier.Form, t.stream, w.window)
	width, n := t.classifier.Form.Width(), t.stream.Timepoints()
	if len(t.stream.Values) != n*width {
		return fmt.Errorf("it has %d values at a time point; the classifier needs %d", len(t.stream.Values)/max(1, n), width)
	}
	class := along.Unknown
	for i := range n {
		time := math.NaN()
		if t.stream.Times != nil {
			time = t.stream.Times[i]
		}
		some, err := w.Add(ctx, time, t.stream.Values[i*width:][:width])
		if err != nil {
			return err
		}
		class = t.take(some, class)
		t.class = append(t.class, class)
	}
	some, err := w.Finish(ctx)
	t.take(some, class)
	t.summary = w.Summary
	return err
}

// take takes what is told, and returns the class from there on. A class that is told again after a gap goes on, as it
// does in eventsOf.
func (t *told) take(some []Told, class int) int {
	for _, one := range some {
		goesOn := len(t.events) > 0 && t.events[len(t.events)-1].Class == one.Class
		if one.Changed && !goesOn {
			begin := t.line.when[t.line.point(one.Since)]
			t.events = append(t.events, Event{one.Class, begin, t.line.moment(one.Time)})
		}
		class = one.Class
	}
	return class
}

// match matches the events of a stream, each with at most one: first of one class, then wrong ones at the right time.
func (j *Judged) match(score *StreamScore, truth, told []Event) {
	none := len(j.PerClass)
	ofTruth, ofTold := slices.Repeat([]bool{false}, len(truth)), slices.Repeat([]bool{false}, len(told))
	for _, sameClass := range []bool{true, false} {
		for a, e := range truth {
			for b, f := range told {
				near := int(math.Round(math.Abs(f.Begin-e.Begin)*j.rate)) <= j.Tolerance
				if ofTruth[a] || ofTold[b] || !near || sameClass && e.Class != f.Class {
					continue
				}
				ofTruth[a], ofTold[b] = true, true
				j.Confusion[e.Class][f.Class]++
				if sameClass {
					score.Hits++
					j.PerClass[e.Class].Hits++
					j.delays[e.Class] += f.Told - e.Begin
				}
			}
		}
	}
	for a, e := range truth {
		j.PerClass[e.Class].Events++
		if !ofTruth[a] {
			j.Confusion[e.Class][none]++
		}
	}
	for b, f := range told {
		j.PerClass[f.Class].False++ // less the hits, in the end
		if !ofTold[b] {
			j.Confusion[none][f.Class]++
		}
	}
	score.Events, score.False = len(truth), len(told)-score.Hits
}

// finish computes what is of all streams together.
func (j *Judged) finish() {
	classes, hits, alarms, delay := 0, 0, 0, 0.0
	for k := range j.PerClass {
		s := &j.PerClass[k]
		s.Missed, s.False = s.Events-s.Hits, s.False-s.Hits
		if s.Events+s.False > 0 {
			s.F = new(2 * float64(s.Hits) / float64(2*s.Hits+s.Missed+s.False))
			j.F += *s.F
			classes++
		}
		if s.Hits > 0 {
			s.Delay = new(j.delays[k] / float64(s.Hits))
		}
		hits, alarms, delay = hits+s.Hits, alarms+s.False, delay+j.delays[k]
	}
	j.F /= float64(max(1, classes))
	if hits > 0 {
		j.Delay = new(delay / float64(hits))
	}
	if j.Hours != nil && *j.Hours > 0 {
		j.FalseAlarmsPerHour = new(float64(alarms) / *j.Hours)
	}
}
