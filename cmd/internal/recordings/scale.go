package recordings

import (
	"fmt"
	"math"
)

// unlike is how many times as much one sensor may deviate as another before a person should know.
const unlike = 5

// scale centres each sensor's channels and divides them by their deviation over all moments of the training samples, if asked to; one
// that is constant there is only centred. It says, if not, where sensors of the same channel are of scales that differ much: the reader of
// the file scales channels, not sensors.
func (s *set) scale(asked bool) (note string) {
	width := len(s.sensors) * s.channels
	mean, deviation := make([]float64, width), make([]float64, width)
	count := 0
	for _, i := range s.training() {
		count += s.moments(i)
		for at, v := range s.samples[i].values {
			mean[at%width] += v
		}
	}
	for column := range mean {
		mean[column] /= float64(count)
	}
	for _, i := range s.training() {
		for at, v := range s.samples[i].values {
			deviation[at%width] += (v - mean[at%width]) * (v - mean[at%width]) / float64(count)
		}
	}
	for column, square := range deviation {
		if deviation[column] = math.Sqrt(square); deviation[column] <= 1e-9*math.Abs(mean[column]) {
			deviation[column] = 0 // rounding
		}
	}
	if !asked {
		return s.unlike(deviation)
	}
	for i := range s.samples {
		values := s.samples[i].values
		for at := range values {
			values[at] -= mean[at%width]
			if d := deviation[at%width]; d > 0 {
				values[at] /= d
			}
		}
	}
	return ""
}

// unlike finds the channel whose sensors deviate most differently. A constant one does not count.
func (s *set) unlike(deviation []float64) (note string) {
	worst := float64(unlike)
	for channel := range s.channels {
		least, most := -1, -1
		for column := channel; column < len(deviation); column += s.channels {
			if d := deviation[column]; d > 0 {
				if least < 0 || d < deviation[least] {
					least = column
				}
				if most < 0 || d > deviation[most] {
					most = column
				}
			}
		}
		if least >= 0 && deviation[most]/deviation[least] > worst {
			worst = deviation[most] / deviation[least]
			note = fmt.Sprintf("%s varies %.3g times as much as %s; if they measure different things, --scale makes them alike",
				s.column(most), worst, s.column(least))
		}
	}
	return note
}
