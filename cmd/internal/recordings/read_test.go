package recordings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/recording"
)

// Recordings to classify need no classes, whatever form they have. The table of an import says how to read them.
func TestReadUnlabelled(t *testing.T) {
	folder := t.TempDir()
	known := Table{Layout: recordingLayout, Take: []string{"x", "y"}}
	raw, err := json.Marshal(known)
	require.NoError(t, err)
	assert.JSONEq(t, `{"layout":"recording","take":["x","y"]}`, string(raw))
	one := put(t, folder, "flat/one.csv", "t;y;x;battery\n0;5;1,5;full\n1;6;2;\n")
	put(t, folder, "flat/two.csv", "x,y\n7,8\n")
	for _, c := range []struct {
		inputs []string
		table  Table
		want   [][]float64
	}{
		{[]string{one}, known, [][]float64{{1.5, 5, 2, 6}}},
		{[]string{filepath.Join(folder, "flat")}, known, [][]float64{{1.5, 5, 2, 6}, {7, 8}}},
		{[]string{put(t, folder, "classes/a/1.csv", "x,y\n1,2\n")}, known, [][]float64{{1, 2}}},
		{[]string{filepath.Join(folder, "classes")}, known, [][]float64{{1, 2}}},
		{[]string{put(t, folder, "a.ts", "@classLabel false\n@data\n1,2:3,4\n")}, Table{}, [][]float64{{1, 3, 2, 4}}},
		{[]string{put(t, folder, "b.ts", "@dimensions 2\n@classLabel true u v\n@data\n1,2:3,4\n1:2:w\n")}, Table{},
			[][]float64{{1, 3, 2, 4}, {1, 2}}},
		{[]string{put(t, folder, "long.csv", "sample,time,sensor,value\na,0,y,1\na,0,x,2\nb,0,x,3\nb,0,y,4\n")}, known,
			[][]float64{{2, 1}, {3, 4}}},
		{[]string{put(t, folder, "moments.csv", "sample,x,y\na,1,2\nb,3,4\na,5,6\n")}, known, [][]float64{{1, 2, 5, 6}, {3, 4}}},
		{[]string{put(t, folder, "wide.csv", "y@0,y@1,x@0,x@1\n1,2,3,4\n")}, known, [][]float64{{3, 1, 4, 2}}},
		{[]string{put(t, folder, "named.csv", "f0,f1,f2\n1,2,3\n4,5,6\n")}, Table{Layout: samplesLayout, Take: []string{"f"}},
			[][]float64{{1, 2, 3}, {4, 5, 6}}},
		{[]string{put(t, folder, "sensors.csv", "f0,f1,f2\n1,2,3\n4,5,6\n")},
			Table{Layout: recordingLayout, Take: []string{"f0", "f1", "f2"}}, [][]float64{{1, 2, 3, 4, 5, 6}}},
	} {
		s, err := read(t, c.inputs, Options{Table: c.table, Unlabelled: true})
		require.NoError(t, err, c.inputs)
		var got [][]float64
		for _, x := range s.samples {
			got = append(got, x.Values)
			assert.NotEmpty(t, x.where)
		}
		assert.Equal(t, c.want, got, c.inputs)
		if c.table.Take != nil {
			assert.Equal(t, c.table.Take, s.table.Take)
		}
	}

	in, err := os.Open(one)
	require.NoError(t, err)
	defer in.Close()
	was := os.Stdin
	os.Stdin = in
	defer func() { os.Stdin = was }()
	s, err := read(t, []string{stdin}, Options{Table: known, Unlabelled: true})
	require.NoError(t, err)
	assert.Equal(t, []float64{1.5, 5, 2, 6}, s.samples[0].Values)
	assert.Equal(t, []float64{0, 1}, s.samples[0].Times)
	assert.Equal(t, "one file a recording, one line a moment; semicolons, decimal commas; column t as time", s.made.ReadAs)
	assert.Contains(t, s.notes, "columns are in another order in some files, such as -; they are taken by their names")

	less := put(t, folder, "less.csv", "x,z\n1,2\n")
	_, err = read(t, []string{less}, Options{Table: known, Unlabelled: true})
	assert.ErrorContains(t, err, `less.csv, line 1: no column or sensor is named "y"; there are x, z`)
	s, err = read(t, []string{less}, Options{Table: known, Unlabelled: true, Missing: "zero"})
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, s.made.Sensors, "the form of the recordings says what is missing")
	assert.Equal(t, []string{less + " has columns that the training data has not, such as z; left out"}, s.notes)

	// What an import left out stays out.
	folder = filepath.Dir(put(t, t.TempDir(), "a/1.csv", "time,x\n0,1\n5,2\n"))
	s, err = read(t, []string{filepath.Dir(folder)}, Options{Table: Table{Leave: []string{"time"}}})
	require.NoError(t, err)
	s, err = read(t, []string{folder}, Options{Table: s.table, Unlabelled: true})
	require.NoError(t, err)
	assert.Nil(t, s.samples[0].Times)
}

