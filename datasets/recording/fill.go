package recording

import (
	"fmt"
	"math"
	"slices"
)

// Fill says what becomes of a sensor without any value in a recording. Each neighbour with a value predicts it, by the
// line of least squares through the means of both over the training samples. The mean of the predictions is taken, or
// without such a neighbour the sensor's mean.
type Fill struct {
	Mean       []float64   `json:"mean"`       // `[sensors, channels]`, over the training samples
	Neighbours [][]int     `json:"neighbours"` // of each sensor
	Slope      [][]float64 `json:"slope"`      // of each sensor, `[neighbours, channels]`
}

// NewFill takes the means of rows, `[sensors, channels]` with NaN for missing values, and the lines between linked
// sensors. The error names a sensor without any value.
func NewFill(sensors []string, channels int, links [][2]int, rows func(yield func(row []float64))) (*Fill, error) {
	n := len(sensors)
	f := &Fill{Mean: make([]float64, n*channels), Neighbours: make([][]int, n), Slope: make([][]float64, n)}
	count := make([]float64, n*channels)
	rows(func(row []float64) {
		for at, v := range row {
			if !math.IsNaN(v) {
				count[at]++
				f.Mean[at] += (v - f.Mean[at]) / count[at]
			}
		}
	})
	without := slices.Index(count, 0)
	if without >= 0 {
		return nil, fmt.Errorf("%s has no value in any training sample; leave it out (ccp data import --leave)",
			Column(sensors, channels, without))
	}
	for _, link := range links {
		f.Neighbours[link[0]] = append(f.Neighbours[link[0]], link[1])
		f.Neighbours[link[1]] = append(f.Neighbours[link[1]], link[0])
	}
	f.fitSlopes(channels, rows)
	return f, nil
}

// fitSlopes fits a line from each neighbour of a sensor to the sensor, in each channel: its slope is the sum of the
// products of both by the sum of the neighbour's squares, less their means, and 0 if the neighbour does not change.
func (f *Fill) fitSlopes(channels int, rows func(yield func(row []float64))) {
	squares := make([][]float64, len(f.Neighbours)) // of the neighbours
	for sensor, near := range f.Neighbours {
		f.Slope[sensor], squares[sensor] = make([]float64, len(near)*channels), make([]float64, len(near)*channels)
	}
	rows(func(row []float64) {
		for sensor, near := range f.Neighbours {
			for k := range f.Slope[sensor] {
				neighbour, channel := near[k/channels], k%channels
				at, by := sensor*channels+channel, neighbour*channels+channel
				x, y := row[by]-f.Mean[by], row[at]-f.Mean[at]
				if math.IsNaN(x * y) { // one is missing
					continue
				}
				f.Slope[sensor][k] += x * y
				squares[sensor][k] += x * x
			}
		}
	})
	for sensor := range squares {
		for k, square := range squares[sensor] {
			if square == 0 {
				f.Slope[sensor][k] = 0
				continue
			}
			f.Slope[sensor][k] /= square
		}
	}
}

// fits reports that a fill, which may be nil, is of so many sensors and channels.
func (f *Fill) fits(sensors, channels int) bool {
	if f == nil {
		return true
	}
	ok := len(f.Mean) == sensors*channels && len(f.Neighbours) == sensors && len(f.Slope) == sensors
	for sensor, near := range f.Neighbours {
		ok = ok && len(f.Slope[sensor]) == len(near)*channels &&
			!slices.ContainsFunc(near, func(n int) bool { return n < 0 || n >= sensors })
	}
	return ok
}

// apply replaces the missing values of a time point, and returns their number.
func (f *Fill) apply(row []float64, channels int) (filled int) {
	if !slices.ContainsFunc(row, math.IsNaN) { // as nearly all are
		return 0
	}
	was := slices.Clone(row)
	for at, v := range was {
		if !math.IsNaN(v) {
			continue
		}
		filled++
		row[at] = f.Mean[at]
		sum, n := 0.0, 0
		for k, near := range f.Neighbours[at/channels] {
			by := near*channels + at%channels
			x := was[by] - f.Mean[by]
			if !math.IsNaN(x) {
				sum += f.Slope[at/channels][k*channels+at%channels] * x
				n++
			}
		}
		if n > 0 {
			row[at] += sum / float64(n)
		}
	}
	return filled
}
