package skeleton

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

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
// frame. The two places of the origin joint may be one length of the spine apart. The nearest body wins.
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
