package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/parquet-go/parquet-go"
)

// read reads the recordings of a file: series in an .npz file, or a table with a row for each time point, a column for each of the
// checkpoint's sensors, and perhaps the columns sample, which names the recording, and time. It returns those before an error.
func read(path string, form *recording.Form) (all []recording.Recording, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		lines := csv.NewReader(file)
		headings, err := lines.Read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return table(path, form, headings, lines.Read)
	case ".parquet":
		return readParquet(file, form)
	}
	raw, err := datasets.ReadSeries(path, form)
	if err != nil {
		return nil, err
	}
	for i, series := range raw.Series {
		all = append(all, recording.Recording{Name: raw.SampleName(i), Series: series})
	}
	return all, nil
}

// readParquet reads a table of numbers and, in the column sample, texts.
func readParquet(file *os.File, form *recording.Form) (all []recording.Recording, err error) {
	defer func() {
		if wrong := recover(); wrong != nil { // the library panics at a damaged file
			err = fmt.Errorf("%s: %v; the file is damaged, or no Parquet file", file.Name(), wrong)
		}
	}()
	rows := parquet.NewReader(file)
	defer func() { _ = rows.Close() }()
	var headings []string
	for _, column := range rows.Schema().Columns() {
		headings = append(headings, strings.Join(column, "."))
	}
	return table(file.Name(), form, headings, func() ([]string, error) {
		row := make([]parquet.Row, 1)
		if n, err := rows.ReadRows(row); n == 0 {
			return nil, cmp.Or(err, io.EOF)
		}
		if len(row[0]) != len(headings) {
			return nil, errors.New("a column holds lists; write a row for each time point")
		}
		cells := make([]string, len(headings))
		for i, value := range row[0] {
			if !value.IsNull() {
				cells[i] = value.String()
			}
		}
		return cells, nil
	})
}

// table reads rows until io.EOF. Rows of a recording follow each other.
func table(path string, form *recording.Form, headings []string, next func() ([]string, error)) (all []recording.Recording, err error) {
	var reading struct{ Take []string } // the columns that the import took
	if form.Reading != nil {
		if err := json.Unmarshal(form.Reading, &reading); err != nil {
			return nil, err
		}
	}
	if len(reading.Take) != form.Width() {
		if reading.Take = form.Sensors; len(reading.Take) != form.Width() {
			return nil, fmt.Errorf("%s: the checkpoint does not say the columns of its %d axes; store the recordings as .npz", path, form.Channels)
		}
	}
	columns := make([]int, form.Width())
	for i, column := range reading.Take {
		if columns[i] = slices.Index(headings, column); columns[i] < 0 {
			return nil, fmt.Errorf("%s: there is no column %q; there are %s", path, column, strings.Join(headings, ", "))
		}
	}
	sample, time := slices.Index(headings, "sample"), slices.Index(headings, "time")
	seen := map[string]bool{}
	for line := 2; ; line++ {
		cells, err := next()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, line, err)
		}
		name := filepath.Base(path)
		if sample >= 0 {
			name = cells[sample]
		}
		if len(all) == 0 || all[len(all)-1].Name != name {
			if seen[name] {
				return nil, fmt.Errorf("%s, line %d: recording %q continues after another; sort the rows by sample and time", path, line, name)
			}
			seen[name] = true
			all = append(all, recording.Recording{Name: name, Sensors: form.Sensors, Channels: form.Channels})
		}
		r := &all[len(all)-1]
		for i, column := range append(columns, time)[:len(columns)+min(1, time+1)] {
			v, err := strconv.ParseFloat(cells[column], 64)
			missing := cells[column] == "" || cells[column] == "NA"
			switch {
			case i == len(columns) && err == nil:
				r.Times = append(r.Times, v)
			case i < len(columns) && missing:
				r.Values = append(r.Values, math.NaN())
			case err != nil:
				return nil, fmt.Errorf("%s, line %d, column %s: %q is no number", path, line, headings[column], cells[column])
			default:
				r.Values = append(r.Values, v)
			}
		}
	}
}