// The same recordings in three dialects are the same data.
func TestDialects(t *testing.T) {
	var signals [][]float32
	for _, write := range []func(text string) (name, as string){
		func(text string) (string, string) { return ".csv", text },
		func(text string) (string, string) {
			return ".txt", "# of a logger\n" + strings.NewReplacer("hip.", "hip.", ",", ";", ".", ",").Replace(text)
		},
		func(text string) (string, string) {
			lines := strings.Split(strings.ReplaceAll(text, ",", "\t"), "\n")
			return ".tsv.gz", packed("\ufeff" + lines[0] + "\r\nm\tm\r\n" + strings.Join(lines[1:], "\r\n"))
		},
	} {
		folder := t.TempDir()
		for i := range 20 {
			text := "hip.x,hip.y\n"
			for moment := range 5 + i%3 {
				text += fmt.Sprintf("%d.%d,-0.%d\n", moment, i, moment)
			}
			name, text := write(text)
			put(t, folder, fmt.Sprintf("%c/%d%s", "ab"[i%2], i, name), text)
		}
		result, d := imported(t, Options{}, folder)
		assert.Equal(t, []string{"hip"}, result.Sensors)
		var all []float32
		for i := range 20 {
			all = append(all, signal(d, i)...)
		}
		signals = append(signals, all)
	}
	assert.Equal(t, signals[0], signals[1])
	assert.Equal(t, signals[0], signals[2])
}

// The table of an import is read again without its classes and groups, whatever their columns are called.
func TestReadTheSameTable(t *testing.T) {
	for heading, sensors := range map[string][]string{"f0,f1,f2,activity,person": {"f"}, "activity,a,b,c,person": {"a", "b", "c"}} {
		lines := heading + "\n"
		for i := range 8 {
			values := fmt.Sprintf("%d,1,%d", i%4, i/2)
			lines += map[bool]string{true: fmt.Sprintf("%s,u%d,p%d\n", values, i%2, i/4), false: fmt.Sprintf("u%d,%s,p%d\n", i%2, values, i/4)}[heading[0] == 'f']
		}
		path := put(t, t.TempDir(), "r.csv", lines)
		_, d := imported(t, Options{Label: "activity", Group: "person"}, path)
		again, notes, err := ReadUnlabelled(t.Context(), []string{path}, d.Form)
		require.NoError(t, err)
		assert.Empty(t, notes)
		require.Len(t, again, 8)
		assert.Equal(t, sensors, again[5].Sensors)
		assert.Equal(t, []float64{1, 1, 2}, again[5].Values)
	}
}

// Without an import the sensors have the training's names or numbers, and an array has them in their order.
func TestReadByHand(t *testing.T) {
	folder := t.TempDir()
	form := &recording.Form{Sensors: []string{"sensor 0", "sensor 1"}, Channels: 1, Longest: 9}
	array := writeNPY(t, folder, "r.npy", []int{3, 2}, []float64{1, 2, 3, 4, 5, 6})
	for _, path := range []string{array, put(t, folder, "r.csv", "sensor 0,sensor 1\n1,2\n3,4\n5,6\n"),
		put(t, folder, "turned.csv", "sensor 1,sensor 0\n2,1\n4,3\n6,5\n")} {
		all, _, err := ReadUnlabelled(t.Context(), []string{path}, form)
		require.NoError(t, err, path)
		require.Len(t, all, 1, path)
		assert.Equal(t, []float64{1, 2, 3, 4, 5, 6}, all[0].Values, path)
	}
	_, _, err := ReadUnlabelled(t.Context(), []string{writeNPY(t, folder, "s.npy", []int{3, 2, 4}, make([]float64, 24))}, form)
	require.ErrorContains(t, err, "s.npy: the array has shape [3 2 4]; want a recording [moments, sensors] of the training's 2 sensors")
	form.Longest = 1
	all, _, err := ReadUnlabelled(t.Context(), []string{put(t, folder, "table.csv", "sensor 0,sensor 1\n1,2\n3,4\n")}, form)
	require.NoError(t, err)
	assert.Len(t, all, 2, "a table's lines are samples")
}
