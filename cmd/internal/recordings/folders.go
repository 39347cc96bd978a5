package recordings

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
)

// readFolders reads a folder with a folder for each class, which holds a CSV or npy file for each recording. It skips
// other files, and names that begin with a dot.
func (r *reading) readFolders(folder string) (*set, error) {
	paths, err := recordingsIn(folder)
	if err != nil {
		return nil, err
	}
	s := &set{name: filepath.Base(folder)}
	for i, path := range paths {
		if err := r.tell("reading "+folder, float64(i)/float64(len(paths))); err != nil {
			return nil, err
		}
		read := r.readRecordingCSV
		if strings.EqualFold(filepath.Ext(path), ".npy") {
			read = readRecordingNPY
		}
		one, values, err := read(path)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.sensors, s.channels = one.sensors, one.channels
		}
		if one.channels != s.channels || !slices.Equal(one.sensors, s.sensors) {
			return nil, fmt.Errorf("%s has %s, but %s has %s; all recordings must have the same, in the same order",
				path, one.describe(), paths[0], s.describe())
		}
		label := filepath.Base(filepath.Dir(path))
		s.samples = append(s.samples, sample{where: path, name: filepath.Base(path), label: label, values: values})
	}
	return s, nil
}

// recordingsIn lists the recordings, class by class.
func recordingsIn(folder string) (paths []string, err error) {
	classes, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, class := range classes {
		inside := filepath.Join(folder, class.Name())
		if info, err := os.Stat(inside); err != nil || !info.IsDir() || strings.HasPrefix(class.Name(), ".") {
			continue // Stat follows a link to a folder
		}
		files, err := os.ReadDir(inside)
		if err != nil {
			return nil, err
		}
		before := len(paths)
		for _, file := range files {
			extension := strings.ToLower(filepath.Ext(file.Name()))
			if !file.IsDir() && !strings.HasPrefix(file.Name(), ".") && (extension == ".csv" || extension == ".npy") {
				paths = append(paths, filepath.Join(inside, file.Name()))
			}
		}
		if ts, _ := tsIn(inside); len(paths) == before && len(ts) > 0 {
			return nil, fmt.Errorf("%s holds .ts files; import that folder, each problem by itself", inside)
		}
		if len(paths) == before {
			return nil, fmt.Errorf("%s holds no .csv or .npy file; put the recordings of class %q there, or remove the folder",
				inside, class.Name())
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds neither .ts files nor folders of .csv or .npy files; make a folder for each class "+
			"and put its recordings there, or give one .csv of all readings", folder)
	}
	return paths, nil
}

// describe says which sensors a recording has.
func (s *set) describe() string {
	return fmt.Sprintf("%d sensors (%s) of %d channels", len(s.sensors), few(s.sensors), s.channels)
}

const headingHint = "the first line names the columns: hip.x,hip.y,head.x,head.y"

// readRecordingCSV reads a file with a line for each moment and a column for each value, headed sensor.axis. The axes
// of a sensor are side by side, and all sensors have as many. A heading without a dot is a sensor with one axis. values
// is `[moments, sensors, channels]`, NaN for a missing value.
func (r *reading) readRecordingCSV(path string) (s *set, values []float64, err error) {
	var headings []string
	err = r.readTable(path, ',', func(_ int, cells []string) (err error) {
		if headings == nil {
			headings = slices.Clone(cells)
			s, err = sensorsOf(headings)
			return err
		}
		values, err = addRow(values, cells, headings)
		return err
	})
	switch {
	case err != nil:
	case headings == nil:
		err = fmt.Errorf("%s: the file is empty; %s", path, headingHint)
	case values == nil:
		err = fmt.Errorf("%s: no line of values comes after the first, which names the columns; remove the file", path)
	}
	return s, values, err
}

// addRow appends the values of a line. Each heading needs a cell.
func addRow(values []float64, cells, headings []string) ([]float64, error) {
	if err := complete(cells, headings); err != nil {
		return nil, err
	}
	for i, cell := range cells {
		value, err := number(cell)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", headings[i], err)
		}
		values = append(values, value)
	}
	return values, nil
}

// complete checks that a line has a cell for each heading.
func complete(cells, headings []string) error {
	if len(cells) == len(headings) {
		return nil
	}
	return fmt.Errorf("%d cells, the first line names %d columns; leave a missing value empty between its commas",
		len(cells), len(headings))
}

// sensorsOf takes headings apart into sensors and their number of axes.
func sensorsOf(headings []string) (*set, error) {
	s := &set{}
	for i, heading := range headings {
		if _, err := strconv.ParseFloat(heading, 64); err == nil || heading == "" {
			return nil, fmt.Errorf("the heading of column %d is %q; %s", i+1, heading, headingHint)
		}
		name := sensorOf(heading)
		if len(s.sensors) > 0 && s.sensors[len(s.sensors)-1] == name {
			continue
		}
		if slices.Contains(s.sensors, name) {
			return nil, fmt.Errorf("the columns of sensor %q are not side by side; "+
				"order them sensor by sensor: hip.x,hip.y,head.x,head.y", name)
		}
		s.sensors = append(s.sensors, name)
	}
	s.channels = len(headings) / len(s.sensors)
	for i, heading := range headings {
		if i == s.channels*len(s.sensors) {
			return nil, fmt.Errorf("the sensors do not have as many axes each: column %d is %q, one more than the %d of "+
				"another sensor", i+1, heading, s.channels)
		}
		if sensor := s.sensors[i/s.channels]; sensorOf(heading) != sensor {
			return nil, fmt.Errorf("the sensors do not have as many axes each: column %d is %q where one of sensor %q "+
				"should be", i+1, heading, sensor)
		}
	}
	return s, nil
}

// sensorOf returns a heading up to its last dot.
func sensorOf(heading string) string {
	if dot := strings.LastIndexByte(heading, '.'); dot >= 0 {
		return heading[:dot]
	}
	return heading
}

// readRecordingNPY reads an array `[moments, sensors, axes]`, or `[moments, sensors]` for one axis. It names the
// sensors 0, 1, 2, …
func readRecordingNPY(path string) (*set, []float64, error) {
	a, err := npz.ReadNPYFile(path)
	if err != nil {
		return nil, nil, err
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return nil, nil, fmt.Errorf("%s: the array has shape %v; want [moments, sensors, axes], none of them 0", path,
			a.Shape)
	}
	s := &set{channels: 1}
	for sensor := range a.Shape[1] {
		s.sensors = append(s.sensors, strconv.Itoa(sensor))
	}
	if len(a.Shape) == 3 {
		s.channels = a.Shape[2]
	}
	values, err := a.Floats()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, v := range values {
		if math.Abs(v) > math.MaxFloat32 {
			return nil, nil, fmt.Errorf("%s: %s is %g, which float32 does not hold; store nan for a missing value",
				path, a.Element("the array", i), v)
		}
	}
	return s, slices.Clone(values), nil
}

// number reads a value. It returns NaN for a missing one: nothing, ? or NaN.
func number(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if text == "" || text == "?" {
		return math.NaN(), nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(value) > math.MaxFloat32 {
		return 0, fmt.Errorf("%.30q is not a number that float32 holds; correct it, or write ? for a missing value", text)
	}
	return value, nil
}
