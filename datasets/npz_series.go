package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/gomlx/gomlx/support/xslices"
)

// seriesReader holds the recordings of a file as they are there, `[samples, sensors, timepoints, axes]`.
type seriesReader struct {
	values     []float32
	timepoints int     // of the longest
	lengths    []int64 // of each sample; nil: NaN after its end
	names      []string
	rate       float64   // time points for each unit of time; 0: unknown
	times      []float64 // `[timepoints]` or `[samples, timepoints]`; nil: even
	buffer     []float64 // of the last recording
	untimed    bool      // Options.Form has a rate, and the file has neither that nor times
	other      bool      // its sensors are not those of Options.Form in their order, and are taken by their names
}

// readSeries reads `series`, [samples, timepoints] of one sensor, [samples, sensors, timepoints] or [samples, sensors,
// timepoints, axes], and what belongs to it.
func (r *npzReader) readSeries() error {
	if r.Has("features") {
		return errors.New("features and series are both there; keep one: series if the samples are recordings in time")
	}
	a, err := r.Narrow("series")
	if err == nil {
		r.taken = append(r.taken, ArrayInfo{"series", a.Shape, a.Kind()})
		err = r.takeSeries(a)
	}
	s := r.series
	if s == nil {
		return err
	}
	bad := [4]error{err}
	s.lengths, bad[1] = optional(r, "lengths", r.samples, "samples of series", (*npz.Array).Ints)
	s.names, bad[2] = optional(r, "sensor_names", r.nodes, "sensors of series", (*npz.Array).Strings)
	bad[3] = r.readTimes()
	var wrong npz.Wrong
	for i, length := range s.lengths {
		if length < 1 || length > int64(s.timepoints) {
			wrong.Add("lengths[%d] is %d; want 1 to the %d time points of series", i, length, s.timepoints)
		}
	}
	r.warnTurned()
	err = errors.Join(append(bad[:], wrong.Err("lengths"))...)
	if err != nil {
		s.values = nil
	}
	return err
}

// warnTurned warns of series that may be [samples, timepoints, sensors]: there are many more sensors than time points,
// or more, and series change much less from sensor to sensor than in time. No array says which axis is which.
func (r *npzReader) warnTurned() {
	s, why := r.series, ""
	switch {
	case s.timepoints < 2 || s.names != nil || r.nodes <= s.timepoints:
		return
	case r.nodes > 8*s.timepoints:
	case r.smootherOverSensors():
		why = ", and changes much less from sensor to sensor than in time"
	default:
		return
	}
	appendf(&r.raw.Warnings, "series has %d sensors at %d time points%s; if it is [samples, timepoints, sensors], "+
		"transpose it (series.transpose(0, 2, 1))", r.nodes, s.timepoints, why)
}

// smootherOverSensors reports that series change less than half as much from sensor to sensor as from time point to
// time point.
func (r *npzReader) smootherOverSensors() bool {
	const some = 100 // samples are enough
	axes := r.raw.Channels
	perSensor := r.series.timepoints * axes
	sensors, times := 0.0, 0.0
	for i := range min(some, r.samples) {
		sample := r.sample(i)
		for at := range sample {
			inTime, overSensors := at%perSensor+axes < perSensor, at+perSensor < len(sample)
			if !inTime || !overSensors {
				continue
			}
			overTime := math.Abs(float64(sample[at+axes] - sample[at]))
			across := math.Abs(float64(sample[at+perSensor] - sample[at]))
			if both := overTime + across; both == both { // else a value is missing
				times, sensors = times+overTime, sensors+across
			}
		}
	}
	return 2*sensors < times
}

// warnPadding warns of recordings that seem to be filled up to one length: at their ends, or at their begins, every
// sensor has one value for several time points, and no time point elsewhere in the file is so. An import has told of
// such ends.
func (r *npzReader) warnPadding() {
	if r.raw.Recorded != nil || r.series.timepoints < 2 {
		return
	}
	for _, end := range []struct {
		where, way string
		back       bool
	}{{"from some time point to the end", "store NaN there, or the array lengths [samples]", true},
		{"from the begin to some time point", "store NaN there", false}} {
		p := r.paddingOf(end.back)
		if p.samples < 2 || !p.several || r.timepointsOf(p.value) != p.timepoints {
			continue
		}
		appendf(&r.raw.Warnings, "every sensor is %g %s in %d of %d series (the first: series[%d], %d time points), and "+
			"nowhere else: if that fills recordings up to one length, %s", p.value, end.where, p.samples, r.samples, p.first,
			p.of, end.way)
	}
}

