package skeleton

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Recording holds the bodies that a sensor saw.
type Recording struct {
	// Frames is the number of frames, with or without a body in them.
	Frames int
	// Bodies are the bodies in the order of the file.
	Bodies []Body
}

// Body is one body in the frames that the sensor saw it. A sensor that loses somebody and finds them again may report
// another body.
type Body struct {
	// ID is what the sensor calls the body; it may be "".
	ID string
	// Frames are the frames that show the body, ascending from 0.
	Frames []int
	// Joints are the positions of its joints, `[len(Frames), joints, 3]`, in any unit of length; y points up. NaN is
	// allowed.
	Joints []float32
}

// pose returns the joints of row i of the body, `[joints, 3]`.
func (b *Body) pose(i int) []float32 {
	size := len(b.Joints) / len(b.Frames)
	return b.Joints[i*size : (i+1)*size]
}

// first and last return the first and the last frame of the body.
func (b *Body) first() int { return b.Frames[0] }
func (b *Body) last() int  { return b.Frames[len(b.Frames)-1] }

// valid returns a copy of the body without the frames that do not really show it.
func (b *Body) valid() Body {
	kept := Body{ID: b.ID}
	for i, frame := range b.Frames {
		if pose := b.pose(i); seen(pose) {
			kept.Frames = append(kept.Frames, frame)
			kept.Joints = append(kept.Joints, pose...)
		}
	}
	return kept
}

