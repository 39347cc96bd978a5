package recordings

import (
	"fmt"
	"math/big"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// microseconds are times in µs after the first, 1 or 2 apart, as an instrument takes them that waits for events.
func microseconds(n int) []int64 {
	all := []int64{0}
	for i := range n - 1 {
		all = append(all, all[i]+1+int64(i*i%3%2))
	}
	return all
}

// Times since 1970 keep their last digits, whatever they are written as.
func TestTimesWithManyDigits(t *testing.T) {
	const begin = 1_700_000_000_000_000_123 // ns
	ns := func(µs int64) int64 { return begin + 1000*µs }
	for name, c := range map[string]struct {
		of   float64 // a µs in the unit
		text func(µs int64) string
	}{
		"ns":                     {1000, func(µs int64) string { return fmt.Sprint(ns(µs)) }},
		"ns before 1970":         {1000, func(µs int64) string { return fmt.Sprint(ns(µs) - 2*begin) }},
		"ns with a point":        {1000, func(µs int64) string { return fmt.Sprintf("%d.0", ns(µs)) }},
		"ns with a power of ten": {1000, func(µs int64) string { return new(big.Float).SetInt64(ns(µs)).Text('E', 18) }},
		"half µs":                {2, func(µs int64) string { return fmt.Sprintf("%d.5", 1<<53/2+2*µs) }},
		"seconds":                {1e-6, func(µs int64) string { return fmt.Sprintf("%d.%09d", ns(µs)/1e9, ns(µs)%1e9) }},
		"seconds with few digits": {1e-6,
			func(µs int64) string { return fmt.Sprintf("%d.%06d", ns(µs)/1e9, ns(µs)%1e9/1000) }},
		"ms": {1e-3, func(µs int64) string { return fmt.Sprintf("%d.%06d", ns(µs)/1e6, ns(µs)%1e6) }},
		"dates": {1e-6,
			func(µs int64) string { return time.Unix(0, ns(µs)).UTC().Format("2006-01-02 15:04:05.000000000") }},
	} {
		folder, want := t.TempDir(), microseconds(60)
		for i := range 4 {
			text := "time;a\n"
			for at, µs := range want {
				text += fmt.Sprintf("%s;%d\n", c.text(µs), (at*at+i)%7)
			}
			put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), text)
		}
		s, err := read(t, []string{folder}, Options{})
		require.NoError(t, err, name)
		require.Len(t, s.noteTexts(), 1, name)
		messagetest.Names(t, s.noteTexts()[0], "times … more digits … float64 … from the first", name)
		for _, x := range s.samples {
			for at, µs := range want {
				assert.InDelta(t, float64(µs), x.Times[at]/c.of, 1e-3, "%s, time %d", name, at)
			}
		}
		_, d := imported(t, Options{}, folder)
		alike(t, Options{}, d, folder)
	}
}

// Decimal commas and lines in any order change nothing of that; times of few digits stay what they are.
func TestTimesWithManyDigitsInAnyOrder(t *testing.T) {
	s, err := read(t, []string{put(t, t.TempDir(), "a.csv",
		"time;a;label\n1700000000,123456003;1;u\n1700000000,123456001;2;u\n"+
			"1700000000,123456007;3,5;u\n1700000000,123456004;4;u\n")}, Options{Table: Table{Layout: recordingLayout}})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0, 2e-9, 3e-9, 6e-9}, s.samples[0].Times, 1e-12)
	assert.Equal(t, []float64{2, 1, 4, 3.5}, s.samples[0].Values)
	messagetest.Names(t, s.noteTexts()[0], "from the first … 1700000000.123456001")
	for _, text := range []string{"1700000000.25;1;u\n1700000000.75;2;u\n1700000001;3;u\n",
		"1700000000123;1;u\n1700000000124;2;u\n"} {
		s, err = read(t, []string{put(t, t.TempDir(), "a.csv", "time;a;label\n"+text)},
			Options{Table: Table{Layout: recordingLayout}})
		require.NoError(t, err)
		assert.Greater(t, s.samples[0].Times[0], 1.6e9)
		assert.Empty(t, s.noteTexts())
	}
}

// Parquet's integers and times keep their last digits, and so do the times of a .ts file.
func TestTimesWithManyDigitsInOtherFormats(t *testing.T) {
	type row struct {
		Time  int64   `parquet:"time,timestamp(nanosecond)"`
		A     float64 `parquet:"a"`
		Label string  `parquet:"label"`
		Who   string  `parquet:"sample"`
	}
	type plainRow struct {
		Time  int64   `parquet:"time"`
		A     float64 `parquet:"a"`
		Label string  `parquet:"label"`
		Who   string  `parquet:"sample"`
	}
	folder, want := t.TempDir(), microseconds(60)
	stamps, counts := filepath.Join(folder, "stamps.parquet"), filepath.Join(folder, "counts.parquet")
	var rows []row
	var plainRows []plainRow
	text := "@problemName p\n@timeStamps true\n@classLabel true u v\n@data\n"
	for i := range 4 {
		series := ""
		for at, µs := range want {
			one := row{1_700_000_000_000_000_123 + 1000*µs, float64((at*at + i) % 7), fmt.Sprint("u", i%2), fmt.Sprint(i)}
			rows, plainRows = append(rows, one), append(plainRows, plainRow(one))
			series += fmt.Sprintf("(%d,%g),", one.Time, one.A)
		}
		text += fmt.Sprintf("%s:%c\n", series[:len(series)-1], 'u'+i%2)
	}
	require.NoError(t, parquet.WriteFile(stamps, rows))
	require.NoError(t, parquet.WriteFile(counts, plainRows))
	ts := put(t, folder, "a.ts", text)
	for path, unit := range map[string]float64{stamps: 1e-6, counts: 1000, ts: 1000} {
		s, err := read(t, []string{path}, Options{})
		require.NoError(t, err)
		require.Len(t, s.samples, 4)
		for _, x := range s.samples {
			for at, µs := range want {
				assert.InDelta(t, float64(µs), x.Times[at]/unit, 1e-3, path)
			}
		}
		require.Len(t, s.noteTexts(), 1)
		assert.Contains(t, s.noteTexts()[0], "counted from the first, 17000000")
	}
}
