package recording

// This file finds holes: stretches of a recording in which a sensor has no value for longer than usual, so that
// interpolation makes up what it may have measured. A form knows those of the training.

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/suggest"
)

const (
	longStep   = 2.5  // usual steps, above which a step of a sensor is a hole: a time point or two more may be jitter
	toldShare  = 0.02 // of a recording's values, from which holes are told
	mostShare  = 0.25 // of a recording's values, above which holes are refused that the training did not have
	mostSensor = 0.5  // the same, of one sensor
	leastLong  = 0.1  // of a recording, which a hole that is refused for its length alone takes: lost packets may be new
	slack      = 1.25 // by which holes may exceed the greatest of the training, which are a sample of all
	leastRows  = 8    // time points that show what is usual
)

// Holes are the values of a recording, or the most of several recordings, that lie in holes. Stretches are in the unit
// of the times, or without times in time points.
type Holes struct {
	Share   float64   `json:"share"`   // of all values
	Sensors []float64 `json:"sensors"` // of the values of each sensor
	Longest []float64 `json:"longest"` // of each sensor
	Missing float64   `json:"missing"` // the share of values that are missing at time points, in holes or between others
	values  int       // in holes, of all sensors and channels
	of      int       // all values, and those in holes
	late    int       // time points at the begin without any value
	window  bool      // the recording is a window of one
	lasts   float64   // from the first time to the last
}

// Values returns how many values lie in holes, and how many there are with them.
func (h *Holes) Values() (made, of int) { return h.values, h.of }

// Late returns the number of time points at the begin at which no sensor has a value.
func (h *Holes) Late() int { return h.late }

// Told reports that so much lies in holes that a person should know.
func (h *Holes) Told() bool {
	return h.Share >= toldShare || slices.ContainsFunc(h.Sensors, tellsOfSensor)
}

// tellsOfSensor reports that so much of a sensor lies in holes that a person should know.
func tellsOfSensor(share float64) bool { return share > mostSensor }

// LongestOf returns the longest hole, and the number of its sensor.
func (h *Holes) LongestOf() (longest float64, sensor int) {
	for i, one := range h.Longest {
		if one > longest {
			longest, sensor = one, i
		}
	}
	return longest, sensor
}

// Most raises h to what another recording of so many sensors has, and returns it. h may be nil.
func (h *Holes) Most(of Holes, sensors int) *Holes {
	if h == nil {
		h = &Holes{Sensors: make([]float64, sensors), Longest: make([]float64, sensors)}
	}
	h.Share, h.Missing = max(h.Share, of.Share), max(h.Missing, of.Missing)
	for i := range of.Sensors {
		h.Sensors[i], h.Longest[i] = max(h.Sensors[i], of.Sensors[i]), max(h.Longest[i], of.Longest[i])
	}
	return h
}

// OfSensors returns the holes of so many sensors, if those of h are the sensors' channels side by side. h may be nil.
func (h *Holes) OfSensors(sensors int) *Holes {
	if h == nil || sensors == 0 || len(h.Sensors) == sensors || len(h.Sensors)%sensors != 0 {
		return h
	}
	channels := len(h.Sensors) / sensors
	all := &Holes{Share: h.Share, Missing: h.Missing}
	for from := 0; from < len(h.Sensors); from += channels {
		all.Sensors = append(all.Sensors, slices.Max(h.Sensors[from:from+channels]))
		all.Longest = append(all.Longest, slices.Max(h.Longest[from:from+channels]))
	}
	return all
}

// holes returns those of an ordered recording whose gaps are not filled yet, and whose end is cut.
func (f *Form) holes(r *Recording) Holes {
	width, rows := f.Width(), len(r.Values)/f.Width()
	h := Holes{of: len(r.Values), window: r.isWindow}
	complete := !slices.ContainsFunc(r.Values, math.IsNaN)
	if complete && r.Times == nil {
		return h
	}
	for h.late < rows && !slices.ContainsFunc(r.Values[h.late*width:][:width], isNumber) {
		h.late++
	}
	if rows < leastRows {
		return h
	}
	times := r.Times
	if times == nil {
		times = counted(rows, cmp.Or(f.Rate, 1))
	}
	first, last := times[0], times[rows-1]
	usual := usualStep(times)
	made, longest := holesOf(times, first, last, usual, rows) // of a sensor that was measured at all times
	if complete && made == 0 {
		return h
	}
	h.Sensors, h.Longest = make([]float64, len(f.Sensors)), make([]float64, len(f.Sensors))
	h.lasts = last - first
	own := make([]float64, 0, rows)
	for column := range width {
		own = own[:0]
		for i, time := range times {
			if isNumber(r.Values[i*width+column]) {
				own = append(own, time)
			}
		}
		if len(own) > 0 {
			h.Missing += float64(rows-len(own)) / float64(len(r.Values))
		}
		switch len(own) {
		case 0: // filled otherwise, or refused
		case rows:
			h.add(column/f.Channels, width, made, rows, longest)
		default:
			made, longest := holesOf(own, first, last, usual, rows)
			h.add(column/f.Channels, width, made, len(own), longest)
		}
		if r.Times != nil { // without times, those in holes are among the values
			h.of += made
		}
	}
	return h
}

