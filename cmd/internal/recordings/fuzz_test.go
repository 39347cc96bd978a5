package recordings

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a file holds, it is refused, or read into samples that fit their sensors and times. Read once more with
// the table of the first reading, as a new recording is, it gives the same values.
func FuzzRead(f *testing.F) {
	for _, c := range append(slices.Clone(oddRecordings), oddFiles...) {
		for _, text := range strings.Split(c.text, " --\n") {
			f.Add([]byte(text), byte(strings.Count(text, "@data")))
		}
	}
	for _, w := range writtenNumbers {
		f.Add([]byte(strings.Replace(w.files[1], "\n", ";label\n", 1)), byte(0))
		f.Add([]byte(w.files[1]), byte(0))
	}
	f.Add([]byte(longCSV()[:200]), byte(0))
	f.Add([]byte(tsHead+"0,1:1,?:wave\n"), byte(1))
	f.Add([]byte("@classLabel true\n@data\n1:a\n2,3:b"), byte(1))
	f.Add([]byte("@dimensions 999999999\n@classLabel true\n@data\n1:a"), byte(1))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, kind byte) {
		path := filepath.Join(folder, "a"+[]string{".csv", ".ts"}[kind%2])
		require.NoError(t, os.WriteFile(path, text, 0o600))
		// new recordings are read as the import has read them
		if trained, err := read(t, []string{path}, Options{}); err == nil {
			c := trained.chosen
			again, err := readKnown(t, []string{path}, trained.settingsForAlike(), c.sensors, c.channels)
			require.NoError(t, err)
			for i, x := range trained.samples {
				require.Equal(t, fmt.Sprint(x.Values, x.Times), fmt.Sprint(again.samples[i].Values, again.samples[i].Times))
			}
		}
		s, err := readKnown(t, []string{path}, Table{}, nil, 0)
		if err != nil {
			return
		}
		require.NotEmpty(t, s.samples)
		require.NotEmpty(t, s.readAs())
		width := len(s.chosen.names)
		for _, x := range s.samples {
			require.NotEmpty(t, x.Values)
			require.Zero(t, len(x.Values)%width)
			require.True(t, x.Times == nil || len(x.Times) == len(x.Values)/width)
			for i, time := range x.Times {
				require.True(t, i == 0 || time > x.Times[i-1], x.Times)
			}
			for _, v := range x.Values {
				require.False(t, math.Abs(v) > math.MaxFloat32)
			}
		}
		again, err := readKnown(t, []string{path}, s.settingsForAlike(), s.chosen.sensors, s.chosen.channels)
		require.NoError(t, err)
		require.Equal(t, s.chosen.sensors, again.chosen.sensors)
		for i, x := range s.samples {
			require.Equal(t, fmt.Sprint(x.Values, x.Times), fmt.Sprint(again.samples[i].Values, again.samples[i].Times))
		}
	})
}
