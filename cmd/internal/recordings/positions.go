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
	name    int      // column of the sensor
	places  []int    // columns of its position; nil before the first line
}

// has reports that the position of a sensor is known.
func (p *positionsOf) has(sensor string) bool { return p != nil && p.of[sensor] != nil }

// The headings of positions.
var (
	latitude  = regexp.MustCompile(`^(?i:lat|latitude|breite|breitengrad)\b`)
	longitude = regexp.MustCompile(`^(?i:lon|long|lng|longitude|länge|laenge|längengrad|laengengrad)\b`)
	height    = regexp.MustCompile(`^(?i:z|alt|altitude|elev|elevation|ele|height|höhe|hoehe)\b`)
)

// readPositions reads a table with a sensor and its position in each line: name,x,y or name,x,y,z and no more; or
// columns headed latitude and longitude, beside which other columns are ignored. A first line without numbers is a
// heading.
func (j *job) readPositions(path string, d *dialect) (*positionsOf, error) {
	p := &positionsOf{path: path, of: map[string][]float64{}, dialect: d}
	err := readText(j, path, func(in *input, line int, cells []string) error {
		first := p.places == nil
		if first {
			p.findColumns(j, cells)
		}
		tooFew := len(p.places) < 2 || len(cells) <= slices.Max(append(p.places, p.name))
		tooMany := !p.degrees && (len(p.places) > 3 || len(cells) > len(p.places)+1)
		if tooFew || tooMany {
			return fmt.Errorf("%d cells; want the sensor's name and its position, in all lines alike: sensor,x,y or "+
				"sensor,x,y,z", len(cells))
		}
		return p.add(in, line, cells, first)
	})
	if err != nil {
		return nil, err
	}
	if p.degrees {
		at, err := sphere.Check(p.columns(p.sensors))
		if err != nil {
			return nil, fmt.Errorf("%s: sensor %q: %w", path, p.sensors[at], err)
		}
		return p, nil
	}
	seems := p.seems()
	if seems != "" {
		j.note("the positions of %s %s; if they are degrees, head the columns latitude and longitude", path, seems)
	}
	return p, nil
}

// findColumns finds the columns of the name and of the position by the first line: those headed latitude and longitude,
// or all behind the first.
func (p *positionsOf) findColumns(j *job, cells []string) {
	find := func(like *regexp.Regexp) int { return slices.IndexFunc(cells, like.MatchString) }
	p.places = []int{find(latitude), find(longitude)}
	p.degrees = min(p.places[0], p.places[1]) >= 0
	if !p.degrees {
		p.places = nil
		for i := range cells[1:] {
			p.places = append(p.places, i+1)
		}
	} else if at := find(height); at >= 0 {
		j.note("column %s of %s holds heights; left out", cells[at], p.path)
	}
	for slices.Contains(p.places, p.name) {
		p.name++
	}
}

// add reads a line. The first may be a heading, which has no numbers.
func (p *positionsOf) add(in *input, line int, cells []string, first bool) error {
	in.dialect = p.dialect
	var position []float64
	for _, column := range p.places {
		value, err := p.number(in, column, line, cells[column])
		switch {
		case err == nil && value-value == 0: // finite
			position = append(position, value)
		case errors.As(err, new(contrary)):
			return err
		case first:
			return nil
		default:
			return fmt.Errorf("%q is not a finite number; want the sensor's name and its position: sensor,x,y, sensor,x,y,z, "+
				"or degrees of latitude and longitude", cells[column])
		}
	}
	if in.bare.text != "" && !in.tellsComma {
		p.dialect.bare = in.bare
	}
	sensor := strings.Clone(cells[p.name])
	if p.of[sensor] != nil {
		return fmt.Errorf("sensor %q has a position already; keep one of the lines", sensor)
	}
	if p.degrees {
		_, err := sphere.Check(position[:1], position[1:])
		if err != nil {
			return fmt.Errorf("%w; correct them, or head the columns x and y", err)
		}
	}
	p.of[sensor] = position
	p.sensors = append(p.sensors, sensor)
	return nil
}

// number reads a coordinate. Degrees have no thousands, so that any mark of theirs is before decimals.
func (p *positionsOf) number(in *input, column, line int, cell string) (value float64, err error) {
	d := p.dialect
	value, err = in.number(line, cell)
	if err != nil || p.degrees {
		return value, err
	}
	if in.reliant && d.reliant == nil {
		d.reliant = fmt.Errorf("%s, line %d: %q has a decimal comma, and commas separate the cells; %s", p.path, line,
			cell, d.way())
	}
	if d.doubtful() {
		d.column(strconv.Itoa(column+1)).see(value, numeral{p.path, cell, line}, in.mark)
	}
	return value, nil
}

// settled decides whether marks such as that of 1.234 are before decimals: by the numbers of the positions or, if these
// do not tell, by those of the recordings. If the mark of any number was open, it returns the positions read again by
// the decision, else p as it is. Degrees have no marks between thousands, so that nothing was open.
func (p *positionsOf) settled(j *job) (*positionsOf, error) {
	d := p.dialect
	if p.degrees {
		return p, nil
	}
	if tables := j.dialect; d.decimal == noMark && tables.decimal != noMark {
		otherMark := anyPoint // open numbers with the mark that is not before decimals: it is between their thousands
		if tables.decimal == point {
			otherMark = anyComma
		}
		d.decimal, d.says, d.teller, d.grouping = tables.decimal, tables.says, tables.teller, d.open[otherMark]
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
		first, second = append(first, position[0]), append(second, position[1])
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

// points returns the positions of the sensors, `[sensors, dims]`, and how far they are from each other: degrees are
// points on a sphere of radius 1. Maps have coordinates instead.
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