// add adds a column of a sensor, in which so many values are made up and so many measured.
func (h *Holes) add(sensor, columns, made, measured int, longest float64) {
	share := float64(made) / float64(made+measured)
	h.Longest[sensor] = max(h.Longest[sensor], longest)
	h.Sensors[sensor] = max(h.Sensors[sensor], share)
	h.Share += share / float64(columns)
	h.values += made
}

func isNumber(v float64) bool { return v == v }

// holesOf counts the time points of a sensor that lie in holes, by its own times and those of the first and the last
// time point of the recording, and returns the longest hole. A sensor that is read less often than others has no more
// holes for that. One with a few values in a recording of many time points has no step of its own.
func holesOf(own []float64, first, last, usual float64, rows int) (made int, longest float64) {
	step := usual
	if !tooFew(len(own), rows) {
		step = max(usualStep(own), usual)
	}
	if step == 0 {
		return 0, 0
	}
	add := func(gap float64) {
		if gap > longStep*step {
			made += int(math.Round(gap/step)) - 1
			longest = max(longest, gap)
		}
	}
	for i := range len(own) - 1 {
		add(own[i+1] - own[i])
	}
	if own[0] > first { // a time point at either end is not there, so that the stretch has one more
		add(own[0] - first + step)
	}
	if last > own[len(own)-1] {
		add(last - own[len(own)-1] + step)
	}
	return made, longest
}

// TooMuch reports that more of a recording's values are made up than an answer can rest on, and than the training
// recordings had. Of forms of before nothing is too much.
func (f *Form) TooMuch(share float64) bool {
	return f.Holes != nil && share > max(mostShare, slack*f.Holes.Share)
}

// Judge says what a person should know of the holes of a recording to classify, "" if nothing. It is an error if more
// is made up than an answer can rest on, and than the recordings of the training had. Forms of before have none of
// these: then nothing is refused.
func (f *Form) Judge(h Holes) (note string, err error) {
	return f.judge(h, h)
}

// judgeSoFar is Judge for a recording that has so many time points, and may go on until it has as many as the longest
// of the training: its holes are judged as if they were all.
func (f *Form) judgeSoFar(h Holes, timepoints int) (note string, err error) {
	if h.Sensors == nil || timepoints >= f.Longest {
		return f.Judge(h)
	}
	share := float64(timepoints) / float64(f.Longest)
	of := Holes{Share: share * h.Share, Missing: share * h.Missing, Longest: h.Longest, window: h.window,
		lasts: h.lasts * float64(f.Longest-1) / float64(max(1, timepoints-1))}
	for _, own := range h.Sensors {
		of.Sensors = append(of.Sensors, share*own)
	}
	note, err = f.judge(h, of)
	if err != nil {
		err = fmt.Errorf("%w (its holes are measured as if it were as long as the training's longest recording)", err)
	}
	return note, err
}

// judge is Judge with the shares of a longer recording, by which holes are refused.
func (f *Form) judge(own, h Holes) (note string, err error) {
	if h.Sensors == nil {
		return "", nil
	}
	longest, sensor := h.LongestOf()
	most := Holes{Sensors: make([]float64, len(h.Sensors)), Longest: make([]float64, len(h.Longest))}
	if f.Holes != nil {
		most = *f.Holes
	}
	worst := 0 // the sensor with the largest share
	for i, share := range h.Sensors {
		if share > h.Sensors[worst] {
			worst = i
		}
	}
	known := fmt.Sprintf("in the training at most %s", percent(most.Share))
	if f.Holes == nil {
		known = "of the training it is unknown"
	}
	hole := "nothing was"
	if len(f.Sensors) > 1 {
		hole = fmt.Sprintf("sensor %q was not", suggest.Clip(f.Sensors[sensor]))
	}
	hole += fmt.Sprintf(" measured for up to %s at a time", f.length(longest))
	switch {
	case f.TooMuch(h.Share):
		err = fmt.Errorf("%s of its values would be made up, %s: %s; a class would rest on what was not measured",
			percent(h.Share), known, hole)
	case f.Holes != nil && h.Missing > max(mostShare, slack*most.Missing):
		err = fmt.Errorf("%s of its values are missing and would be made up, in the training at most %s; a class would rest "+
			"on what was not measured", percent(h.Missing), percent(most.Missing))
	case f.Holes != nil && h.Sensors[worst] > max(mostSensor, slack*most.Sensors[worst]):
		err = fmt.Errorf("%s of the values of sensor %q would be made up, in the training at most %s; leave the recording "+
			"out, or train without that sensor", percent(h.Sensors[worst]), suggest.Clip(f.Sensors[worst]),
			percent(most.Sensors[worst]))
	case f.Holes != nil && longest > max(slack*slices.Max(most.Longest), leastLong*h.lasts):
		err = fmt.Errorf("%s, a tenth of the recording or more, and longer than anywhere in the training%s", hole, h.wayOut())
	case own.Share >= max(toldShare, most.Share), own.Share > mostShare,
		tellsOfSensor(own.Sensors[worst]) && own.Sensors[worst] > most.Sensors[worst]:
		note = fmt.Sprintf("%s of its values are made up, %s: %s", percent(own.Share), known, hole)
	}
	return note, err
}

// wayOut is what to do about holes that are too long; "" for a window, which is left out.
func (h *Holes) wayOut() string {
	if h.window {
		return ""
	}
	return ": cut it there, or into windows, which leave holes out"
}

// percent writes a share.
func percent(share float64) string {
	if share > 0 && share < 0.01 {
		return fmt.Sprintf("%.2g%%", 100*share)
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}
