package recordings

import (
	"fmt"
	"slices"
	"sort"
)

// mostFrames bounds the frames that are taken without being asked for: the time of a training grows with them.
const mostFrames = 128

// Frames says how many moments a signal has, and of which lengths the samples were.
type Frames struct {
	Count    int `json:"count"`
	Shortest int `json:"shortest"`
	Median   int `json:"median"`
	Longest  int `json:"longest"`
}

// frames are those asked for, or else as many as the samples have, or their median has if they differ, but at most mostFrames.
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

// String says where the frames come from.
func (f Frames) String() string {
	switch {
	case f.Shortest == f.Longest && f.Longest == f.Count:
		return fmt.Sprintf("%d, as all samples have", f.Count)
	case f.Shortest == f.Longest:
		return fmt.Sprintf("%d, resampled linearly from the %d of all samples", f.Count, f.Longest)
	}
	return fmt.Sprintf("%d, resampled linearly from %d to %d, median %d", f.Count, f.Shortest, f.Longest, f.Median)
}

// resample writes a sample at `frames` moments spread evenly over it to dst, `[frames, sensors, channels]`, linearly between its own.
// It has no gaps.
func (s *set) resample(i, frames int, dst []float32) {
	x, width, count := &s.samples[i], len(s.sensors)*s.channels, s.moments(i)
	for frame := range frames {
		at, part := 0, 0.0
		if frames > 1 && count > 1 {
			at, part = x.place(float64(frame)/float64(frames-1), count)
		}
		next := min(at+1, count-1)
		for column := range width {
			a, b := x.values[at*width+column], x.values[next*width+column]
			dst[frame*width+column] = float32(a + part*(b-a))
		}
	}
}

// place finds a share of the time from the first to the last of count moments: the moment before it, and the part of the way to the next.
func (x *sample) place(share float64, count int) (at int, part float64) {
	if x.times == nil {
		position := share * float64(count-1)
		at = min(int(position), count-1)
		return at, position - float64(at)
	}
	time := x.times[0] + share*(x.times[count-1]-x.times[0])
	at = max(0, min(sort.SearchFloat64s(x.times[:count], time), count-1)-1)
	return at, min(1, max(0, (time-x.times[at])/(x.times[at+1]-x.times[at])))
}
