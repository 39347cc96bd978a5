// Package recording turns recordings of sensors into signals on a graph of space and time. Imports and classifiers both
// use it, so both make the same signal of a recording.
//
// A [Recording] is what was measured: `[timepoints, sensors, channels]`, at times of its own, with gaps. A [Form] says
// what the training data is like. [Form.Windows] cuts a long recording. [Form.Series] puts the sensors in the form's
// order, fills gaps and makes the time points even. [Resample] makes the frames of a signal. Its node `frame * sensors
// + sensor` is a sensor at a frame. Values and times have the training data's units.
package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/jsonread"
	"github.com/clusterpool/ccp/internal/suggest"
)

// Recording holds what some sensors measured at successive time points. Its JSON is an object with name, sensors,
// channels (the names in Axes), values and times. Only values is needed. It is a list of time points; each is a list
// with the channels of each sensor side by side, and null for a missing value.
type Recording struct {
	Name     string   // what errors call the recording, such as its file
	Sensors  []string // in the order of Values; nil: those of the training data, in their order
	Channels int      // values of a sensor at a time point; 0: as many as in the training data
	Axes     []string // the names of the channels in the order of Values; nil: those of the training data, in their order
	// `[timepoints, sensors, channels]`, row-major, in the training data's units; NaN is a missing value
	Values []float64
	// of the time points, ascending, in the training data's unit; nil: the time points are evenly spaced
	Times []float64
	// Written is how the file writes its times; the zero value is as numbers.
	Written TimeForm
	Width   int // values of a time point, so that sensors in the place of time points are an error; 0: unknown
	// Series takes the place of all that but Name: a series at even time points, `[timepoints, sensors, channels]`
	// row-major, with the training data's sensors in their order and without gaps, as datasets.Dataset.Series has them.
	Series []float32
	// Unread says why Series is not that of a whole recording, see Form.SoFar; nil if it is.
	Unread *Unread
	// Notes are what a person should know of it, as by the file that it is from. Form.Series and Form.Windows tell it
	// first.
	Notes []string

	// What Prepare saw before it filled gaps: the rate of the sensor that was read most often, and the first and the last
	// of its times.
	fastest, first, last float64
	// rateTold says that it has been told at which rate the recording is taken, isWindow that it is a window of one, or
	// may go on, and isPart that Part made it.
	rateTold, isWindow, isPart bool
}

// New returns a recording of rows, one for each time point. A row holds the channels of each sensor side by side, in
// the training data's units, and NaN for a missing value. nil stands for the training data's sensors in their order.
// The error names a time point whose row is of another length.
func New(sensors []string, rows [][]float64) (Recording, error) {
	r := Recording{Sensors: sensors, Values: slices.Concat(rows...)}
	for i, row := range rows {
		r.Width = len(rows[0])
		if len(row) != r.Width {
			return r, fmt.Errorf("time point %d has %d values, time point 0 has %d; NaN is a missing value", i,
				len(row), r.Width)
		}
	}
	return r, nil
}

// Timepoints returns the number of time points of a recording with Sensors and Channels, as a prepared one has them.
func (r Recording) Timepoints() int { return len(r.Values) / (len(r.Sensors) * r.Channels) }

// Column names a sensor, and its channel if there are several. at is a place in `[sensors, channels]`.
func Column(sensors []string, channels, at int) string {
	name := fmt.Sprintf("sensor %q", suggest.Clip(sensors[at/channels]))
	if channels > 1 {
		name += fmt.Sprintf(" channel %d", at%channels)
	}
	return name
}

// NodeNames names the nodes of a signal of so many frames, such as "head@12" for the sensor head in frame 12. Frames
// count from 0.
func NodeNames(sensors []string, frames int) []string {
	return inOneText(frames*len(sensors), func(text []byte, at int) []byte {
		text = append(append(text, sensors[at%len(sensors)]...), '@')
		return strconv.AppendInt(text, int64(at/len(sensors)), 10)
	})
}

// Numbered returns the names of sensors that have none: "sensor 0", "sensor 1" and so on, from the one to before the
// other.
func Numbered(from, to int) []string {
	return inOneText(to-from, func(text []byte, at int) []byte {
		return strconv.AppendInt(append(text, "sensor "...), int64(from+at), 10)
	})
}

