package recordings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
)

// written are recordings as an import should read them, and a dialect and a layout to write them in.
type written struct {
	sensors             []string
	values              [][]float64 // of each recording, `[timepoints, sensors]`
	times               [][]float64 // nil without
	layout, separator   string
	comma, quoted       bool
	index, crlf, marked bool
	date                string // the layout of times; "" for numbers
}

// draw draws recordings of any lengths, with gaps, in any dialect.
func draw(random *rand.Rand) (w written) {
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	w.sensors = []string{"hip", "left knee", "größe"}[:1+random.IntN(3)]
	w.layout, w.separator = pick(recordingLayout, timepointsLayout, readingsLayout, samplesLayout),
		pick(",", ";", "\t", "|")
	w.comma, w.quoted, w.index = w.separator != "," && random.IntN(2) == 0, random.IntN(4) == 0, random.IntN(4) == 0
	w.crlf, w.marked = random.IntN(4) == 0, random.IntN(4) == 0
	w.date = pick("", "", "2006-01-02 15:04:05.000", "2006-01-02T15:04:05.000Z", "02.01.2006 15:04:05.000", "15:04:05.000",
		"20060102150405")
	timed := w.layout == readingsLayout || w.layout != samplesLayout && random.IntN(3) > 0
	length := 2 + random.IntN(8)
	for i := range 4 {
		if w.layout != samplesLayout {
			length = 2 + random.IntN(8)
		}
		values, times, at := make([]float64, length*len(w.sensors)), make([]float64, length), 1.7e9+float64(random.IntN(1000))
		if w.date == "15:04:05.000" {
			at = float64(random.IntN(3600))
		}
		for k := range values {
			switch values[k] = math.Round(random.NormFloat64()*1e4) / 1000; {
			case random.IntN(12) == 0:
				values[k] = math.NaN()
			case random.IntN(12) == 0:
				values[k] *= 1e7
			}
		}
		values[0], values[len(w.sensors)] = float64(i)+0.5, float64(i)-0.25 // nothing rises throughout, and no row is empty
		for row := range slices.Chunk(values, len(w.sensors)) {
			if math.IsNaN(row[0]) {
				row[0] = 0.125
			}
		}
		for k := range times {
			times[k], at = at, at+float64(1+random.IntN(3))
		}
		w.values = append(w.values, values)
		if timed {
			w.times = append(w.times, times)
		}
	}
	return w
}

