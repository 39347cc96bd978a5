package skeleton

import (
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

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
