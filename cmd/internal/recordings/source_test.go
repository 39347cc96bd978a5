package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// A format costs an entry in the list: here one of tables, with lines of words, and one of samples without names.
func TestNewFormats(t *testing.T) {
	was := formats
	defer func() { formats = was }()
	formats = append(formats[:len(formats):len(formats)],
		format{ending: ".words", rank: 1, lines: func(j *job, path string, each eachLine) error {
			raw, err := os.ReadFile(path)
			for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
				if err == nil {
					err = each(&input{path: path, encoding: "words", markers: j.markers}, i+1, strings.Fields(line))
				}
			}
			return err
		}},
		format{ending: ".pulse", rank: 1, samples: func(_ *job, from source, _ hints) (content, error) {
			raw, err := os.ReadFile(from.path)
			one := &sample{source: from, where: from.path}
			for _, beat := range raw {
				one.Values = append(one.Values, float64(beat-'0'))
			}
			return content{as: "pulses", columns: crossed([]string{"pulse"}, nil), samples: []*sample{one}}, err
		}})
	imports := func(input string) (as string, values [][]float64, table Table) {
		s, err := read(t, []string{input}, Options{})
		require.NoError(t, err)
		for _, x := range s.samples {
			values = append(values, x.Values)
		}
		return s.readAs(), values, s.settingsForAlike()
	}
	as, values, _ := imports(put(t, t.TempDir(), "r.words",
		"sample time x label\n"+"a 0 1 u\na 1 2 u\nb 0 3 v\nb 1 5 v\n"))
	messagetest.Names(t, as, "line a time point … words … column time")
	assert.Equal(t, [][]float64{{1, 2}, {3, 5}}, values)

	folder := t.TempDir()
	one := put(t, folder, "u/1.pulse", "1231")
	put(t, folder, "v/1.pulse", "4321")
	as, values, table := imports(folder)
	assert.Equal(t, "pulses", as)
	assert.Equal(t, [][]float64{{1, 2, 3, 1}, {4, 3, 2, 1}}, values)
	assert.Equal(t, "1.npz", Name([]string{one}))
	s, err := readKnown(t, []string{one}, table, []string{"pulse"}, 1)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2, 3, 1}, s.samples[0].Values)
	messagetest.Names(t, refused(t, Options{Table: Table{Time: "t"}}, folder), "--time … form of tables … folders")
	_, err = Import(t.Context(), []string{folder}, filepath.Join(t.TempDir(), "made.npz"), Options{})
	assert.NoError(t, err)
}

// What stands beside recordings in their folder and is not read is told of: it may be a recording in a format of
// another kind.
func TestFilesBesideRecordingsAreToldOf(t *testing.T) {
	folder := t.TempDir()
	const table = "time,a\n0,1\n1,3\n2,2\n"
	for i := range 8 {
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), table)
	}
	clean, d := imported(t, Options{}, folder)
	assert.Empty(t, clean.Notes)
	for _, name := range []string{"u/9.txt", "v/9.dat", "v/deeper/9.csv", "labels.csv"} {
		path := put(t, folder, name, table)
		result, _ := imported(t, Options{}, folder)
		file := path
		if name == "v/deeper/9.csv" { // the folder is named
			path = filepath.Dir(path)
		}
		besides := "left out … 1 file or folder … " + path
		messagetest.EachNames(t, result.Notes, besides)
		_, notes, err := ReadUnlabelled(t.Context(), []string{folder}, d.Form)
		require.NoError(t, err)
		messagetest.EachNames(t, notes, besides)
		require.NoError(t, os.Remove(file))
		_ = os.Remove(path) // of a folder that is empty now
	}
	labels := put(t, folder, "links.csv", "a,a\n")
	named, _ := imported(t, Options{Parts: put(t, folder, "parts.csv", "a,trunk\n")}, folder)
	messagetest.Names(t, strings.Join(named.Notes, "\n"), "1 file … "+labels, "but for what an option names")
	require.NoError(t, os.Remove(labels))
	require.NoError(t, os.Remove(filepath.Join(folder, "parts.csv")))
	put(t, folder, ".hidden", "x")
	hidden, _ := imported(t, Options{}, folder)
	assert.Empty(t, hidden.Notes)
}
