package recordings

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// positionsOf holds the positions of sensors: x, y and z, or latitude and longitude in degrees.
type positionsOf struct {
	path    string
	of      map[string][]float64
	degrees bool
}

// has reports that the position of a sensor is known.
func (p *positionsOf) has(sensor string) bool { return p != nil && p.of[sensor] != nil }

// The headings of positions.
var (
	latitude  = regexp.MustCompile(`^(?i:lat|latitude|breite|breitengrad)\b`)
	longitude = regexp.MustCompile(`^(?i:lon|long|lng|longitude|länge|laenge|längengrad|laengengrad)\b`)
	height    = regexp.MustCompile(`^(?i:z|alt|altitude|elev|elevation|ele|height|höhe|hoehe)\b`)
)

// readPositions reads a CSV with a sensor and its position in each line: name,x,y or name,x,y,z, or columns headed
// latitude and longitude among others. A first line without numbers is a heading.
func (j *job) readPositions(path string) (*positionsOf, error) {
	p, name, columns := &positionsOf{path: path, of: map[string][]float64{}}, 0, []int(nil)
	return p, readText(j, path, func(in *input, line int, cells []string) error {
		heading := columns == nil
		if heading {
			find := func(like *regexp.Regexp) int { return slices.IndexFunc(cells, like.MatchString) }
			columns = []int{find(latitude), find(longitude)}
			if at := find(height); min(columns[0], columns[1], at) >= 0 {
				j.note("column %s of %s holds heights; left out", cells[at], path)
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
			return fmt.Errorf("%d cells; want the sensor's name and its position, in all lines alike: sensor,x,y or sensor,x,y,z", len(cells))
		}
		var position []float64
		for _, column := range columns {
			value, err := in.number(line, cells[column])
			switch position = append(position, value); {
			case err == nil && value-value == 0:
			case heading:
				return nil
			default:
				return fmt.Errorf("%q is not a finite number; want the sensor's name and its position: sensor,x,y, sensor,x,y,z, or "+
					"degrees of latitude and longitude", cells[column])
			}
		}
		switch {
		case p.degrees && (math.Abs(position[0]) > 90 || math.Abs(position[1]) > 180):
			return fmt.Errorf("latitude %g and longitude %g are no degrees up to 90 and 180; correct them, or head the columns "+
				"x and y", position[0], position[1])
		case p.of[cells[name]] != nil:
			return fmt.Errorf("sensor %q has a position already; keep one of the lines", cells[name])
		}
		p.of[strings.Clone(cells[name])] = position
		return nil
	})
}

// points returns the positions of the sensors, `[sensors, dims]`, and how far they are from each other: degrees are points
// on a sphere of radius 1. Maps have coordinates instead.
func (p *positionsOf) points(sensors []string, path string) (points []float64, dims int, err error) {
	for _, sensor := range sensors {
		position, known := p.of[sensor]
		if !known {
			return nil, 0, fmt.Errorf("%s has no position of sensor %q; add a line of it, "+
				"or leave the sensor out with --leave %q", path, sensor, sensor)
		}
		if p.degrees {
			lat, lon := radians(position[0]), radians(position[1])
			position = []float64{math.Cos(lat) * math.Cos(lon), math.Cos(lat) * math.Sin(lon), math.Sin(lat)}
		}
		points, dims = append(points, position...), len(position)
	}
	return points, dims, nil
}

// plan returns the positions of sensors in a picture, `[sensors, dims]`. Degrees become a map: to the east and to the north
// of its centre, in degrees of latitude.
func (p *positionsOf) plan(sensors []string) (plan []float64, dims int) {
	points, dims, _ := p.points(sensors, "")
	if !p.degrees {
		return points, dims
	}
	var centre [3]float64
	for at, v := range points {
		centre[at%3] += v
	}
	lat, lon := math.Atan2(centre[2], math.Hypot(centre[0], centre[1])), math.Atan2(centre[1], centre[0])*180/math.Pi
	for _, sensor := range sensors {
		position := p.of[sensor]
		plan = append(plan, math.Remainder(position[1]-lon, 360)*math.Cos(lat), position[0])
	}
	return plan, 2
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
