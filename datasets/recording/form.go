package recording

// This file holds what makes recordings comparable, the form, and says whether two forms fit each other.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/internal/text"
)

// Form says how a recording becomes a series of even time points, and a series a signal `[frames, sensors, channels]`.
// The .npz file and the checkpoint carry it.
type Form struct {
	Sensors  []string `json:"sensors"`
	Channels int      `json:"channels"`
	Frames   int      `json:"frames,omitempty"` // of a signal; 0 until a training chooses them
	Zeros    bool     `json:"zeros,omitempty"`  // a sensor without any value becomes zeros, instead of an error
	Filled   bool     `json:"filled,omitempty"` // or is filled by Fill; until Fill is learned, its values stay missing
	Fill     *Fill    `json:"fill,omitempty"`
	Origin   string   `json:"origin,omitempty"` // the sensor whose first value is subtracted from all; "" for none
	// Scale says whether each sensor's channels are normalised by their own means and deviations. Else all sensors are
	// alike. nil leaves it to the training samples.
	Scale *bool `json:"scale,omitempty"`
	// Rate is the number of time points for each unit of a recording's times; 0: unknown.
	Rate float64 `json:"rate,omitempty"`
	// Shortest and Longest are the least and the greatest number of time points of a training sample; 0: unknown.
	Shortest int `json:"shortest,omitempty"`
	Longest  int `json:"longest,omitempty"`
	// Gaps are values that stand for missing ones, as -9999 does in the files of some instruments.
	Gaps []float64 `json:"gaps,omitempty"`
	// Second is a second in the unit of the times, such as 1000 if that is a millisecond; 0: unknown, and taken for 1.
	Second float64 `json:"second,omitempty"`
	// Untracked says that nothing was measured at a time point at which every sensor is 0 in each channel, as before a
	// body is tracked. No body has all its joints in one place. Forms of 0.1.0 take such a time point for values.
	Untracked bool `json:"untracked,omitempty"`
	// Holes are the most that lies in holes of a training recording; nil: unknown, as in forms of before.
	Holes *Holes `json:"holes,omitempty"`
	// Cut says how an import cut its recordings into windows; nil for whole recordings.
	Cut *Cut `json:"cut,omitempty"`
	// Rest names the class of what had none in the streams of an import; "" if that was left out. Ahead is how long before
	// an event the windows end that have its class; 0 unless it is an early warning.
	Rest  string `json:"rest,omitempty"`
	Ahead Span   `json:"ahead,omitzero"`
	// Axis is what the time points are, if headings were an axis; nil: time.
	Axis    *Axis           `json:"axis,omitempty"`
	Reading json.RawMessage `json:"reading,omitempty"` // the settings that the program reads files with
}

// Lasting writes a duration in the unit of the times, such as 1.5 s; of recordings without times, in time points.
func (f *Form) Lasting(duration float64) string {
	if f.Rate == 0 {
		return fmt.Sprintf("%.3g time points", duration)
	}
	return fmt.Sprintf("%.3g s", duration/cmp.Or(f.Second, 1))
}

// Step writes how far time points are apart at a rate: in seconds where the unit of the times is known, as that of
// dates is, such as 0.1 s, and else as 0.1 of time.
func (f *Form) Step(rate float64) string {
	if f.Second == 0 {
		return f.length(1/rate) + " of time"
	}
	return f.length(1 / rate)
}

// length writes a time in seconds where its unit is known, and else as a number.
func (f *Form) length(time float64) string {
	if f.Second == 0 {
		return fmt.Sprintf("%.4g", time)
	}
	return fmt.Sprintf("%.4g s", time/f.Second)
}

// Lasts returns how long so many time points last, in the unit of the times; of recordings without times, their number.
// It has the digits that tell thousandths of a time point apart.
func (f *Form) Lasts(timepoints int) float64 {
	if f.Rate == 0 {
		return float64(timepoints)
	}
	return text.ToStep(float64(timepoints)/f.Rate, 1/f.Rate)
}

// Width returns the number of values of a time point.
func (f *Form) Width() int { return len(f.Sensors) * f.Channels }

// Axes returns the names of the channels in their order, as the columns hip.x and hip.y of an import have them; nil if
// they have none.
func (f *Form) Axes() (names []string) {
	var read struct {
		Take []string `json:"take"`
	}
	if f.Channels < 2 || f.Reading == nil || json.Unmarshal(f.Reading, &read) != nil || len(read.Take) != f.Width() {
		return nil
	}
	for i, column := range read.Take {
		axis, ok := strings.CutPrefix(column, f.Sensors[i/f.Channels]+".")
		switch {
		case !ok || i >= f.Channels && axis != names[i%f.Channels]:
			return nil
		case i < f.Channels:
			names = append(names, axis)
		}
	}
	return names
}

// Alone reports whether each sensor is normalised by itself.
func (f *Form) Alone() bool { return f.Scale != nil && *f.Scale }

// Check returns an error if a form is not usable, such as one of a file.
func (f *Form) Check() error {
	for i, name := range f.Sensors {
		if suggest.Tidy(name) == "" {
			return fmt.Errorf("its sensor %d has no name; name each sensor", i)
		}
	}
	if err := distinct(f.Sensors); err != nil {
		return err
	}
	if len(f.Sensors) > 0 && f.Channels > 0 && f.Frames >= 0 && f.Rate >= 0 && f.Second >= 0 &&
		(f.Origin == "" || slices.Contains(f.Sensors, f.Origin)) && f.Fill.fits(len(f.Sensors), f.Channels) &&
		f.Holes.fits(len(f.Sensors)) {
		return nil
	}
	return fmt.Errorf("recording is of %d sensors, origin %q and %d channels, which do not fit together; import the "+
		"recordings again, or leave the array out", len(f.Sensors), f.Origin, f.Channels)
}

// Fits returns an error if series of another form are not what f was made of.
func (f *Form) Fits(other *Form) error {
	show := func(f *Form) string {
		if f == nil {
			return "no recordings"
		}
		return fmt.Sprintf("recordings with %d channels of the sensors %s, origin %q", f.Channels,
			suggest.Few(f.Sensors), f.Origin)
	}
	if f != nil && other != nil {
		if was, is := f.Axes(), other.Axes(); !slices.Equal(was, is) &&
			slices.Equal(slices.Sorted(slices.Values(was)), slices.Sorted(slices.Values(is))) {
			return fmt.Errorf("the data has the channels %s, the training data %s: import both anew, or both with ccp data "+
				"import --take in one order",
				strings.Join(is, ", "), strings.Join(was, ", "))
		}
	}
	switch {
	case (f == nil) != (other == nil), f != nil && (f.Channels != other.Channels || f.Origin != other.Origin ||
		!slices.Equal(f.Sensors, other.Sensors)):
		return fmt.Errorf("the data holds %s, the training data %s; name and import them alike", show(other), show(f))
	}
	return nil
}

// distinct returns an error if two sensors have names that suggest.Match takes for one.
func distinct(sensors []string) error {
	seen := map[string]bool{}
	for _, name := range sensors {
		key := suggest.Tidy(name)
		if seen[key] {
			return fmt.Errorf("it has two sensors named %q; name them apart", suggest.Clip(name))
		}
		seen[key] = true
	}
	return nil
}

// fits reports that holes, which may be nil, are of so many sensors.
func (h *Holes) fits(sensors int) bool {
	return h == nil || len(h.Sensors) == sensors && len(h.Longest) == sensors
}
