package recordings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
)

// readRecordingCSV reads a file with a line for each moment and a column for each value, headed sensor.axis: the axes of one sensor after
// another, as many of each. A heading without a dot is a sensor of one axis.
func readRecordingCSV(path string) (recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return recording{}, err
	}
	defer file.Close()
	table := newCSV(bufio.NewReaderSize(file, 1<<16))
	line, headings, err := table.next()
	if errors.Is(err, io.EOF) {
		return recording{}, errors.New("the file is empty; its first line names the columns: hip.x,hip.y,head.x,head.y")
	}
	if err != nil {
		return recording{}, err
	}
	headings = slices.Clone(headings)
	out, err := sensorsOf(headings)
	if err != nil {
		return out, fmt.Errorf("line %d: %w", line, err)
	}
	for {
		line, cells, err := table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, err
		}
		if len(cells) != len(headings) {
			return out, fmt.Errorf("line %d: %d cells, the first line names %d columns; leave a missing value empty between its commas", line, len(cells), len(headings))
		}
		for i, cell := range cells {
			value, err := number(cell)
			if err != nil {
				return out, fmt.Errorf("line %d, column %s: %w", line, headings[i], err)
			}
			out.values = append(out.values, value)
		}
	}
	if len(out.values) == 0 {
		return out, errors.New("no line of values comes after the first, which names the columns; remove the file")
	}
	return out, nil
}

// sensorsOf takes headings apart into sensors and their number of axes.
func sensorsOf(headings []string) (recording, error) {
	var out recording
	for i, heading := range headings {
		if _, err := strconv.ParseFloat(heading, 64); err == nil || heading == "" {
			return out, fmt.Errorf("the heading of column %d is %q; the first line names the columns: hip.x,hip.y,head.x,head.y", i+1, heading)
		}
		name := sensorOf(heading)
		if len(out.sensors) > 0 && out.sensors[len(out.sensors)-1] == name {
			continue
		}
		if slices.Contains(out.sensors, name) {
			return out, fmt.Errorf("the columns of sensor %q are not side by side; order them sensor by sensor: hip.x,hip.y,head.x,head.y", name)
		}
		out.sensors = append(out.sensors, name)
	}
	out.channels = len(headings) / len(out.sensors)
	for i, heading := range headings {
		if sensor := out.sensors[min(i/out.channels, len(out.sensors)-1)]; sensorOf(heading) != sensor {
			return out, fmt.Errorf("the sensors do not have as many axes each: column %d is %q where one of sensor %q should be", i+1, heading, sensor)
		}
	}
	return out, nil
}

// sensorOf is a heading up to its last dot.
func sensorOf(heading string) string {
	if dot := strings.LastIndexByte(heading, '.'); dot >= 0 {
		return heading[:dot]
	}
	return heading
}

// readRecordingNPY reads an array [moments, sensors, axes], or [moments, sensors] of one axis. Its sensors are called 0, 1, 2, …
func readRecordingNPY(path string) (out recording, err error) {
	a, err := npz.ReadNPYFile(path)
	if err != nil {
		return out, errors.New(strings.TrimPrefix(err.Error(), path+": "))
	}
	if len(a.Shape) < 2 || len(a.Shape) > 3 || slices.Contains(a.Shape, 0) {
		return out, fmt.Errorf("the array has shape %v; want [moments, sensors, axes], none of them 0", a.Shape)
	}
	for sensor := range a.Shape[1] {
		out.sensors = append(out.sensors, strconv.Itoa(sensor))
	}
	out.channels = 1
	if len(a.Shape) == 3 {
		out.channels = a.Shape[2]
	}
	values, err := a.Floats()
	if err != nil {
		return out, err
	}
	for i, v := range values {
		if math.Abs(v) > math.MaxFloat32 {
			return out, fmt.Errorf("%s is %g, which float32 does not hold; store nan for a missing value", a.Element("the array", i), v)
		}
	}
	out.values = slices.Clone(values)
	return out, nil
}
