package recording

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/text"
)

// ErrNoForm says that a classifier was not trained on recordings.
var ErrNoForm = errors.New("the classifier was trained on signals, not on recordings; store recordings as series, " +
	"or import them with ccp data import, and train on that file")

// Series returns the values of a recording at even time points, `[timepoints, sensors, channels]`, and leaves the
// recording as it is. If the form has a rate and the recording has times, the time points have that rate. The notes say
// what a person should know, such as sensors in another order, after Recording.Notes. The error names the recording,
// the sensor and the time point. Without a form it is ErrNoForm. Recording.Series comes back as it is.
func (f *Form) Series(r Recording) (values []float32, notes []string, err error) {
	if f == nil {
		return nil, nil, ErrNoForm
	}
	if r.Series != nil {
		return r.Series, r.Notes, nil
	}
	r.Values = slices.Clone(r.Values)                     // the caller's stay as they are
	r.rateTold = r.rateTold || r.isPart && r.Times != nil // of all windows together
	changes, err := f.Prepare(&r)
	notes = slices.Concat(r.Notes, changes.Notes)
	if err != nil && r.Name != "" {
		err = fmt.Errorf("%s: %w", r.Name, err)
	}
	if err != nil {
		return nil, notes, err
	}
	note, err := f.Judge(changes.Holes)
	if err != nil && r.Name != "" {
		err = fmt.Errorf("%s: %w", r.Name, err)
	}
	if err != nil {
		return nil, notes, err
	}
	values, notes = f.evenly(r, notes, note)
	return values, notes, nil
}

// evenly returns the values of a prepared recording at even time points, and the notes with one of its holes, if that
// is not "", and that of its rate.
func (f *Form) evenly(r Recording, notes []string, ofHoles string) ([]float32, []string) {
	if ofHoles != "" {
		notes = append(notes, ofHoles)
	}
	if r.Times == nil && !r.rateTold && f.Rate > 0 && r.Timepoints() > 1 {
		notes = append(notes, f.RateNote())
	}
	return f.Even(r, nil), notes
}

// RateNote says that a recording without times is taken at the training's rate.
func (f *Form) RateNote() string {
	return fmt.Sprintf("it has no times; %.4g time points are taken for a second, as in the training",
		cmp.Or(f.Second, 1)*f.Rate)
}

// Even returns the values of a prepared recording at even time points. Without times they are even already. If the form
// has a rate, the time points have it. Else they are as many as the recording's. The result is in room if that
// suffices.
func (f *Form) Even(r Recording, room []float32) []float32 {
	width := f.Width()
	series := slices.Grow(room[:0], len(r.Values))[:len(r.Values)]
	for i, v := range r.Values {
		series[i] = float32(v)
	}
	if len(r.Times) < 2 {
		return series
	}
	g := f.gridOf(&r)
	if g.uneven {
		frames := g.timepoints
		// a sensor with times of its own adds time points, and makes the others no faster
		most := float64(mostStretch * r.Timepoints())
		own := int(min(math.Round(g.span*cmp.Or(r.fastest, g.rate))+1, most))
		if f.Rate > 0 && float64(own) > other*float64(g.timepoints) {
			frames = own // of which Resample takes means
		}
		series = g.interpolate(&r, frames, width)
	}
	if g.timepoints*width == len(series) {
		return series
	}
	resampled := make([]float32, g.timepoints*width)
	Resample(resampled, series, width)
	return resampled
}

// interpolate returns the values at that many even times of the grid, each on the line between the time points before
// and after it.
func (g *grid) interpolate(r *Recording, frames, width int) []float32 {
	even := make([]float32, frames*width)
	at := 0 // the time point before the frame, or the last but one
	for frame := range frames {
		time := g.begin + g.span*float64(frame)/float64(max(1, frames-1))
		for at < len(r.Times)-2 && r.Times[at+1] <= time {
			at++
		}
		part := min(1, max(0, (time-r.Times[at])/(r.Times[at+1]-r.Times[at])))
		for column := range width {
			a, b := r.Values[at*width+column], r.Values[(at+1)*width+column]
			even[frame*width+column] = float32(a + part*(b-a))
		}
	}
	return even
}