// padding are time points at one end of several series at which all sensors have one value.
type padding struct {
	value      float32
	samples    int
	timepoints int  // of all of them
	several    bool // they are not as many in each series
	first, of  int  // the first of the series, and its time points of that kind
}

// paddingOf finds time points at the end of series, or at their begin, at which all sensors have one value, that of
// the first series with several of them.
func (r *npzReader) paddingOf(back bool) (p padding) {
	const several = 2 // time points that are no chance
	values, counts := make([]float32, r.samples), make([]int, r.samples)
	first := -1
	for i := range r.samples {
		values[i], counts[i] = r.uniformEnd(i, back)
		if first < 0 && counts[i] >= several {
			first = i
		}
	}
	if first < 0 {
		return p
	}
	p = padding{value: values[first], first: first, of: counts[first]}
	for i, count := range counts {
		if count > 0 && values[i] == p.value {
			p.samples, p.timepoints = p.samples+1, p.timepoints+count
		}
		p.several = p.several || count != p.of || values[i] != p.value
	}
	return p
}

// uniformEnd counts the time points at the end of a series, or at its begin, at which all sensors have one value. It
// is 0 if the whole series is so.
func (r *npzReader) uniformEnd(i int, back bool) (value float32, count int) {
	n := r.timepoints(i)
	for ; count < n; count++ {
		at := count
		if back {
			at = n - 1 - count
		}
		one, uniform := r.uniform(i, at)
		if !uniform || count > 0 && one != value {
			return value, count
		}
		value = one
	}
	return 0, 0
}

// uniform reports that all sensors have one value at a time point, which is not missing.
func (r *npzReader) uniform(i, timepoint int) (value float32, ok bool) {
	sample, axes := r.sample(i), r.raw.Channels
	value = sample[timepoint*axes]
	for sensor := range r.nodes {
		for _, v := range sample[(sensor*r.series.timepoints+timepoint)*axes:][:axes] {
			if v != value {
				return 0, false
			}
		}
	}
	return value, value == value
}

// timepointsOf counts the time points of all series at which every sensor has a value.
func (r *npzReader) timepointsOf(value float32) (count int) {
	for i := range r.samples {
		for timepoint := range r.timepoints(i) {
			if one, uniform := r.uniform(i, timepoint); uniform && one == value {
				count++
			}
		}
	}
	return count
}

// takeSeries takes the values of series and their shape.
func (r *npzReader) takeSeries(a *npz.Array) error {
	if len(a.Shape) == 2 { // of one sensor
		a.Shape = slices.Insert(slices.Clone(a.Shape), 1, 1)
	}
	if len(a.Shape) < 3 || len(a.Shape) > 4 || slices.Contains(a.Shape, 0) {
		return fmt.Errorf("series has shape %v; want [samples, timepoints] of one sensor, [samples, sensors, timepoints] or "+
			"[samples, sensors, timepoints, axes], none of them 0", a.Shape)
	}
	values, _, err := r.float32s("series", a, true, "replace it, or store NaN for a missing value")
	if values == nil {
		return err
	}
	axes := 1
	if len(a.Shape) == 4 {
		axes = a.Shape[3]
	}
	r.samples, r.nodes, r.raw.Nodes, r.raw.Channels = a.Shape[0], a.Shape[1], a.Shape[1], axes
	r.series = &seriesReader{values: values, timepoints: a.Shape[2]}
	if r.skip != nil {
		err = nil // prepareSeries leaves out the samples whose values are wrong
	}
	if err != nil {
		r.series.values = nil
	}
	return err
}

