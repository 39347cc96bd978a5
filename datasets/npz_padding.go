package datasets

// This file warns of series that seem to be filled up to one length with a constant value.

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
		{"from the begin to some time point", "store NaN there if its sensors started late, and else move the values to " +
			"the front and store NaN at the end", false}} {
		p := r.paddingOf(end.back)
		if p.samples < 2 || !p.differs || r.timepointsOf(p.value) != p.timepoints {
			continue
		}
		appendf(&r.raw.Warnings, "every sensor is %g %s in %d of %d series (the first: series[%d], %d time points), and "+
			"nowhere else: if that fills recordings up to one length, %s", p.value, end.where, p.samples, r.samples, p.first,
			p.ofFirst, end.way)
	}
}

// padding are time points at one end of several series at which all sensors have one value.
type padding struct {
	value      float32
	samples    int
	timepoints int  // of all of them
	differs    bool // the series differ in the number or the value of these time points
	first      int  // the first series with several such time points
	ofFirst    int  // how many it has
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
	p = padding{value: values[first], first: first, ofFirst: counts[first]}
	for i, count := range counts {
		if count > 0 && values[i] == p.value {
			p.samples, p.timepoints = p.samples+1, p.timepoints+count
		}
		p.differs = p.differs || count != p.ofFirst || values[i] != p.value
	}
	return p
}

// uniformEnd counts the time points at the end of a series, or at its begin, at which all sensors have one value, the
// same at all of them. It is 0 if the whole series is so.
func (r *npzReader) uniformEnd(i int, back bool) (value float32, count int) {
	n := r.timepoints(i)
	for ; count < n; count++ {
		timepoint := count
		if back {
			timepoint = n - 1 - count
		}
		shared, isUniform := r.uniform(i, timepoint)
		isSame := count == 0 || shared == value
		if !isUniform || !isSame {
			return value, count
		}
		value = shared
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
			shared, isUniform := r.uniform(i, timepoint)
			if isUniform && shared == value {
				count++
			}
		}
	}
	return count
}
