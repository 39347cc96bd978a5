package recordings

import (
	"fmt"
	"slices"
	"sort"
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

// resample interpolates a sample without gaps linearly at evenly spaced moments. dst is `[frames, sensors, channels]`.
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

// place finds the point that lies at a share of the time between the first and the last of count moments. It returns
// the moment before the point, and the part of the way to the next moment.
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