// readTimes reads `rate`, time points for each unit of time, or `times`, [timepoints] or [samples, timepoints].
func (r *npzReader) readTimes() error {
	s := r.series
	if r.Has("rate") {
		a, err := r.Array("rate")
		if err != nil {
			return err
		}
		rate, err := a.Floats()
		if err != nil || len(rate) != 1 || !(rate[0] > 0) || math.IsInf(rate[0], 1) {
			return errors.New("rate must be one number above 0: time points for each second, or other unit of time")
		}
		s.rate = rate[0]
	}
	if !r.Has("times") {
		return nil
	}
	if s.rate > 0 {
		return errors.New("rate and times are both there; keep one")
	}
	a, err := r.Array("times")
	if err != nil {
		return err
	}
	if !slices.Equal(a.Shape, []int{s.timepoints}) && !slices.Equal(a.Shape, []int{r.samples, s.timepoints}) {
		return fmt.Errorf("times has shape %v; want [%d] or [%d, %[2]d], the time points of series", a.Shape,
			s.timepoints, r.samples)
	}
	s.times, err = a.Floats()
	switch whole := a.Data.(type) {
	case []int64:
		s.countFromFirst(whole, r.raw)
	case []uint64: // a difference of two is right beyond the largest int64, too
		s.countFromFirst(xslices.Map(whole, func(at uint64) int64 { return int64(at) }), r.raw)
	}
	if err == nil {
		r.warnUntimed()
	}
	return err
}

// warnUntimed warns of values after the last time of a recording, which are left out.
func (r *npzReader) warnUntimed() {
	s, lost, first := r.series, 0, ""
	for i := range r.samples {
		at := i % (len(s.times) / s.timepoints)
		times := s.times[at*s.timepoints:][:r.timepoints(i)]
		end := len(times)
		for end > 0 && math.IsNaN(times[end-1]) {
			end--
		}
		if end < len(times) && r.hasValue(i, end, len(times)) {
			lost++
			first = cmp.Or(first, fmt.Sprintf("series[%d], from time point %d", i, end))
		}
	}
	if lost > 0 {
		appendf(&r.raw.Warnings, "times are NaN at the ends of %d of %d series that have values there (the first: %s); "+
			"these are left out: store their times, or NaN in series if nothing was measured", lost, r.samples, first)
	}
}

// hasValue reports that a sensor has a value at one of the time points from..to.
func (r *npzReader) hasValue(i, from, to int) bool {
	axes := r.raw.Channels
	if r.series.values == nil {
		return false
	}
	for block := range slices.Chunk(r.sample(i), r.series.timepoints*axes) { // of a sensor
		if slices.ContainsFunc(block[from*axes:to*axes], func(v float32) bool { return v == v }) {
			return true
		}
	}
	return false
}

// countFromFirst counts the times of each recording from its first if some are beyond the integers that float64 holds,
// such as nanoseconds since 1970. Those after the end of a recording do not matter.
func (s *seriesReader) countFromFirst(times []int64, raw *Raw) {
	const exact = 1 << 53
	if len(times) == 0 || !slices.ContainsFunc(times, func(at int64) bool { return at > exact || at < -exact }) {
		return
	}
	for i, at := range times {
		s.times[i] = float64(at - times[i-i%s.timepoints])
	}
	raw.Notes = append(raw.Notes,
		"times have more digits than float64 holds; those of each recording are counted from its first")
}

// seriesOfFeatures makes recordings of one time point of features with missing values: nodes are sensors.
func (r *npzReader) seriesOfFeatures(values []float32) {
	// readNames tells what is wrong
	names, _ := optional(r, "node_names", r.nodes, "nodes of features", (*npz.Array).Strings)
	r.series = &seriesReader{values: values, timepoints: 1, names: names}
}

// gaps reports whether a sensor has no value in a sample.
func (r *npzReader) gaps() bool {
	axes := r.raw.Channels
	for i := range r.samples {
		for block := range slices.Chunk(r.sample(i), r.series.timepoints*axes) { // of a sensor
			for axis := range axes {
				there := false
				for at := axis; at < r.timepoints(i)*axes && !there; at += axes {
					there = !math.IsNaN(float64(block[at]))
				}
				if !there {
					return true
				}
			}
		}
	}
	return false
}

// timepoints counts the time points of sample i.
func (r *npzReader) timepoints(i int) int {
	if r.series.lengths == nil {
		return r.series.timepoints
	}
	return int(r.series.lengths[i])
}

// sample returns the values of sample i, `[sensors, timepoints, axes]`.
func (r *npzReader) sample(i int) []float32 {
	size := r.nodes * r.series.timepoints * r.raw.Channels
	return r.series.values[i*size : (i+1)*size : (i+1)*size]
}

