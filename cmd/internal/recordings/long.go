package recordings

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// longTable is a long CSV being read: a line for each reading of a sensor.
type longTable struct {
	columns []string // as the heading names them
	sample, time, sensor,
	label, group int // columns; -1 for none
	values   []int // columns
	samples  []*longSample
	bySample map[string]*longSample
	sensors  []string
	bySensor map[string]int32
}

// longSample is a sample, its readings in the order of the file.
type longSample struct {
	name, label, group string
	line               int // that it begins in
	readings           []longReading
	values             []float64 // `[readings, channels]`
}

type longReading struct {
	time   float64
	sensor int32
	at     int32 // among the readings
	line   int
}

// readLong reads a long CSV. Sensors and samples are numbered as they first appear.
func (r *reading) readLong(path string) (*set, error) {
	var given map[string]string
	if r.Labels != "" {
		if r.Label != "" {
			return nil, fmt.Errorf("the classes are given by --label %s and by --labels %s; keep one of them", r.Label, r.Labels)
		}
		var err error
		if given, err = readLabels(r.Labels); err != nil {
			return nil, err
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := &counter{from: file}
	t, err := r.readLongTable(from, func() error {
		return r.tell("reading "+filepath.Base(path), float64(from.bytes)/float64(max(info.Size(), 1)))
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &set{name: filepath.Base(path), sensors: t.sensors, channels: len(t.values), grouped: t.group >= 0}
	for _, from := range t.samples {
		one, err := t.lay(from)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if one.where = fmt.Sprintf("%s, sample %q", path, from.name); given != nil {
			label, ok := given[from.name]
			if !ok {
				return nil, fmt.Errorf("%s has no label of sample %q, which begins in line %d of %s; add a line %s,CLASS", r.Labels, from.name, from.line, path, from.name)
			}
			one.label = label
		}
		s.samples = append(s.samples, one)
	}
	return s, nil
}

// readLongTable reads the lines; tell is called now and then.
func (r *reading) readLongTable(from io.Reader, tell func() error) (*longTable, error) {
	table := newCSV(bufio.NewReaderSize(from, 1<<16))
	_, headings, err := table.next()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; its first line names the columns, such as sample,time,sensor,value,label")
	}
	if err != nil {
		return nil, err
	}
	t, err := r.longColumns(slices.Clone(headings))
	if err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	for lines := 0; ; lines++ {
		line, cells, err := table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && lines%4096 == 0 {
			err = tell()
		}
		if err != nil {
			return nil, err
		}
		if err := t.add(line, cells); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if len(t.samples) == 0 {
		return nil, errors.New("no line comes after the first, which names the columns; each reading takes a line")
	}
	return t, nil
}

// longColumns finds the columns by their headings.
func (r *reading) longColumns(headings []string) (*longTable, error) {
	t := &longTable{columns: headings, label: -1, group: -1, bySample: map[string]*longSample{}, bySensor: map[string]int32{}}
	if len(headings) == 1 && strings.ContainsAny(headings[0], ";\t") {
		return nil, fmt.Errorf("the line has no comma: %.40q; separate the columns by commas, and write decimal points", headings[0])
	}
	find := func(name, use string) (int, error) {
		if at := slices.IndexFunc(headings, func(h string) bool { return strings.EqualFold(h, name) }); at >= 0 {
			return at, nil
		}
		return -1, fmt.Errorf("no column is headed %q; there are %s: %s", name, strings.Join(headings, ", "), use)
	}
	names := r.Columns
	if names == nil {
		names = []string{"sample", "time", "sensor", "value"}
	}
	if len(names) < 4 {
		return nil, fmt.Errorf("--columns names %d columns (%s); want those of the sample, the time, the sensor and one or more values, in this order",
			len(names), strings.Join(names, ","))
	}
	var err error
	for i, name := range names {
		at, wrong := find(name, "name those of sample, time, sensor and value with --columns a,b,c,d")
		switch err = cmp.Or(err, wrong); i {
		case 0:
			t.sample = at
		case 1:
			t.time = at
		case 2:
			t.sensor = at
		default:
			t.values = append(t.values, at)
		}
	}
	if r.Labels == "" && err == nil {
		t.label, err = find(cmp.Or(r.Label, "label"), "name the column of the classes with --label COLUMN, or give a second file with --labels FILE")
	}
	if r.Group != "" && err == nil {
		if t.group, err = find(r.Group, "--group takes a column, or a regular expression with brackets"); strings.Contains(r.Group, "(") {
			err = nil
		}
	}
	return t, err
}

// add takes a line over.
func (t *longTable) add(line int, cells []string) error {
	if len(cells) != len(t.columns) {
		return fmt.Errorf("%d cells, the first line names %d columns; leave a missing value empty between its commas", len(cells), len(t.columns))
	}
	for _, column := range []int{t.sample, t.sensor, t.label, t.group} {
		if column >= 0 && cells[column] == "" {
			return fmt.Errorf("column %s is empty; each reading needs one", t.columns[column])
		}
	}
	name := cells[t.sample]
	s := t.bySample[name]
	if s == nil {
		name = strings.Clone(name)
		s = &longSample{name: name, line: line}
		s.label, s.group = strings.Clone(t.cell(cells, t.label)), strings.Clone(t.cell(cells, t.group))
		t.bySample[name] = s
		t.samples = append(t.samples, s)
	}
	for _, kept := range []struct {
		column int
		was    string
	}{{t.label, s.label}, {t.group, s.group}} {
		if now := t.cell(cells, kept.column); now != kept.was {
			return fmt.Errorf("column %s is %q, but sample %q has %q in line %d; all lines of a sample must agree",
				t.columns[kept.column], now, name, kept.was, s.line)
		}
	}
	sensor, ok := t.bySensor[cells[t.sensor]]
	if !ok {
		sensor = int32(len(t.sensors))
		t.sensors = append(t.sensors, strings.Clone(cells[t.sensor]))
		t.bySensor[t.sensors[sensor]] = sensor
	}
	time, err := parseTime(cells[t.time])
	if err != nil {
		return fmt.Errorf("column %s: %w", t.columns[t.time], err)
	}
	s.readings = append(s.readings, longReading{time, sensor, int32(len(s.readings)), line})
	for _, column := range t.values {
		value, err := number(cells[column])
		if err != nil {
			return fmt.Errorf("column %s: %w", t.columns[column], err)
		}
		s.values = append(s.values, value)
	}
	return nil
}

// cell is that of a column, "" for none.
func (t *longTable) cell(cells []string, column int) string {
	if column < 0 {
		return ""
	}
	return cells[column]
}

// lay puts the readings of a sample into a table: a row for each time at which any sensor was read.
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
			for range width {
				s.values = append(s.values, math.NaN())
			}
		}
		row := s.values[len(s.values)-width:]
		copy(row[int(reading.sensor)*channels:], from.values[int(reading.at)*channels:][:channels])
	}
	return s, nil
}

// counter counts what is read.
type counter struct {
	from  io.Reader
	bytes int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.bytes += int64(n)
	return n, err
}
