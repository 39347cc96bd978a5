package recordings

import (
	"fmt"
	"slices"
)

// mostFrames bounds the default number of frames, because the time of a training grows with it.
const mostFrames = 128

// Frames holds the number of moments of a signal, and the lengths of the samples before resampling.
type Frames struct {
	Count    int `json:"count"`
	Shortest int `json:"shortest"`
	Median   int `json:"median"`
	Longest  int `json:"longest"`
}

// frames returns the number of frames asked for or, for 0, the median length of the samples, at most mostFrames.
func (s *set) frames(asked int) Frames {
	lengths := make([]int, len(s.samples))
	for i := range lengths {
		lengths[i] = s.moments(i)
	}
	slices.Sort(lengths)
	f := Frames{asked, lengths[0], lengths[len(lengths)/2], lengths[len(lengths)-1]}
	if asked == 0 {
		f.Count = min(f.Median, mostFrames)
	}
	return f
}

// String says where the number of frames comes from.
func (f Frames) String() string {
	switch {
	case f.Shortest == f.Longest && f.Longest == f.Count:
		return fmt.Sprintf("%d, as all samples have", f.Count)
	case f.Shortest == f.Longest:
		return fmt.Sprintf("%d, resampled linearly from the %d of all samples", f.Count, f.Longest)
	}
	return fmt.Sprintf("%d, resampled linearly from %d to %d, median %d", f.Count, f.Shortest, f.Longest, f.Median)
}
