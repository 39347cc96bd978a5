// Package sphere measures positions in degrees of latitude and longitude, as those of stations on the earth.
package sphere

import (
	"fmt"
	"math"
	"slices"
)

// Check returns an error if latitudes and longitudes are no degrees, and the place of the first that is wrong.
// Latitudes lie within ±90, and longitudes either within ±180 or, if none is negative, between 0 and 360.
func Check(latitudes, longitudes []float64) (at int, err error) {
	west := slices.IndexFunc(longitudes, func(v float64) bool { return v < 0 })
	for i, latitude := range latitudes {
		longitude := longitudes[i]
		switch {
		case !(math.Abs(latitude) <= 90 && longitude >= -180 && longitude <= 360):
			return i, fmt.Errorf("latitude %g and longitude %g are no degrees up to 90 and 180", latitude, longitude)
		case longitude > 180 && west >= 0:
			return i, fmt.Errorf("longitude %g goes beyond 180, and another is %g; count all of them from -180 to 180, or all "+
				"from 0 to 360",
				longitude, longitudes[west])
		}
	}
	return 0, nil
}

// Points returns positions as points on a sphere of radius 1, `[n, 3]`. The nearest of them are the nearest on the
// sphere.
func Points(latitudes, longitudes []float64) []float64 {
	points := make([]float64, 0, 3*len(latitudes))
	for i, latitude := range latitudes {
		latitude, longitude := radians(latitude), radians(longitudes[i])
		points = append(points, math.Cos(latitude)*math.Cos(longitude), math.Cos(latitude)*math.Sin(longitude),
			math.Sin(latitude))
	}
	return points
}

// polar is the latitude of a centre from which on a map shows a pole from above.
const polar = 80

// Plan returns positions on a map, `[n, 2]`: to the east and to the north of their centre, in degrees of latitude.
// Around a pole the map shows it from above, and the distance from the pole is right.
func Plan(latitudes, longitudes []float64) []float64 {
	var centre [3]float64
	for at, v := range Points(latitudes, longitudes) {
		centre[at%3] += v
	}
	latitude := math.Atan2(centre[2], math.Hypot(centre[0], centre[1]))
	longitude := math.Atan2(centre[1], centre[0]) * 180 / math.Pi
	plan := make([]float64, 0, 2*len(latitudes))
	for i := range latitudes {
		if math.Abs(latitude) > radians(polar) {
			pole := math.Copysign(1, latitude)
			far, angle := 90-pole*latitudes[i], radians(longitudes[i])
			plan = append(plan, far*math.Sin(angle), -pole*far*math.Cos(angle))
			continue
		}
		plan = append(plan, math.Remainder(longitudes[i]-longitude, 360)*math.Cos(latitude), latitudes[i])
	}
	return plan
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

// far is the span of degrees from which on a plane shows other neighbours than the sphere.
const far = 20

// Seems says that two columns of positions on a plane, `[n, 2]`, look like degrees of latitude and longitude that a
// plane would measure wrongly; "" if they do not. Whole numbers are pixels. Columns that both begin or end at 0, or
// both have it in the middle, are those of a picture, a room or a scalp.
func Seems(positions []float64) string {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	whole := true
	for at, v := range positions {
		low[at%2], high[at%2] = min(low[at%2], v), max(high[at%2], v)
		whole = whole && v == math.Trunc(v)
	}
	if whole || len(positions) < 4 {
		return ""
	}
	ends := func(column int) bool { // at 0
		return min(math.Abs(low[column]), math.Abs(high[column])) < (high[column]-low[column])/10
	}
	centred := func(column int) bool {
		return math.Abs(low[column]+high[column]) < (high[column]-low[column])/5 && high[column] <= 90
	}
	latitude := func(column int) bool { return low[column] >= -90 && high[column] <= 90 }
	longitude := func(column int) bool {
		return low[column] >= -180 && high[column] <= 180 || low[column] >= 0 && high[column] <= 360
	}
	span := max(high[0]-low[0], high[1]-low[1])
	degrees := latitude(0) && longitude(1) || latitude(1) && longitude(0)
	if !degrees || span <= far || ends(0) && ends(1) || centred(0) && centred(1) {
		return ""
	}
	return fmt.Sprintf("look like degrees of latitude and longitude (from %.4g to %.4g, and from %.4g to %.4g), but "+
		"are measured on a plane, where degrees of longitude are as long at the poles as at the equator, and 179 and -179 "+
		"lie far apart", low[0],
		high[0], low[1], high[1])
}
