package recordings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/recording"
)

// unlike is the ratio of two deviations above which a person should know.
const unlike = 5

// statistics returns the mean and the deviation of each sensor's channels over all moments of the training samples,
// `[sensors, channels]`. A constant channel has a deviation of 0.
func (s *set) statistics() (mean, deviation []float64) {
	width := len(s.sensors) * s.channels
	mean, deviation = make([]float64, width), make([]float64, width)
	count := 0
	for _, i := range s.training() {
		count += s.samples[i].Moments()
		for at, v := range s.samples[i].Values {
			mean[at%width] += v
		}
	}
	for column := range mean {
		mean[column] /= float64(count)
	}
	for _, i := range s.training() {
		for at, v := range s.samples[i].Values {
			deviation[at%width] += (v - mean[at%width]) * (v - mean[at%width]) / float64(count)
		}
	}
	for column, square := range deviation {
		if deviation[column] = math.Sqrt(square); deviation[column] <= 1e-9*math.Abs(mean[column]) {
			deviation[column] = 0 // rounding
		}
	}
	return mean, deviation
}

// unlike returns a note about the channel whose sensors have the most different deviations, because ccp normalises
// channels, not sensors. It skips constant sensors.
func (s *set) unlike(deviation []float64) (note string) {
	worst := float64(unlike)
	for channel := range s.channels {
		var columns []int
		for column := channel; column < len(deviation); column += s.channels {
			if deviation[column] > 0 {
				columns = append(columns, column)
			}
		}
		slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(deviation[a], deviation[b]) })
		if len(columns) == 0 || deviation[columns[len(columns)-1]] <= worst*deviation[columns[0]] {
			continue
		}
		least, most := columns[0], columns[len(columns)-1]
		worst = deviation[most] / deviation[least]
		note = fmt.Sprintf("%s varies %.3g times as much as %s; if they measure different things, --scale makes them alike",
			recording.Column(s.sensors, s.channels, most), worst, recording.Column(s.sensors, s.channels, least))
	}
	return note
}