// inOneText returns n names that share the memory of one text: a million texts of their own would take twice as much.
// write appends a name to what it gets.
func inOneText(n int, write func(text []byte, at int) []byte) []string {
	var one []byte
	size := 0
	for at := range n {
		one = write(one[:0], at)
		size += len(one)
	}
	var all strings.Builder
	all.Grow(size)
	for at := range n {
		one = write(one[:0], at)
		all.Write(one)
	}
	text, names := all.String(), make([]string, n)
	for at := range n {
		one = write(one[:0], at)
		names[at], text = text[:len(one)], text[len(one):]
	}
	return names
}

// MarshalJSON writes what UnmarshalJSON reads, without Series. It is an error if the size of a time point is unknown.
func (r Recording) MarshalJSON() ([]byte, error) {
	width, values := cmp.Or(r.Width, len(r.Sensors)*r.Channels), make([]*float64, len(r.Values))
	if width == 0 && len(values) > 0 {
		return nil, errors.New("a recording without Width, or Sensors and Channels, has no rows to write")
	}
	for i, v := range r.Values {
		if !math.IsNaN(v) {
			values[i] = &r.Values[i]
		}
	}
	return json.Marshal(struct {
		Name     string       `json:"name,omitempty"`
		Sensors  []string     `json:"sensors,omitempty"`
		Channels []string     `json:"channels,omitempty"`
		Values   [][]*float64 `json:"values"`
		Times    []float64    `json:"times,omitempty"`
	}{r.Name, r.Sensors, r.Axes, slices.Collect(slices.Chunk(values, max(1, width))), r.Times})
}

// UnmarshalJSON reads a recording. The error says where a value, a name or a time is wrong.
func (r *Recording) UnmarshalJSON(raw []byte) (err error) {
	*r, err = readRecording(jsonread.New(raw), func(int) error { return nil })
	return err
}

// ReadAll reads a JSON object {"recordings": [...]}, each recording as UnmarshalJSON does, and refuses other members.
// Before recording i, counted from 0, occupies more memory, and now and then, ReadAll calls room with the number of
// bytes. It fails with an error of room.
func ReadAll(document []byte, room func(i, bytes int) error) (all []Recording, err error) {
	at, from := 0, jsonread.New(document)
	take := func(bytes int) error { return room(at, bytes) }
	from.Check = func() error { return take(0) }
	recordings := from.List(func(i int) error {
		at = i
		if err := take(512); err != nil {
			return err
		}
		one, err := readRecording(from, take)
		all = append(all[:i], one)
		return err
	})
	err = from.Members(func(name string) (jsonread.Value, error) {
		if name != "recordings" {
			return nil, fmt.Errorf("the request has no member %q; it has recordings (?window=, ?step= and ?reject= are of its "+
				"address)", suggest.Clip(name))
		}
		return recordings, nil
	})("the request")
	return all, cmp.Or(err, from.End())
}

// readRecording reads a recording. Before it occupies more memory, readRecording calls take with the number of bytes,
// and fails with its error.
func readRecording(from *jsonread.Reader, take func(bytes int) error) (Recording, error) {
	r := &reader{from: from, take: take}
	members := map[string]jsonread.Value{
		"name":     from.Text(&r.Name),
		"sensors":  r.names(&r.Sensors, "sensors"),
		"channels": r.names(&r.Axes, "channels"),
		"values":   r.values(),
		"times":    r.times(),
	}
	err := from.Members(func(name string) (jsonread.Value, error) {
		if members[name] == nil {
			return nil, fmt.Errorf("a recording has no %q; it has name, sensors, channels, values and times", suggest.Clip(name))
		}
		return members[name], nil
	})("a recording")
	times, first := exact.FromFirst(r.Times, r.rests)
	if first != "" {
		r.Times, r.Notes = times, append(r.Notes, exact.Note(first))
	}
	return r.Recording, err
}

// reader reads a recording in JSON.
type reader struct {
	Recording
	from   *jsonread.Reader
	take   func(bytes int) error // see readRecording
	number float64               // the last number read
	digits string                // of it
	rests  []float64             // what float64 leaves out of the times; nil if nothing
}

// add reads a number and appends it to a list.
func (r *reader) add(list *[]float64, number jsonread.Value, what string) error {
	err := number(what)
	if err != nil {
		return err
	}
	if len(*list) == cap(*list) {
		more := max(64, len(*list)/2)
		err = r.take(2 * 8 * more) // twice, since the old list is there while it is copied
		if err != nil {
			return err
		}
		*list = slices.Grow(*list, more)
	}
	*list = append(*list, r.number)
	return nil
}

