package recording

import (
	"cmp"
	"fmt"
	"math"
)

const (
	rateShare = 0.1 // of the training's rate, by which another one differs
	unitRatio = 10  // of two rates, from which times are in another unit rather than at another rate
)

// OtherRate says what a person should know of time points that come at another rate than the training's; "" if it is
// about the same, or not known. isUnit reports that the two are so far from each other that the times are rather in
// another unit.
func (f *Form) OtherRate(rate float64) (note string, isUnit bool) {
	if f.Rate == 0 || rate == 0 || math.Abs(rate/f.Rate-1) <= rateShare {
		return "", false
	}
	apart := fmt.Sprintf("its time points are %s apart, the training's %s", f.Step(rate), f.Step(f.Rate))
	const resampled = ": they are resampled, and the class may be wrong"
	const rounded = 1 - 1e-6
	switch second := cmp.Or(f.Second, 1); {
	case max(rate/f.Rate, f.Rate/rate) >= unitRatio*rounded:
		return apart + "; are its times in another unit?", true
	case f.Axis != nil:
		return apart + resampled, false
	default:
		return fmt.Sprintf("its time points come at %.4g a second, the training's at %.4g%s", rate*second, f.Rate*second,
			resampled), false
	}
}
