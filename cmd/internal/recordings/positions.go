package recordings

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/sphere"
)

// positionsOf holds the positions of sensors: x, y and z, or latitude and longitude in degrees.
type positionsOf struct {
	path    string
	sensors []string // in the order of the file
	of      map[string][]float64
	degrees bool
	dialect *dialect // of its numbers, which need not be that of the recordings
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
func (j *job) readPositions(path string, d *dialect) (*positionsOf, error) {
	p, name, columns := &positionsOf{path: path, of: map[string][]float64{}, dialect: d}, 0, []int(nil)
	err := readText(j, path, func(in *input, line int, cells []string) error {
		heading := columns == nil
		if heading {
			find := func(like *regexp.Regexp) int { return slices.IndexFunc(cells, like.MatchString) }
			columns = []int{find(latitude), find(longitude)}
			if at := find(height); min(columns[0], columns[1], at) >= 0 {
				j.note("column %s of %s holds heights; left out", cells[at], path)
			}
			p.degrees = min(columns[0], columns[1]) >= 0
			if !p.degrees {
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
		in.dialect = d
		for _, column := range columns {
			value, err := p.number(in, column, line, cells[column])
			switch position = append(position, value); {
			case err == nil && value-value == 0:
			case errors.As(err, new(contrary)):
				return err
			case heading:
				return nil
			default:
				return fmt.Errorf("%q is not a finite number; want the sensor's name and its position: sensor,x,y, sensor,x,y,z, or "+
					"degrees of latitude and longitude", cells[column])
			}
		}
		if in.bare.text != "" && !in.tellsComma {
			d.bare = in.bare
		}
		sensor := strings.Clone(cells[name])
		switch {
		case p.of[sensor] != nil:
			return fmt.Errorf("sensor %q has a position already; keep one of the lines", sensor)
		case p.degrees:
			if _, err := sphere.Check(position[:1], position[1:]); err != nil {
				return fmt.Errorf("%w; correct them, or head the columns x and y", err)
			}
		}
		p.of[sensor], p.sensors = position, append(p.sensors, sensor)
		return nil
	})
	if err != nil {
		return nil, err
	}
	latitudes, longitudes := p.columns(p.sensors)
	if p.degrees {
		if at, err := sphere.Check(latitudes, longitudes); err != nil {
			return nil, fmt.Errorf("%s: sensor %q: %w", path, p.sensors[at], err)
		}
	} else if seems := p.seems(); seems != "" {
		j.note("the positions of %s %s; if they are degrees, head the columns latitude and longitude", path, seems)
	}
	return p, nil
}

// number reads a coordinate. Degrees have no thousands, so that any mark of theirs is before decimals.
func (p *positionsOf) number(in *input, column, line int, cell string) (value float64, err error) {
	d := p.dialect
	value, err = in.number(line, cell)
	if err != nil || p.degrees {
		return value, err
	}
	if in.reliant && d.reliant == nil {
		d.reliant = fmt.Errorf("%s, line %d: %q has a decimal comma, and commas separate the cells; %s", p.path, line, cell, d.way())
	}
	if d.doubtful() {
		d.column(strconv.Itoa(column+1)).see(value, numeral{p.path, cell, line}, in.mark)
	}
	return value, nil
}

// settled returns the positions as the numbers of the recordings tell to read them, if their own numbers do not tell.
func (p *positionsOf) settled(j *job) (*positionsOf, error) {
	d := p.dialect
	if p.degrees {
		return p, nil
	}
	if tables := j.dialect; d.decimal == noMark && tables.decimal != noMark {
		d.decimal, d.says, d.teller, d.grouping = tables.decimal, tables.says, tables.teller, d.open[anyPoint]
		if d.decimal == point {
			d.grouping = d.open[anyComma]
		}
	}
	decimal, note, err := d.settle()
	if err != nil {
		return nil, err
	}
	if note != "" {
		j.note("%s", note)
	}
	if len(d.open) == 0 {
		return p, nil
	}
	return j.readPositions(p.path, newDialect(decimal.name(), false))
}

// columns returns the first two columns of the positions of sensors: latitudes and longitudes, if these are degrees.
func (p *positionsOf) columns(sensors []string) (first, second []float64) {
	for _, sensor := range sensors {
		position := p.of[sensor]
		first, second = append(first, position[0]), append(second, position[min(1, len(position)-1)])
	}
	return first, second
}

// seems says that positions on a plane look like degrees; "" if they do not.
func (p *positionsOf) seems() string {
	var plane []float64
	for _, sensor := range p.sensors {
		if position := p.of[sensor]; len(position) == 2 {
			plane = append(plane, position...)
		}
	}
	return sphere.Seems(plane)
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
		points, dims = append(points, position...), len(position)
	}
	if p.degrees {
		return sphere.Points(p.columns(sensors)), 3, nil
	}
	return points, dims, nil
}

// plan returns the positions of sensors in a picture, `[sensors, dims]`. Degrees become a map, see sphere.Plan.
func (p *positionsOf) plan(sensors []string) (plan []float64, dims int) {
	if p.degrees {
		return sphere.Plan(p.columns(sensors)), 2
	}
	plan, dims, _ = p.points(sensors, "")
	return plan, dims
}
