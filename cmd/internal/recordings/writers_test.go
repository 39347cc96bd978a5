package recordings

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// tableOf is what files named table-* hold, by the first letter of a sensor's name; testdata/writers/README.md says
// how.
func tableOf(letter byte, sample int) float64 {
	floats := []float64{2.5, -1.25, 0.75, 100, -7.5, 3.125, 42, -0.5, 8, 9.25, -64, 0.1}
	whole := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
	truths := []float64{1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0}
	switch {
	case strings.IndexByte("nm", letter) >= 0 && (sample == 0 || sample == 5):
		return math.NaN()
	case strings.IndexByte("im", letter) >= 0:
		return whole[sample]
	case letter == 'b':
		return truths[sample]
	case letter == 't':
		return floats[sample] / 3
	}
	return floats[sample]
}

// Files that other programs have written hold the values that these programs were given, to the last bit of float32.
func TestFilesOfOtherWriters(t *testing.T) {
	files, err := filepath.Glob("testdata/writers/*-*.*")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 40)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			switch kind, _, _ := strings.Cut(filepath.Base(path), "-"); {
			case kind == "table":
				holdsTable(t, path)
			case kind == "times" && extension(path) == ".xlsx":
				holdsTimes(t, path)
			case kind == "formulas":
				assert.Regexp(t, "formula.*(nobody has calculated|0 or empty)", refused(t, Options{}, path))
			case kind == "hidden":
				result, _ := imported(t, Options{}, path)
				assert.Equal(t, []string{"x"}, result.Sensors)
			default:
				s, err := read(t, []string{path}, Options{})
				require.NoError(t, err)
				first := fmt.Sprint(s.chosen.sensors, s.samples[0].label, s.samples[0].Values, s.samples[0].Times,
					s.samples[2].label, len(s.samples))
				assert.Equal(t, series0[filepath.Base(path)], first)
			}
		})
	}
}

// series0 are the sensors, and the first sample, its class and that of the third, of the files of series.
var series0 = map[string]string{
	"aeon-1.6.0.ts": "[dim_0 dim_1]A[0.1257302210933933 0.36159505490948474 -0.1321048632913019 1.3040000451301372 " +
		"0.6404226504432821 0.9470809631292422 0.10490011715303971 " +
		"-0.7037352358069926 -0.535669373161111 -1.2654214710460525] []going up6",
	"sktime-1.2.0.ts": "[dim_0]u[-0.43643524714322124 -1.169801907772864 1.739367877130134] []u6",
	"times-of-sktime-1.2.0.ts": "[dim_0 dim_1]u[0.1257302210933933 0.36159505490948474 -0.1321048632913019 " +
		"1.3040000451301372 0.6404226504432821 0.9470809631292422 0.10490011715303971 " +
		"-0.7037352358069926 -0.535669373161111 -1.2654214710460525] [1.3600224e+09 1.360022401e+09 " +
		"1.360022402e+09 1.360022403e+09 1.360022404e+09]u6",
	"weka-3.8.6-relational.arff": "[dim_0 dim_1]Standing[0 1 0.25 1.25 0.5 1.5 0.75 1.75] []Standing4",
	"weka-3.8.6.arff":            "[f a n_c]walk[2.5 NaN] []o'clock, % {x}12",
}

func holdsTable(t *testing.T, path string) {
	t.Helper()
	s, err := read(t, []string{path}, Options{Table: Table{Layout: samplesLayout}})
	require.NoError(t, err)
	require.Len(t, s.samples, 12)
	require.GreaterOrEqual(t, len(s.chosen.names), 6)
	for i, x := range s.samples {
		label := []string{"walk", "sit", "Zürich & <co>"}[i%3]
		assert.Equal(t, label, x.label)
		for column, name := range s.chosen.names {
			want := float32(tableOf(name[0], i))
			assert.Equal(t, math.Float32bits(want), math.Float32bits(float32(x.Values[column])), "%s of sample %d: %g", name, i,
				x.Values[column])
		}
	}
}

func holdsTimes(t *testing.T, path string) {
	t.Helper()
	result, d := imported(t, Options{}, path)
	messagetest.Names(t, result.ReadAs, "column time … seconds")
	messagetest.Names(t, result.Lengths, "20 time points … 0.125")
	for s, series := range d.Series {
		for k, value := range series {
			assert.Equal(t, float32((s*7+k*k)%11)+0.5, value)
		}
	}
}