// seen reports whether all coordinates of a pose are finite and at most one joint is exactly at zero. A sensor puts
// joints that it does not see at zero, but a recording may be centred on one joint.
func seen(pose []float32) bool {
	zeros := 0
	for i := 0; i < len(pose); i += 3 {
		place := vector(pose, i/3)
		if !finite(place.X) || !finite(place.Y) || !finite(place.Z) {
			return false
		}
		if place == (r3.Vec{}) {
			zeros++
		}
	}
	return zeros <= 1
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// spread returns how much the body moves: the squared distance of a joint from its mean place, as a mean over the
// joints and a sum over the frames. A body that is there all the time counts more than one that is there briefly: the
// sum is not divided by the number of frames.
func (b *Body) spread() float64 {
	size := len(b.pose(0))
	mean := make([]float64, size)
	for i, v := range b.Joints {
		mean[i%size] += float64(v) / float64(len(b.Frames))
	}
	var sum float64
	for i, v := range b.Joints {
		d := float64(v) - mean[i%size]
		sum += d * d
	}
	return sum / float64(size/3)
}

const (
	// leastLength is the least length of an axis of the body, as a share of the unit, that gives it a direction.
	leastLength = 1e-3
	// mostStretch bounds how many times longer or shorter than usual a spine may be. Sensors start with folded poses.
	// The short unit of such a pose would blow up the whole recording.
	mostStretch = 2
)

// bodyFrame is a body's own system of coordinates.
type bodyFrame struct {
	origin r3.Vec
	axes   [3]r3.Vec // unit vectors x, y, z
	unit   float64
}

// frame returns the body's own coordinates in a pose (Shahroudy et al. 2016). The x axis goes from the right to the
// left shoulder, y up the spine, made orthogonal to x, and z = x × y. The unit is the length of the spine. ok is false
// if the joints that span the axes lie on one line.
func (l *Layout) frame(pose []float32) (f bodyFrame, ok bool) {
	x := r3.Sub(vector(pose, l.X[1]), vector(pose, l.X[0]))
	y := r3.Sub(vector(pose, l.Y[1]), vector(pose, l.Y[0]))
	f.origin, f.unit = vector(pose, l.Origin), r3.Norm(y)
	if f.unit == 0 || r3.Norm(x) < leastLength*f.unit {
		return f, false
	}
	x = r3.Unit(x)
	y = r3.Sub(y, r3.Scale(r3.Dot(x, y), x))
	if r3.Norm(y) < leastLength*f.unit {
		return f, false
	}
	y = r3.Unit(y)
	f.axes = [3]r3.Vec{x, y, r3.Cross(x, y)}
	return f, true
}

// firstFrame returns the coordinates in the first pose that has them, and whose spine is about as long as usual.
func (l *Layout) firstFrame(b *Body) (f bodyFrame, ok bool) {
	usual := l.usualUnit(b)
	for i := range b.Frames {
		f, ok = l.frame(b.pose(i))
		if ok && f.unit >= usual/mostStretch && f.unit <= usual*mostStretch {
			return f, true
		}
	}
	return f, false
}

// upright returns the coordinates of a whole recording. The y axis points up, as the sensor has it. The x axis is
// level, and goes from right to left along shoulders and hips, in the mean over the poses. The origin is the first
// pose's. The unit is the usual length of the spine. If the body lies or has no spine, ok is false.
func (l *Layout) upright(b *Body) (f bodyFrame, ok bool) {
	var x r3.Vec
	for i := range b.Frames {
		for _, ends := range [][2]int{l.X, l.Hips} {
			x = r3.Add(x, r3.Sub(vector(b.pose(i), ends[1]), vector(b.pose(i), ends[0])))
		}
	}
	x.Y = 0
	f.origin, f.unit = vector(b.pose(0), l.Origin), l.usualUnit(b)
	if f.unit == 0 || r3.Norm(x) < leastLength*f.unit*float64(len(b.Frames)) {
		return f, false
	}
	x = r3.Unit(x)
	y := r3.Vec{Y: 1}
	f.axes = [3]r3.Vec{x, y, r3.Cross(x, y)}
	return f, true
}

// unit returns the length of the spine in a pose.
func (l *Layout) unit(pose []float32) float64 {
	return r3.Norm(r3.Sub(vector(pose, l.Y[0]), vector(pose, l.Y[1])))
}

// usualUnit returns the median length of the spine over the poses that span a system of coordinates; 0 if there are
// none. It is the lower of two middle lengths.
func (l *Layout) usualUnit(b *Body) float64 {
	var units []float64
	for i := range b.Frames {
		if frame, ok := l.frame(b.pose(i)); ok {
			units = append(units, frame.unit)
		}
	}
	if len(units) == 0 {
		return 0
	}
	slices.Sort(units)
	return units[(len(units)-1)/2]
}

// apply replaces a pose by its coordinates in the frame.
func (f *bodyFrame) apply(pose []float32) {
	for joint := range len(pose) / 3 {
		place := r3.Sub(vector(pose, joint), f.origin)
		for axis := range 3 {
			pose[3*joint+axis] = float32(r3.Dot(f.axes[axis], place) / f.unit)
		}
	}
}

// vector returns the place of a joint.
func vector(pose []float32, joint int) r3.Vec {
	return r3.Vec{X: float64(pose[3*joint]), Y: float64(pose[3*joint+1]), Z: float64(pose[3*joint+2])}
}

// Sensors take furniture for people. A pose wider than widestPose of its height is odd, and a body that is odd in more
// than oddFrames of its frames is not a person.
const (
	widestPose = 0.8
	oddFrames  = 2. / 3
)

// actors returns at most limit bodies, the one that moves most first. It removes frames that do not really show a body,
// joins bodies that changed their id, and drops implausible bodies.
func (l *Layout) actors(r *Recording, limit int) []Body {
	var bodies []Body
	for i := range r.Bodies {
		if body := r.Bodies[i].valid(); len(body.Frames) > 0 {
			bodies = append(bodies, body)
		}
	}
	bodies = plausible(l.joined(bodies))
	slices.SortStableFunc(bodies, func(a, b Body) int { return cmp.Compare(b.spread(), a.spread()) })
	return bodies[:min(limit, len(bodies))]
}

// joined joins bodies that are one person: a body that appears after another has gone, near the place of its last
// frame. The two positions of the origin joint may be one length of the spine apart. The nearest body wins.
func (l *Layout) joined(bodies []Body) []Body {
	slices.SortStableFunc(bodies, func(a, b Body) int { return cmp.Compare(a.first(), b.first()) })
	var people []Body
	for _, body := range bodies {
		nearest, at := math.Inf(1), -1
		for i := range people {
			if people[i].last() >= body.first() {
				continue
			}
			gone := people[i].pose(len(people[i].Frames) - 1)
			distance := r3.Norm(r3.Sub(vector(gone, l.Origin), vector(body.pose(0), l.Origin)))
			if distance <= l.unit(gone) && distance < nearest {
				nearest, at = distance, i
			}
		}
		if at < 0 {
			people = append(people, body)
			continue
		}
		people[at].Frames = append(people[at].Frames, body.Frames...)
		people[at].Joints = append(people[at].Joints, body.Joints...)
	}
	return people
}

// plausible drops the bodies that are too wide for their height most of the time, as furniture is. If all bodies are,
// somebody lies on the floor, and it keeps all.
func plausible(bodies []Body) []Body {
	var kept []Body
	for _, body := range bodies {
		odd := 0
		for i := range body.Frames {
			pose := body.pose(i)
			if extent(pose, 0) > widestPose*extent(pose, 1) {
				odd++
			}
		}
		if float64(odd) <= oddFrames*float64(len(body.Frames)) {
			kept = append(kept, body)
		}
	}
	if len(kept) == 0 {
		return bodies
	}
	return kept
}

// extent returns the distance between the smallest and the largest coordinate of a pose along an axis.
func extent(pose []float32, axis int) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for i := axis; i < len(pose); i += 3 {
		low, high = min(low, float64(pose[i])), max(high, float64(pose[i]))
	}
	return high - low
}