// recording returns sample i, `[timepoints, sensors, axes]`. It is valid until the next call.
func (r *npzReader) recording(i int) recording.Recording {
	s, sensors, axes, timepoints := r.series, r.nodes, r.raw.Channels, r.timepoints(i)
	one, sample := recording.Recording{Values: s.buffer[:0]}, r.sample(i)
	for timepoint := range timepoints {
		for sensor := range sensors {
			for _, v := range sample[(sensor*s.timepoints+timepoint)*axes:][:axes] {
				one.Values = append(one.Values, float64(v))
			}
		}
	}
	s.buffer = one.Values
	if s.times != nil {
		at := i % (len(s.times) / s.timepoints)
		one.Times = slices.Clone(s.times[at*s.timepoints:][:timepoints])
		for len(one.Times) > 0 && math.IsNaN(one.Times[len(one.Times)-1]) { // after the end, as the values
			one.Times = one.Times[:len(one.Times)-1]
		}
		one.Values = one.Values[:len(one.Times)*sensors*axes]
	} else if s.rate > 0 && r.opts.Form != nil && r.opts.Form.Rate > 0 && (r.opts.Form.Rate != s.rate || s.other) {
		for timepoint := range timepoints {
			one.Times = append(one.Times, float64(timepoint)/s.rate)
		}
	}
	return one
}

// learned gives a form what the training has learned, and no more, or learns it. Sensors of which some are the
// training's take their names and their order.
func (r *npzReader) learned(form *recording.Form) (err error) {
	o, s := r.opts.Form, r.series
	if o == nil {
		form.Filled = form.Filled || r.gaps()
		if form.Filled && form.Fill == nil {
			form.Fill, err = r.learnFill(form)
		}
		return err
	}
	form.Rate, form.Zeros, form.Filled, form.Fill, form.Gaps = cmp.Or(o.Rate, form.Rate), o.Zeros, o.Filled, o.Fill, o.Gaps
	if s.names == nil && r.raw.Recorded == nil || form.Channels != o.Channels || slices.Equal(form.Sensors, o.Sensors) {
		return nil
	}
	if _, missing, _, _ := suggest.Match(o.Sensors, form.Sensors); len(missing) < len(o.Sensors) {
		named := recording.Form{Sensors: form.Sensors, Channels: form.Channels}
		s.other, form.Sensors, err = true, o.Sensors, named.Check()
	}
	return err
}

// visit calls add with the values of the columns from..to, `[sensors, axes]`, of all recordings up to their ends.
func (r *npzReader) visit(from, to int, add func(column int, value float32)) {
	axes := r.raw.Channels
	for i := range r.samples {
		sample, timepoints := r.sample(i), r.timepoints(i)
		for sensor := from / axes; sensor*axes < to; sensor++ {
			first, end := max(from, sensor*axes), min(to, (sensor+1)*axes)
			for timepoint := range timepoints {
				row := sample[(sensor*r.series.timepoints+timepoint)*axes:]
				for column := first; column < end; column++ {
					add(column, row[column-sensor*axes])
				}
			}
		}
	}
}

// readRecordings makes the raw series of the recordings: without gaps, at even time points.
func (r *npzReader) readRecordings() error {
	s, raw := r.series, r.raw
	if s == nil || s.values == nil {
		return nil
	}
	form := r.form()
	own := form.Sensors
	err := r.learned(form)
	if err != nil {
		return err
	}
	if r.opts.Form == nil {
		r.warnGaps(form.Width(), r.visit,
			func(column int) string { return recording.Column(form.Sensors, form.Channels, column) })
	}
	r.warnPadding()
	changes, err := r.prepareSeries(form, own)
	if err != nil {
		return err
	}
	if s.other { // what the file has for its own sensors does not fit
		r.nodes, raw.Nodes = len(form.Sensors), len(form.Sensors)
		raw.Graph, raw.Coordinates, raw.Parts = r.opts.Graph, nil, nil
	}
	first := slices.IndexFunc(raw.SampleNotes, func(notes []string) bool { return notes != nil })
	if first >= 0 {
		appendf(&raw.Warnings, "series[%d]: %s", first, strings.Join(raw.SampleNotes[first], "; "))
	}
	if n := changes.Interpolated; n > 0 {
		raw.Notes = append(raw.Notes, fmt.Sprintf("%d missing values were interpolated in time", n))
	}
	if n := changes.Filled; n > 0 {
		raw.Notes = append(raw.Notes,
			fmt.Sprintf("%d missing values were filled by neighbours or the mean of the training samples", n))
	}
	raw.record(*form, r.opts)
	return nil
}

