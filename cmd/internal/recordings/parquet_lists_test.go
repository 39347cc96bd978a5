package recordings

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// listsRow is a sample whose column holds lists of lists; timesRow one of a list of named values.
type (
	listsRow struct {
		Acc   [][]float64 `parquet:"acc,list"`
		Label string      `parquet:"label"`
	}
	pointOf struct {
		X float64 `parquet:"x"`
		Y float64 `parquet:"y"`
	}
	pointsRow struct {
		Acc   []pointOf `parquet:"acc,list"`
		Label string    `parquet:"label"`
	}
)

// valueAt is the value of a channel at a time point of a sample.
func valueAt(sample, timepoint, channel int) float64 {
	return float64(1000*sample + 10*timepoint + channel)
}

// parquetOf writes rows to a Parquet file.
func parquetOf[T any](t *testing.T, rows []T) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, parquet.Write(&b, rows))
	return put(t, t.TempDir(), "r.parquet", b.String())
}

// listsFile writes samples of lists of lists, in which the outer lists go along time or the channels.
func listsFile(t *testing.T, timepoints, channels int, timeOutside bool) string {
	t.Helper()
	var rows []listsRow
	for i := range 6 {
		outer, inner := channels, timepoints
		if timeOutside {
			outer, inner = inner, outer
		}
		row := listsRow{Label: string(rune('a' + i%2))}
		for a := range outer {
			row.Acc = append(row.Acc, nil)
			for b := range inner {
				if timeOutside {
					row.Acc[a] = append(row.Acc[a], valueAt(i, a, b))
				} else {
					row.Acc[a] = append(row.Acc[a], valueAt(i, b, a))
				}
			}
		}
		rows = append(rows, row)
	}
	return parquetOf(t, rows)
}

// isTimeByChannel checks the values of the samples.
func isTimeByChannel(t *testing.T, r *reading, timepoints, channels int) {
	t.Helper()
	for i, x := range r.samples {
		var want []float64
		for at := range timepoints {
			for channel := range channels {
				want = append(want, valueAt(i, at, channel))
			}
		}
		assert.Equal(t, want, x.Values)
	}
}

// Lists of lists go along time by their lengths where these leave no doubt, which is told; else a person says it.
func TestListsOfLists(t *testing.T) {
	for _, c := range []struct {
		timepoints, channels int
		timeOutside          bool
		note, refused        string
	}{
		{40, 3, true, "column acc … 40 lists of 3 … 40 time points … 3 channels … --lists time-last", ""},
		{40, 3, false, "column acc … 3 lists of 40 … 40 time points … 3 channels … --lists time-first", ""},
		{12, 3, true, "12 time points … 3 channels", ""},
		{3, 3, true, "", "column acc … 3 lists of 3 … nothing … --lists time-first"},
		{3, 3, false, "", "nothing says"},
		{11, 3, true, "", "11 lists of 3 … nothing"},
		{3, 11, true, "", "3 lists of 11 … nothing"},
		{200, 40, true, "", "200 lists of 40 … nothing"},
	} {
		path := listsFile(t, c.timepoints, c.channels, c.timeOutside)
		order := timeLast
		if c.timeOutside {
			order = timeFirst
		}
		r, err := read(t, []string{path}, Options{Table: Table{Lists: order}})
		require.NoError(t, err)
		isTimeByChannel(t, r, c.timepoints, c.channels)
		if c.refused != "" {
			messagetest.Names(t, refused(t, Options{}, path), c.refused)
			continue
		}
		r, err = read(t, []string{path}, Options{})
		require.NoError(t, err)
		isTimeByChannel(t, r, c.timepoints, c.channels)
		messagetest.Names(t, strings.Join(r.noteTexts(), "\n"), c.note)
		_, d := imported(t, Options{}, path)
		alike(t, Options{}, d, path)
	}
}

// Where a file says that the lists on one side have a fixed length, the others go along time, whatever their lengths.
func TestListsOfFixedLength(t *testing.T) {
	for _, file := range []string{"lists-inner-fixed.parquet", "lists-outer-fixed.parquet"} {
		made, d := imported(t, Options{}, filepath.Join("testdata", file))
		assert.Equal(t, []string{"acc"}, made.Sensors)
		assert.Equal(t, 3, made.Channels)
		assert.Empty(t, made.Notes)
		assert.Equal(t, []float32{100, 101, 102, 110, 111, 112, 120, 121, 122, 130, 131, 132, 140, 141, 142}, d.Series[1])
	}
}

// New recordings are read as the import's, at other lengths, too, and turned ones are refused.
func TestListsOfNewRecordings(t *testing.T) {
	for _, outside := range []bool{true, false} {
		_, d := imported(t, Options{}, listsFile(t, 40, 3, outside))
		for _, timepoints := range []int{57, 6, 3} {
			all, _, err := ReadUnlabelled(t.Context(), []string{listsFile(t, timepoints, 3, outside)}, d.Form)
			require.NoError(t, err)
			series, _, err := d.Form.Series(all[2])
			require.NoError(t, err)
			assert.Len(t, series, 3*timepoints)
			assert.Equal(t, []float32{2000, 2001, 2002, 2010}, series[:4])
		}
		_, _, err := ReadUnlabelled(t.Context(), []string{listsFile(t, 57, 3, !outside)}, d.Form)
		messagetest.Names(t, err, "3 channels … turn the lists")
	}
}

// A list of named values may be of time points or of sensors, which a person says.
func TestListsOfNamedValues(t *testing.T) {
	var rows []pointsRow
	for i := range 6 {
		row := pointsRow{Label: string(rune('a' + i%2))}
		for at := range 12 {
			row.Acc = append(row.Acc, pointOf{valueAt(i, at, 0), valueAt(i, at, 1)})
		}
		rows = append(rows, row)
	}
	path := parquetOf(t, rows)
	messagetest.Names(t, refused(t, Options{}, path),
		"column acc … list of 12 … several values … --lists time-first … --lists sensors")
	r, err := read(t, []string{path}, Options{Table: Table{Lists: timeFirst}})
	require.NoError(t, err)
	isTimeByChannel(t, r, 12, 2)
	assert.Equal(t, []string{"acc"}, r.chosen.sensors)
	made, d := imported(t, Options{Table: Table{Lists: noTime}}, path)
	assert.Len(t, made.Sensors, 12)
	assert.Equal(t, []int{1, 2}, []int{made.Timepoints.Longest, made.Channels})
	alike(t, Options{}, d, path)
	made, _ = imported(t, Options{Table: Table{Lists: noTime}}, listsFile(t, 3, 4, true))
	assert.Equal(t, []int{3, 1, 4}, []int{len(made.Sensors), made.Timepoints.Longest, made.Channels})
	messagetest.Names(t, refused(t, Options{Table: Table{Lists: timeLast}},
		put(t, t.TempDir(), "r.csv", "x,label\n1,a\n2,b\n")),
		"--lists time-last … .parquet … none")
}

// Arrays whose lengths are not in the first place are recognised where they differ.
func TestArraysInAnotherOrder(t *testing.T) {
	folder := t.TempDir()
	for i := range 4 {
		name := string(rune('a'+i%2)) + "/" + string(rune('0'+i)) + ".npy"
		writeNPY(t, folder, name, []int{3, 20 + i}, make([]float64, 3*(20+i)))
	}
	messagetest.Names(t, refused(t, Options{}, folder),
		"2.npy … 22 values … "+filepath.Join(folder, "a", "0.npy")+" … 20 … [timepoints, sensors, axes] … turn")
}
