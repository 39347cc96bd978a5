package skeleton

import (
	"math"
	"slices"
)

const (
	// leastLength is the length, as a share of the unit, under which an axis of the body has no direction to speak of.
	leastLength = 1e-3
	// mostStretch is how many times longer or shorter than usual a spine may be. Sensors start with poses that are folded
	// up, and one of those would blow up the whole recording.
	mostStretch = 2
)

// bodyFrame is a body's own system of coordinates.
type bodyFrame struct {
	origin [3]float64
	axes   [3][3]float64 // unit vectors x, y, z
	unit   float64
}

// frame is the coordinates of the body in a pose (Shahroudy et al. 2016): x from the right to the left shoulder, y up the
// spine, made orthogonal to x, z = x × y, lengths in spines. false where the joints that span it lie on one line.
func (l *Layout) frame(pose []float32) (f bodyFrame, ok bool) {
	x := minus(vector(pose, l.X[1]), vector(pose, l.X[0]))
	y := minus(vector(pose, l.Y[1]), vector(pose, l.Y[0]))
	f.origin, f.unit = vector(pose, l.Origin), norm(y)
	if f.unit == 0 || norm(x) < leastLength*f.unit {
		return f, false
	}
	x = scaled(x, 1/norm(x))
	y = minus(y, scaled(x, dot(x, y)))
	if norm(y) < leastLength*f.unit {
		return f, false
	}
	y = scaled(y, 1/norm(y))
	f.axes = [3][3]float64{x, y, cross(x, y)}
	return f, true
}

// unit is the length of the spine in a pose.
func (l *Layout) unit(pose []float32) float64 {
	return distance(vector(pose, l.Y[0]), vector(pose, l.Y[1]))
}

// usualUnit is the median length of the spine, the lower one of two, over the poses that span a system of coordinates; 0 if
// there are none.
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

// apply writes a pose in the coordinates of the frame over itself.
func (f *bodyFrame) apply(pose []float32) {
	for joint := range len(pose) / 3 {
		place := minus(vector(pose, joint), f.origin)
		for axis := range 3 {
			pose[3*joint+axis] = float32(dot(f.axes[axis], place) / f.unit)
		}
	}
}

// vector is the place of a joint.
func vector(pose []float32, joint int) [3]float64 {
	return [3]float64{float64(pose[3*joint]), float64(pose[3*joint+1]), float64(pose[3*joint+2])}
}

func minus(a, b [3]float64) [3]float64           { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func scaled(a [3]float64, by float64) [3]float64 { return [3]float64{by * a[0], by * a[1], by * a[2]} }
func dot(a, b [3]float64) float64                { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func norm(a [3]float64) float64                  { return math.Sqrt(dot(a, a)) }
func distance(a, b [3]float64) float64           { return norm(minus(a, b)) }
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
