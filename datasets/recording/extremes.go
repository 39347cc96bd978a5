package recording

// Extremes are the least and the greatest of some values, and the next ones that differ from them.
type Extremes struct {
	least, most [2]float64
	times       [2]int // that the least and the greatest come
	begun       bool
}

// Add takes a value that is a number.
func (e *Extremes) Add(v float64) {
	if !e.begun {
		*e = Extremes{least: [2]float64{v, v}, most: [2]float64{v, v}, begun: true}
	}
	e.add(v, 1, &e.least, &e.times[0])
	e.add(v, -1, &e.most, &e.times[1])
}

// add takes a value for one end, where a lower value times sign is more extreme.
func (e *Extremes) add(v, sign float64, end *[2]float64, times *int) {
	switch {
	case v == end[0]:
		*times++
	case sign*v < sign*end[0]:
		*end, *times = [2]float64{v, end[0]}, 1
	case end[1] == end[0] || sign*v < sign*end[1]:
		end[1] = v
	}
}

// Range returns the least and the greatest value.
func (e *Extremes) Range() (least, most float64) { return e.least[0], e.most[0] }

// Gap returns a value far outside the range of all others, and how often it comes. Instruments write such a value, as -9999, where they
// measured nothing. One that comes less than three times must lie further outside.
func (e *Extremes) Gap() (value float64, times int, ok bool) {
	for i, end := range [2][2]float64{e.least, e.most} {
		others := e.most[0] - e.least[1]
		if i == 1 {
			others = e.most[1] - e.least[0]
		}
		if far := max(end[0]-end[1], end[1]-end[0]); others > 0 && (far > 1000*others || far > 10*others && e.times[i] >= 3) {
			return end[0], e.times[i], true
		}
	}
	return 0, 0, false
}
