package recordings

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// places holds the positions of sensors: x, y and z, or latitude and longitude in degrees.
type places struct {
	of      map[string][]float64
	degrees bool
}

// The headings of positions.
var (
	latitude  = regexp.MustCompile(`^(?i:lat|latitude|breite|breitengrad)\b`)
	longitude = regexp.MustCompile(`^(?i:lon|long|lng|longitude|länge|laenge|längengrad|laengengrad)\b`)
	height    = regexp.MustCompile(`^(?i:z|alt|altitude|elev|elevation|ele|height|höhe|hoehe)\b`)
)

// readPlaces reads a CSV with a sensor and its position in each line: name,x,y or name,x,y,z, or columns headed
// latitude and longitude among others. A first line without numbers is a heading.
func (r *reading) readPlaces(path string) error {
	p, name, columns := &places{of: map[string][]float64{}}, 0, []int(nil)
	r.places = p
	return r.readTable(path, 0, func(in *input, line int, cells []string) error {
		heading := columns == nil
		if heading {
			find := func(like *regexp.Regexp) int { return slices.IndexFunc(cells, like.MatchString) }
			columns = []int{find(latitude), find(longitude)}
			if at := find(height); min(columns[0], columns[1], at) >= 0 {
				r.note("column %s of %s holds heights; left out", cells[at], path)
			}
			if p.degrees = min(columns[0], columns[1]) >= 0; !p.degrees {
				columns = nil
				for i := range cells[1:] {
					columns = append(columns, i+1)
				}
			}
			for slices.Contains(columns, name) {
				name++
			}
		}
		if len(columns) == 0 || len(cells) <= slices.Max(append(columns, name)) ||
			!p.degrees && (len(columns) > 3 || len(cells) > len(columns)+1) {
			return fmt.Errorf("%d cells; want the sensor's name and its place, in all lines alike: sensor,x,y or sensor,x,y,z",
				len(cells))
		}
		var place []float64
		for _, column := range columns {
			value, err := in.number(line, cells[column])
			switch place = append(place, value); {
			case err == nil && value-value == 0:
			case heading:
				return nil
			default:
				return fmt.Errorf("%q is not a finite number; want the sensor's name and its place: sensor,x,y, sensor,x,y,z, or "+
					"degrees of latitude and longitude", cells[column])
			}
		}
		switch {
		case p.degrees && (math.Abs(place[0]) > 90 || math.Abs(place[1]) > 180):
			return fmt.Errorf("latitude %g and longitude %g are no degrees up to 90 and 180; correct them, or head the columns "+
				"x and y", place[0], place[1])
		case p.of[cells[name]] != nil:
			return fmt.Errorf("sensor %q has a place already; keep one of the lines", cells[name])
		}
		p.of[strings.Clone(cells[name])] = place
		return nil
	})
}

// points returns the places of the sensors, `[sensors, dims]`, and how far they are from each other: degrees are points
// on a sphere of radius 1. Maps have coordinates instead.
func (p *places) points(sensors []string, path string) (points []float64, dims int, err error) {
	for _, sensor := range sensors {
		place, known := p.of[sensor]
		if !known {
			return nil, 0, fmt.Errorf("%s has no place of sensor %q; add a line of it, or leave the sensor out with --leave %q",
				path, sensor, sensor)
		}
		if p.degrees {
			lat, lon := radians(place[0]), radians(place[1])
			place = []float64{math.Cos(lat) * math.Cos(lon), math.Cos(lat) * math.Sin(lon), math.Sin(lat)}
		}
		points, dims = append(points, place...), len(place)
	}
	return points, dims, nil
}

// plan returns the places of sensors in a picture, `[sensors, dims]`. Degrees become a map: to the east and to the north
// of its middle, in degrees of latitude.
func (p *places) plan(sensors []string) (plan []float64, dims int) {
	points, dims, _ := p.points(sensors, "")
	if !p.degrees {
		return points, dims
	}
	var middle [3]float64
	for at, v := range points {
		middle[at%3] += v
	}
	lat, lon := math.Atan2(middle[2], math.Hypot(middle[0], middle[1])), math.Atan2(middle[1], middle[0])*180/math.Pi
	for _, sensor := range sensors {
		place := p.of[sensor]
		plan = append(plan, math.Remainder(place[1]-lon, 360)*math.Cos(lat), place[0])
	}
	return plan, 2
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
