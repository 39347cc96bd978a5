package recordings

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// readTable calls each with the cells of every line of a CSV file, without blanks around them, and its number. Empty lines are passed
// over. Errors name the file, and those of each the line too.
func readTable(path string, each func(line int, cells []string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	table := newCSV(file)
	for {
		line, cells, err := table.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := each(line, cells); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, line, err)
		}
	}
}

// csvReader reads lines of cells.
type csvReader struct{ from *csv.Reader }

func newCSV(r io.Reader) *csvReader {
	from := csv.NewReader(r)
	from.FieldsPerRecord, from.ReuseRecord, from.TrimLeadingSpace = -1, true, true
	return &csvReader{from}
}

// next is the next line that is not empty. Its cells are good until the one after.
func (c *csvReader) next() (line int, cells []string, err error) {
	cells, err = c.from.Read()
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return 0, nil, fmt.Errorf("line %d, character %d: %w; put cells that hold a quotation mark or comma in quotation marks", wrong.Line, wrong.Column, wrong.Err)
	}
	if err != nil {
		return 0, nil, err
	}
	line, _ = c.from.FieldPos(0)
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	if line == 1 {
		cells[0] = strings.TrimPrefix(cells[0], "\ufeff")
	}
	return line, cells, nil
}

// readLinks reads a CSV with a pair of sensors in each line, by their names.
func readLinks(path string, sensors []string) (links [][2]int, err error) {
	err = readTable(path, func(_ int, cells []string) error {
		if len(cells) != 2 {
			return fmt.Errorf("%d cells; want the names of two sensors that belong together", len(cells))
		}
		var link [2]int
		for end, name := range cells {
			if link[end] = slices.Index(sensors, name); link[end] < 0 {
				return fmt.Errorf("%q is not one of the sensors: %s", name, few(sensors))
			}
		}
		if link[0] == link[1] {
			return fmt.Errorf("sensor %q is linked with itself; a link joins two sensors", cells[0])
		}
		links = append(links, link)
		return nil
	})
	if err == nil && len(links) == 0 && len(sensors) > 1 {
		err = fmt.Errorf("%s holds no link; write a pair of sensors in each line, or leave --links out", path)
	}
	return links, err
}

// Part is a part of a body and its sensors, by their numbers.
type Part struct {
	Name    string `json:"name"`
	Sensors []int  `json:"sensors"`
}

// readParts reads a CSV with a sensor and the name of its part of a body in each line. Parts are in the order in which the file has them first;
// of gives each sensor's, -1 for none.
func readParts(path string, sensors []string) (parts []Part, of []int32, err error) {
	of = slices.Repeat([]int32{-1}, len(sensors))
	err = readTable(path, func(_ int, cells []string) error {
		if len(cells) != 2 {
			return fmt.Errorf("%d cells; want a sensor and the name of its part of the body", len(cells))
		}
		sensor := slices.Index(sensors, cells[0])
		switch {
		case sensor < 0:
			return fmt.Errorf("%q is not one of the sensors: %s", cells[0], few(sensors))
		case of[sensor] >= 0:
			return fmt.Errorf("sensor %q is in two parts; keep one", cells[0])
		}
		at := slices.IndexFunc(parts, func(p Part) bool { return p.Name == cells[1] })
		if at < 0 {
			at = len(parts)
			parts = append(parts, Part{Name: cells[1]})
		}
		parts[at].Sensors, of[sensor] = append(parts[at].Sensors, sensor), int32(at)
		return nil
	})
	if err == nil && len(parts) == 0 {
		err = fmt.Errorf("%s holds no part; write a sensor and its part in each line, or leave --parts out", path)
	}
	return parts, of, err
}

// readPositions reads a CSV with a sensor and its place in each line: name,x,y or name,x,y,z. A first line without numbers is a heading.
// It must place every sensor, and may place others.
func readPositions(path string, sensors []string) (points []float64, dims int, err error) {
	placed := make([]bool, len(sensors))
	err = readTable(path, func(line int, cells []string) error {
		place := make([]float64, len(cells)-1)
		var wrong error
		for i, cell := range cells[1:] {
			value, err := strconv.ParseFloat(cell, 64)
			if err != nil || value-value != 0 {
				wrong = fmt.Errorf("%q is not a finite number; want the sensor's name and its place: sensor,x,y or sensor,x,y,z", cell)
			}
			place[i] = value
		}
		switch {
		case wrong != nil && line == 1:
			return nil // the heading
		case wrong != nil:
			return wrong
		case len(place) < 1 || len(place) > 3 || dims > 0 && len(place) != dims:
			return fmt.Errorf("%d cells; want the sensor's name and its place, in all lines alike: sensor,x,y or sensor,x,y,z", len(cells))
		}
		if dims == 0 {
			dims, points = len(place), make([]float64, len(sensors)*len(place))
		}
		sensor := slices.Index(sensors, cells[0])
		switch {
		case sensor < 0:
			return nil // such as the electrodes of a cap that were not used
		case placed[sensor]:
			return fmt.Errorf("sensor %q has a place already; keep one of the lines", cells[0])
		}
		placed[sensor] = true
		copy(points[sensor*dims:], place)
		return nil
	})
	if at := slices.Index(placed, false); err == nil && at >= 0 {
		err = fmt.Errorf("%s has no place of sensor %q; add a line %s,x,y", path, sensors[at], sensors[at])
	}
	return points, dims, err
}
