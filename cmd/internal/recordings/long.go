package recordings

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longTable is a long CSV being read: a line for each reading of a sensor.
type longTable struct {
	Options
	headings []string // nil before the first line
	sample, time, sensor,
	label, group int // columns; -1 for none
	values   []int // columns
	samples  []*longSample
	bySample map[string]*longSample
	sensors  []string
	bySensor map[string]int
}

// longSample is a sample with its readings in the order of the file.
type longSample struct {
	name, label, group string
	line               int // where it begins
	readings           []longReading
	values             []float64 // `[readings, channels]`
}

type longReading struct {
	time       float64
	sensor, at int // at is its number among the readings of the sample
	line       int
}

// readLong reads a long CSV. It numbers sensors and samples as they first appear.
func (r *reading) readLong(path string) (*set, error) {
	var given map[string]string
	if r.Labels != "" {
		if r.Label != "" {
			return nil, fmt.Errorf("the classes are given by --label %s and by --labels %s; keep one of them", r.Label, r.Labels)
		}
		var err error
		if given, err = r.readLabels(r.Labels); err != nil {
			return nil, err
		}
	}
	t := newLongTable(r.Options)
	err := r.readTable(path, ',', t.add)
	switch {
	case err != nil:
		return nil, err
	case t.headings == nil:
		return nil, fmt.Errorf("%s: the file is empty; its first line names the columns, such as "+
			"sample,time,sensor,value,label", path)
	case len(t.samples) == 0:
		return nil, fmt.Errorf("%s: no line comes after the first, which names the columns; each reading takes a line", path)
	}
	s := &set{name: filepath.Base(path), sensors: t.sensors, channels: len(t.values), grouped: t.group >= 0}
	for _, from := range t.samples {
		one, err := t.lay(from)
		if err != nil {
			return nil, fmt.Errorf("%s, %w", path, err)
		}
		if one.where = fmt.Sprintf("%s, sample %q", path, from.name); given != nil {
			label, ok := given[from.name]
			if !ok {
				return nil, fmt.Errorf("%s has no label of sample %q, which begins in line %d of %s; add a line %s,CLASS",
					r.Labels, from.name, from.line, path, from.name)
			}
			one.label = label
		}
		s.samples = append(s.samples, one)
	}
	return s, nil
}

func newLongTable(o Options) *longTable {
	return &longTable{Options: o, label: -1, group: -1, bySample: map[string]*longSample{}, bySensor: map[string]int{}}
}

// head finds the columns by their headings.
func (t *longTable) head(headings []string) (err error) {
	t.headings = headings
	if len(headings) == 1 && strings.ContainsAny(headings[0], ";\t") {
		return fmt.Errorf("the line has no comma: %.40q; separate the columns by commas, and write decimal points",
			headings[0])
	}
	find := func(name, use string) int {
		at := column(headings, name)
		if at < 0 && err == nil {
			err = fmt.Errorf("no column is headed %q; there are %s: %s", name, strings.Join(headings, ", "), use)
		}
		return at
	}
	names := t.Columns
	if names == nil {
		names = []string{"sample", "time", "sensor", "value"}
	}
	if len(names) < 4 {
		return fmt.Errorf("--columns names %d columns (%s); want those of the sample, the time, the sensor "+
			"and one or more values, in this order", len(names), strings.Join(names, ","))
	}
	var at []int
	for _, name := range names {
		at = append(at, find(name, "name those of sample, time, sensor and value with --columns a,b,c,d"))
	}
	t.sample, t.time, t.sensor, t.values = at[0], at[1], at[2], at[3:]
	if t.Labels == "" {
		t.label = find(cmp.Or(t.Label, "label"),
			"name the column of the classes with --label COLUMN, or give a second file with --labels FILE")
	}
	if strings.Contains(t.Group, "(") {
		t.group = column(headings, t.Group)
	} else if t.Group != "" {
		t.group = find(t.Group, "--group takes a column, or a regular expression with brackets")
	}
	return err
}

// add takes a line. The first line holds the headings.
func (t *longTable) add(line int, cells []string) error {
	if t.headings == nil {
		return t.head(slices.Clone(cells))
	}
	if err := complete(cells, t.headings); err != nil {
		return err
	}
	for _, column := range []int{t.sample, t.sensor, t.label, t.group} {
		if column >= 0 && cells[column] == "" {
			return fmt.Errorf("column %s is empty; each reading needs one", t.headings[column])
		}
	}
	cell := func(column int) string {
		if column < 0 {
			return ""
		}
		return strings.Clone(cells[column])
	}
	name := cells[t.sample]
	s := t.bySample[name]
	if s == nil {
		s = &longSample{name: cell(t.sample), label: cell(t.label), group: cell(t.group), line: line}
		t.bySample[s.name] = s
		t.samples = append(t.samples, s)
	}
	for i, column := range [2]int{t.label, t.group} {
		if was := [2]string{s.label, s.group}[i]; column >= 0 && cells[column] != was {
			return fmt.Errorf("column %s is %q, but sample %q has %q in line %d; all lines of a sample must agree",
				t.headings[column], cells[column], name, was, s.line)
		}
	}
	sensor, ok := t.bySensor[cells[t.sensor]]
	if !ok {
		sensor = len(t.sensors)
		t.sensors = append(t.sensors, cell(t.sensor))
		t.bySensor[t.sensors[sensor]] = sensor
	}
	time, err := parseTime(cells[t.time])
	if err != nil {
		return fmt.Errorf("column %s: %w", t.headings[t.time], err)
	}
	s.readings = append(s.readings, longReading{time, sensor, len(s.readings), line})
	for _, column := range t.values {
		value, err := number(cells[column])
		if err != nil {
			return fmt.Errorf("column %s: %w", t.headings[column], err)
		}
		s.values = append(s.values, value)
	}
	return nil
}

// lay makes a table of a sample's readings: a row for each time at which any sensor was read.
func (t *longTable) lay(from *longSample) (sample, error) {
	order := from.readings
	slices.SortFunc(order, func(a, b longReading) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.sensor, b.sensor), cmp.Compare(a.line, b.line))
	})
	s := sample{name: from.name, label: from.label, group: from.group}
	channels := len(t.values)
	width := len(t.sensors) * channels
	for i, reading := range order {
		if i > 0 && reading.time == order[i-1].time && reading.sensor == order[i-1].sensor {
			return s, fmt.Errorf("line %d: sensor %q was read at this time of sample %q in line %d already; keep one of them",
				reading.line, t.sensors[reading.sensor], from.name, order[i-1].line)
		}
		if i == 0 || reading.time != order[i-1].time {
			s.times = append(s.times, reading.time)
			s.values = append(s.values, slices.Repeat([]float64{math.NaN()}, width)...)
		}
		row := s.values[len(s.values)-width:]
		copy(row[reading.sensor*channels:], from.values[reading.at*channels:][:channels])
	}
	return s, nil
}

// layouts are the forms of a date.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02"}

// parseTime reads a time: a number of any unit, or a date, which it turns into seconds.
func parseTime(text string) (float64, error) {
	if value, err := strconv.ParseFloat(text, 64); err == nil && value-value == 0 && math.Abs(value) < math.MaxFloat32 {
		return value, nil
	}
	for _, layout := range layouts {
		if when, err := time.Parse(layout, text); err == nil {
			return float64(when.Unix()) + float64(when.Nanosecond())/1e9, nil
		}
	}
	return 0, fmt.Errorf("%.30q is not a time; want a number, or a date such as 2024-05-31 or 2024-05-31T12:00:00.5Z",
		text)
}