// grid are the even times that a recording's series has.
type grid struct {
	begin, span float64
	timepoints  int
	uneven      bool    // the recording's times are not even, so that its values are interpolated
	rate        float64 // of the recording
}

// gridOf returns the even times of a prepared recording with two times or more.
func (f *Form) gridOf(r *Recording) grid {
	count, spacing := len(r.Times), spacingOf(r.Times)
	first, last := r.Times[0], r.Times[count-1]
	g := grid{begin: first, span: last - first, timepoints: count, uneven: !spacing.even, rate: 1 / spacing.step}
	if g.uneven && f.Rate > 0 && r.fastest > 0 { // the even times are those of the sensor that was read most often
		wholeSteps := func(time float64) float64 { return math.Floor(time*r.fastest+1e-6) / r.fastest }
		begin := r.first - wholeSteps(r.first-g.begin)
		g.begin, g.span = begin, r.last+wholeSteps(last-r.last)-begin
	}
	// the span may differ from that of count time points because both ends were rounded
	onlyRounded := math.Abs(g.span*f.Rate-float64(count-1)) <= 1.5*spacing.tick*f.Rate
	if f.Rate > 0 && !onlyRounded {
		g.timepoints = max(1, int(min(math.Round(g.span*f.Rate)+1, float64(mostStretch*count))))
	}
	return g
}

// Resamples says why Even changes the values of a prepared recording: its times are uneven, or it has another number of
// time points at the form's rate. Where neither is so, the values stay as they are.
func (f *Form) Resamples(r Recording) (uneven, rate bool) {
	if len(r.Times) < 2 {
		return false, false
	}
	g := f.gridOf(&r)
	return g.uneven, g.timepoints != len(r.Times)
}

// other is the ratio of a length to those of the training above which a person should know.
const other = 1.1

// Length says what a person should know about the number of time points of a recording; "" if it is like the
// training's.
func (f *Form) Length(timepoints int) string {
	if f.Longest == 0 || float64(timepoints)*other >= float64(f.Shortest) &&
		float64(timepoints) <= other*float64(f.Longest) {
		return ""
	}
	return fmt.Sprintf("it has %s, the training's recordings have %s: the class may be wrong",
		text.Count(timepoints, "time point"), f.Lengths())
}

// Lengths says how many time points the training's recordings have, such as "from 20 to 40".
func (f *Form) Lengths() string {
	if f.Shortest == f.Longest {
		return fmt.Sprint(f.Longest)
	}
	return fmt.Sprintf("from %d to %d", f.Shortest, f.Longest)
}

// Resample writes a series of evenly spaced time points, `[timepoints, width]`, to the evenly spaced frames of dst,
// `[frames, width]`. These begin at the first and end at the last. Between time points it interpolates linearly. If
// frames are fewer, a frame is a mean of the time points around it. The weights are a triangle that reaches to the
// frames beside it. Without this low-pass, fast changes would look like slow ones.
func Resample(dst, series []float32, width int) {
	frames, timepoints := len(dst)/width, len(series)/width
	if frames == timepoints {
		copy(dst, series)
		return
	}
	step, first := float64(timepoints-1)/float64(max(1, frames-1)), 0.0
	if frames == 1 { // the mean of all, most of the middle
		step, first = float64(timepoints), float64(timepoints-1)/2
	}
	half := max(1, step)
	sums := make([]float64, width)
	for frame := range frames {
		centre := first + step*float64(frame)
		clear(sums)
		total := 0.0
		for at := max(0, int(math.Ceil(centre-half))); at <= min(timepoints-1, int(centre+half)); at++ {
			weight := 1 - math.Abs(float64(at)-centre)/half
			if weight <= 0 {
				continue
			}
			total += weight
			for column, v := range series[at*width : (at+1)*width] {
				sums[column] += weight * float64(v)
			}
		}
		for column, sum := range sums {
			dst[frame*width+column] = float32(sum / total)
		}
	}
}
