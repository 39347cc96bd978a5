package recording

import "math"

// leastJitter is the jitter below which the times are as even as the digits they were written with.
const leastJitter = 1e-3

// Timing says how a recording was timed, before its times are made even: rateOf the times of the sensor that was read
// most often, and the deviation of the steps between these as a share of their mean. Steps over holes do not count.
// Both are 0 without times.
func (r Recording) Timing() (rate, jitter float64) {
	_, _, rate, times := r.rates()
	if rate == 0 || len(times) < 3 {
		return rate, 0
	}
	usual, steps, sum, squares := usualStep(times), 0.0, 0.0, 0.0
	for i := range times[1:] {
		if step := times[i+1] - times[i]; step <= longStep*usual {
			steps, sum, squares = steps+1, sum+step, squares+step*step
		}
	}
	mean := sum / steps
	jitter = math.Sqrt(max(0, squares/steps-mean*mean)) / mean
	if !(jitter >= leastJitter) {
		jitter = 0
	}
	return rate, jitter
}