// number writes a value.
func (w written) number(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if math.IsNaN(v) {
		text = ""
	}
	if w.comma {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// write writes the recordings below a folder, and returns what to import.
func (w written) write(t *testing.T, folder string) string {
	t.Helper()
	files := map[string][][]string{}
	add := func(name string, heading []string, row ...string) {
		if files[name] == nil {
			files[name] = [][]string{heading}
		}
		files[name] = append(files[name], row)
	}
	width := len(w.sensors)
	for i, values := range w.values {
		label, sample := string(rune('u'+i%2)), fmt.Sprintf("s%d", i)
		if w.layout == samplesLayout {
			heading, row := []string{"label"}, []string{label}
			for k, v := range values {
				heading, row = append(heading, fmt.Sprintf("%s@%d", w.sensors[k%width], k/width)), append(row, w.number(v))
			}
			add("all", heading, row...)
			continue
		}
		for at := range len(values) / width {
			var heading, row []string
			if w.times != nil {
				heading, row = append(heading, "time"), append(row, w.number(w.times[i][at]))
				if w.date != "" {
					row[0] = time.UnixMilli(int64(1000 * w.times[i][at])).UTC().Format(w.date)
				}
			}
			name := label + "/" + sample
			if w.layout != recordingLayout {
				name, heading, row = "all", append(heading, "sample", "label"), append(row, sample, label)
			}
			cells := slices.Collect(func(yield func(string) bool) {
				for _, v := range values[at*width:][:width] {
					yield(w.number(v))
				}
			})
			if w.layout != readingsLayout {
				add(name, append(heading, w.sensors...), append(row, cells...)...)
				continue
			}
			for k, cell := range cells {
				add(name, append(slices.Clone(heading), "sensor", "value"), append(slices.Clone(row), w.sensors[k], cell)...)
			}
		}
	}
	mark, end := "", "\n"
	if w.marked {
		mark = "\ufeff"
	}
	if w.crlf {
		end = "\r\n"
	}
	for name, rows := range files {
		text := mark
		for i, row := range rows {
			if w.index && i == 0 {
				row = slices.Insert(row, 0, "")
			} else if w.index {
				row = slices.Insert(row, 0, strconv.Itoa(i-1))
			}
			for k, cell := range row {
				if w.quoted {
					row[k] = `"` + cell + `"`
				}
			}
			text += strings.Join(row, w.separator) + end
		}
		put(t, folder, name+".csv", text)
	}
	if w.layout == recordingLayout {
		return folder
	}
	return filepath.Join(folder, "all.csv")
}

// What is read equals what was written, in every dialect and layout, or it is refused, which is rare.
func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	cases, refused := 10_000, 0
	if testing.Short() {
		cases = 1000
	}
	random, folder := rand.New(rand.NewPCG(7, 7)), filepath.Join(t.TempDir(), "r")
	for range cases {
		w := draw(random)
		s, err := read(t, []string{w.write(t, folder)}, Options{})
		require.NoError(t, os.RemoveAll(folder))
		if err != nil {
			refused++
			continue
		}
		require.Equal(t, w.sensors, s.chosen.sensors, w)
		require.Len(t, s.samples, len(w.values), w)
		for _, x := range s.samples {
			i := slices.IndexFunc(w.values, func(values []float64) bool { return values[0] == x.Values[0] })
			require.GreaterOrEqual(t, i, 0, "%v %v", w, x.Values)
			require.Equal(t, fmt.Sprint(w.values[i]), fmt.Sprint(x.Values), w)
			require.Equal(t, string(rune('u'+i%2)), x.label)
			if w.times == nil {
				require.Nil(t, x.Times)
				continue
			}
			require.InDeltaSlice(t, w.times[i], x.Times, 1e-3, w)
		}
	}
	require.Less(t, refused, cases/50)
}

// Predict makes of a file what the import made of it, bit for bit, in every dialect and layout: of recordings that are
// resampled, cut into windows, filled, or centred on an origin.
func TestPredictReadsAsTheImportDid(t *testing.T) {
	cases, refused, cut := 500, 0, 0
	if testing.Short() {
		cases = 60
	}
	random, folder := rand.New(rand.NewPCG(8, 8)), filepath.Join(t.TempDir(), "r")
	for range cases {
		w, o := draw(random), Options{Missing: []string{"", "zero", "fill"}[random.IntN(3)], Gaps: []float64{0.125}}
		if random.IntN(3) == 0 {
			o.Origin = w.sensors[random.IntN(len(w.sensors))]
		}
		if random.IntN(2) == 0 {
			o.Cut.Window = recording.Span{Length: float64(2 + random.IntN(3)), Timepoints: w.times == nil || random.IntN(2) == 0}
			o.Cut.Step = recording.Span{Length: float64(1 + random.IntN(3)), Timepoints: o.Cut.Window.Timepoints}
		}
		input, path := w.write(t, folder), filepath.Join(folder, "made.npz")
		_, err := Import(t.Context(), []string{input}, path, o)
		var d *datasets.Dataset
		if err == nil {
			d, err = datasets.Load(t.Context(), path, datasets.Options{})
			require.NoError(t, os.Remove(path))
		}
		refused++
		if err == nil {
			refused--
			alike(t, o, d, input)
			cut += len(d.Series)
		}
		require.NoError(t, os.RemoveAll(folder))
	}
	require.Less(t, refused, cases/4)
	require.Greater(t, cut, 4*cases)
}