// form returns the form of an import, or makes one of the names and the rate that the file has. Sensors without a name
// get that of the training, or a number.
func (r *npzReader) form() *recording.Form {
	s, form := r.series, r.raw.Recorded
	if form != nil && s.times == nil {
		s.rate = cmp.Or(s.rate, form.Rate)
	}
	if form == nil {
		form = &recording.Form{Sensors: s.names, Channels: r.raw.Channels, Rate: s.rate}
		if o := r.opts.Form; s.names == nil && o != nil && len(o.Sensors) == r.nodes {
			form.Sensors = o.Sensors
		}
		if known := len(form.Sensors); known < r.nodes {
			form.Sensors = append(form.Sensors, recording.Numbered(known, r.nodes)...)
		}
	}
	if form.Rate == 0 && s.times != nil {
		form.Rate = recording.Rate(r.samples, r.recording)
	}
	o := r.opts.Form
	s.untimed = o != nil && o.Rate > 0 && form.Rate == 0
	return form
}

// prepareSeries fills the gaps of each recording and makes its time points even, in the memory of what was read. own
// are the file's names of the sensors.
func (r *npzReader) prepareSeries(form *recording.Form, own []string) (changes recording.Changes, err error) {
	plain := *form
	plain.Origin, plain.Untracked = "", false // what an import has done
	r.raw.Series = make([][]float32, r.samples)
	checked := false
	uneven, rate := 0, 0
	for i := range r.raw.Series {
		one := r.recording(i)
		if !checked || r.series.other { // else the names are checked once
			one.Sensors = own
		}
		changed, err := plain.Prepare(&one)
		checked = checked || err == nil
		if err != nil && r.skip != nil {
			r.skip(i, err)
			continue
		}
		if err != nil {
			return changes, fmt.Errorf("series[%d]: %w", i, err)
		}
		changes.Add(changed)
		if r.series.untimed && one.Timepoints() > 1 {
			changed.Notes = append(changed.Notes, r.opts.Form.RateNote())
		}
		if changed.Notes != nil {
			if r.raw.SampleNotes == nil {
				r.raw.SampleNotes = make([][]string, r.samples)
			}
			r.raw.SampleNotes[i] = changed.Notes
		}
		switch byTimes, byRate := plain.Resamples(one); {
		case byTimes:
			uneven++
		case byRate:
			rate++
		}
		r.raw.Series[i] = plain.Even(one, r.sample(i))
	}
	r.noteResampled(uneven, rate, plain.Rate)
	r.series.values = nil
	return changes, nil
}

// noteResampled notes how many series were resampled, unless they are to test a classifier, and why.
func (r *npzReader) noteResampled(uneven, rate int, to float64) {
	if r.opts.Form != nil {
		return
	}
	if uneven > 0 {
		appendf(&r.raw.Notes, "times are uneven in %d of %d series: values are interpolated at even times", uneven, r.samples)
	}
	if rate > 0 {
		appendf(&r.raw.Notes, "%d of %d series have another rate than most: resampled to %.4g time points a unit of time",
			rate, r.samples, to)
	}
}

// learnFill learns from the training samples, or from all if there are none, what sensors without a value are filled
// with.
func (r *npzReader) learnFill(form *recording.Form) (*recording.Fill, error) {
	samples, graph := loop.Indices(r.samples), r.raw.Graph
	if s := r.raw.Split; s != nil && len(s.Train) > 0 {
		samples = s.Train
	}
	var links [][2]int
	switch {
	case graph != nil:
		for _, edge := range graph.EdgeList() {
			if edge.I != edge.J {
				links = append(links, [2]int{edge.I, edge.J})
			}
		}
	case r.nodes <= allLinked:
		for a := range r.nodes {
			for b := a + 1; b < r.nodes; b++ {
				links = append(links, [2]int{a, b})
			}
		}
	}
	return recording.NewFill(form.Sensors, form.Channels, links, func(yield func(row []float64)) {
		for _, i := range samples {
			for row := range slices.Chunk(r.recording(i).Values, form.Width()) {
				yield(row)
			}
		}
	})
}
