package recording

import (
	"fmt"
	"math"
	"strconv"
)

// Axis is what the time points of a series are where they are no times, such as the wavelengths of a spectrum.
type Axis struct {
	Begin  float64 `json:"begin"` // at the first time point
	End    float64 `json:"end"`   // at the last
	Before string  `json:"before,omitempty"`
	After  string  `json:"after,omitempty"` // the unit, such as " nm"
}

// Names names the nodes of a sensor in so many frames, at least two, such as "value at 400 nm".
func (a *Axis) Names(sensor string, frames int) []string {
	step := (a.End - a.Begin) / float64(frames-1)
	digits := 0
	for digits < 6 && math.Abs(step)*math.Pow10(digits) < 1 {
		digits++
	}
	names := make([]string, frames)
	for i := range names {
		at := strconv.FormatFloat(a.Begin+step*float64(i), 'f', digits, 64)
		names[i] = fmt.Sprintf("%s at %s%s%s", sensor, a.Before, at, a.After)
	}
	return names
}
