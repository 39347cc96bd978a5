package recording

// This file counts what the preparation of a recording changes in it.

import "fmt"

// Changes says what Prepare changed in a recording.
type Changes struct {
	Interpolated int      `json:"values"` // missing values that were interpolated in time, or repeated at an end
	Zeros        int      `json:"zeros"`  // set to zero, because the sensor has no value
	Filled       int      `json:"means"`  // by Form.Fill, or left for it
	Notes        []string `json:"-"`      // what a person should know
	Holes        Holes    `json:"-"`      // the values that lie in holes, before they were filled
}

// Add adds the numbers of another recording, and reports whether any is above 0.
func (c *Changes) Add(other Changes) bool {
	c.Interpolated += other.Interpolated
	c.Zeros += other.Zeros
	c.Filled += other.Filled
	return other.Interpolated+other.Zeros+other.Filled > 0
}

func (c *Changes) note(format string, values ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, values...))
}