// names reads a list of names.
func (r *reader) names(list *[]string, of string) jsonread.Value {
	return r.from.List(func(i int) error {
		var name string
		err := r.from.Text(&name)("a name in " + of)
		if err == nil {
			err = r.take(len(name) + 256) // also in the maps of those who match names
		}
		*list = append((*list)[:i], name)
		return err
	})
}

// values reads a list of time points, which are lists of values.
func (r *reader) values() jsonread.Value {
	number := r.from.Float(&r.number)
	row := r.from.List(func(int) error { return r.add(&r.Values, number, "a value") })
	return r.from.List(func(timepoint int) error {
		if timepoint == 0 {
			r.Values = r.Values[:0]
		}
		before := len(r.Values)
		err := row("a time point in values")
		if err != nil {
			return err
		}
		width := len(r.Values) - before
		if timepoint == 0 {
			r.Width = width
		}
		if width != r.Width {
			return fmt.Errorf("time point %d has %d values, time point 0 has %d; write null for a missing value", timepoint,
				width, r.Width)
		}
		return nil
	})
}

// times reads a list of times, and what float64 leaves out of each.
func (r *reader) times() jsonread.Value {
	number := r.from.Digits(&r.number, &r.digits)
	return r.from.List(func(i int) error {
		r.Times, r.rests = r.Times[:i], r.rests[:min(i, len(r.rests))]
		err := r.add(&r.Times, number, "a time")
		if err != nil {
			return err
		}
		rest := exact.Rest(r.digits, r.number)
		if rest != 0 && r.rests == nil {
			err = r.take(2 * 8 * (i + 1))
			if err != nil {
				return err
			}
			r.rests = make([]float64, i)
		}
		if r.rests == nil {
			return nil
		}
		r.rests = append(r.rests, rest)
		return r.take(2 * 8)
	})
}

// mostStretch bounds the time points that Even makes for each time point of a recording: a pause in it is no series.
const mostStretch = 4

// EvenFactors reports whether numbers rise, or fall, by about the same factor, over more than a factor of three in all.
func EvenFactors(numbers []float64) bool {
	const (
		least   = 8
		most    = 3    // a factor that even steps hardly have
		rounded = 0.25 // of the logarithm of a factor
	)
	n := len(numbers)
	if n < least || !(slices.Min(numbers) > 0) {
		return false
	}
	all := math.Log(numbers[n-1] / numbers[0])
	step := all / float64(n-1)
	for i := range n - 1 {
		if math.Abs(math.Log(numbers[i+1]/numbers[i])-step) > rounded*math.Abs(step) {
			return false
		}
	}
	return math.Abs(all) > math.Log(most)
}

// pause returns an error if the times of a recording have a pause so long that no series of its usual step holds both
// sides of it.
func (r *Recording) pause() error {
	count, at := len(r.Times), 0
	for i := range max(0, count-1) {
		if r.Times[i+1]-r.Times[i] > r.Times[at+1]-r.Times[at] {
			at = i
		}
	}
	if count < 4 {
		return nil
	}
	from, to := r.Times[at], r.Times[at+1]
	span, most := r.Times[count-1]-r.Times[0], float64(mostStretch*count)
	if span*r.Rate() <= most {
		return nil
	}
	if EvenFactors(r.Times) {
		return fmt.Errorf("its times from %s to %s are even factors of one another, as on a logarithmic axis, and a series "+
			"has even steps: write the logarithms in their place, or leave their column out", r.Written.Text(r.Times[0]),
			r.Written.Text(r.Times[count-1]))
	}
	inBursts := longStep*usualStep(r.Times) >= to-from
	if inBursts || (to-from)*float64(count) <= mostStretch*span {
		return fmt.Errorf("its times come in groups, %.4g apart within them and up to %.4g between: correct the times, or "+
			"leave their column out",
			1/r.Rate(), to-from)
	}
	pause := fmt.Sprintf("nothing was measured from time %s to %s, %.4g times as long as its usual step",
		r.Written.Text(from), r.Written.Text(to), (to-from)*r.Rate())
	if r.isWindow {
		return errors.New(pause)
	}
	advice := "cut the recording there, or into windows, which leave pauses out"
	if at == 0 || at == count-2 {
		advice = "if that time is wrong, as of a clock before it was set, leave its line out; else " + advice
	}
	return fmt.Errorf("%s: %s", pause, advice)
}
