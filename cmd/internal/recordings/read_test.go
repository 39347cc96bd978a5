package recordings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
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
		{[]string{put(t, folder, "timepoints.csv", "sample,x,y\na,1,2\nb,3,4\na,5,6\n")}, known,
			[][]float64{{1, 2, 5, 6}, {3, 4}}},
		{[]string{put(t, folder, "wide.csv", "y@0,y@1,x@0,x@1\n1,2,3,4\n")}, known, [][]float64{{3, 1, 4, 2}}},
		{[]string{put(t, folder, "named.csv", "f0,f1,f2\n1,2,3\n4,5,6\n")}, Table{Layout: samplesLayout, Take: []string{"f"}},
			[][]float64{{1, 2, 3}, {4, 5, 6}}},
		{[]string{put(t, folder, "sensors.csv", "f0,f1,f2\n1,2,3\n4,5,6\n")},
			Table{Layout: recordingLayout, Take: []string{"f0", "f1", "f2"}}, [][]float64{{1, 2, 3, 4, 5, 6}}},
	} {
		s, err := readKnown(t, c.inputs, c.table, c.table.Take, 1)
		require.NoError(t, err, c.inputs)
		var got [][]float64
		for _, x := range s.samples {
			got = append(got, x.Values)
			assert.NotEmpty(t, x.where)
		}
		assert.Equal(t, c.want, got, c.inputs)
		if c.table.Take != nil {
			assert.Equal(t, c.table.Take, s.settingsForAlike().Take)
		}
	}

	in, err := os.Open(one)
	require.NoError(t, err)
	defer in.Close()
	was := os.Stdin
	os.Stdin = in
	defer func() { os.Stdin = was }()
	s, err := readKnown(t, []string{stdin}, known, known.Take, 1)
	require.NoError(t, err)
	assert.Equal(t, []float64{1.5, 5, 2, 6}, s.samples[0].Values)
	assert.Equal(t, []float64{0, 1}, s.samples[0].Times)
	messagetest.Names(t, s.readAs(), "one file … line a time point … semicolons, decimal commas … column t")
	messagetest.EachNames(t, s.samples[0].Notes, "sensor battery … left out", "sensors … another order")

	less := put(t, folder, "less.csv", "x,z\n1,2\n")
	_, err = readKnown(t, []string{less}, known, known.Take, 1)
	messagetest.Names(t, err, `less.csv, line 1 … no column … "y" … x, z`)

	// What an import left out stays out.
	folder = filepath.Dir(put(t, t.TempDir(), "a/1.csv", "time,x\n0,1\n5,2\n"))
	s, err = read(t, []string{filepath.Dir(folder)}, Options{Table: Table{Leave: []string{"time"}}})
	require.NoError(t, err)
	s, err = readKnown(t, []string{folder}, s.settingsForAlike(), s.chosen.sensors, 1)
	require.NoError(t, err)
	assert.Nil(t, s.samples[0].Times)
}

// Each of several files is matched with the training's columns, whatever the others lack, and all come in the order in
// which they were given, under names that differ.
func TestReadSeveral(t *testing.T) {
	folder, form := t.TempDir(), &recording.Form{Sensors: []string{"a", "b", "c"}, Channels: 1, Zeros: true}
	form.Reading = json.RawMessage(`{"layout":"recording","take":["a","b","c"]}`)
	lack := put(t, folder, "lack_test.csv", "time,b,a\n0,2,1\n1,5,4\n")
	full := put(t, folder, "full_train.csv", "a,b,c,z\n1,2,3,0\n4,5,6,0\n")
	wide := put(t, folder, "wide.csv", "b@0,b@1,a@0,a@1\n2,5,1,4\n")
	whole := recording.Recording{Name: "full_train.csv", Sensors: form.Sensors, Channels: 1,
		Values: []float64{1, 2, 3, 4, 5, 6}}
	less := recording.Recording{Name: "lack_test.csv", Sensors: []string{"a", "b"}, Channels: 1,
		Values: []float64{1, 2, 4, 5}, Times: []float64{0, 1}}
	for _, c := range []struct {
		inputs []string
		want   []recording.Recording
	}{{[]string{full, lack}, []recording.Recording{whole, less}},
		{[]string{lack, full}, []recording.Recording{less, whole}}} {
		all, notes, err := ReadUnlabelled(t.Context(), c.inputs, form)
		require.NoError(t, err)
		for i := range all {
			facts := "sensor z … left out"
			if all[i].Name == less.Name {
				facts = "sensors … another order"
			}
			messagetest.EachNames(t, all[i].Notes, facts)
			all[i].Notes = nil
		}
		assert.Equal(t, c.want, all)
		assert.Empty(t, notes)
	}
	all, _, err := ReadUnlabelled(t.Context(), []string{wide}, form)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 2, 4, 5}, all[0].Values)
	readings := put(t, folder, "readings.csv", "sample,time,sensor,value\ns,0,b,2\ns,0,a,1\nu,0,a,4\n")
	all, _, err = ReadUnlabelled(t.Context(),
		[]string{readings, put(t, folder, "more.csv", "sample,time,sensor,value\nv,0,a,5\n")}, form)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, all[1].Sensors)
	assert.Equal(t, []string{"a", "b"}, all[2].Sensors)
	form.Zeros = false
	_, _, err = ReadUnlabelled(t.Context(), []string{full, lack}, form)
	messagetest.Names(t, err, `lack_test.csv, line 1 … no column … "c" … b, a`)

	_, _, err = ReadUnlabelled(t.Context(), []string{put(t, folder, "none.csv", "z\n1\n")}, form)
	messagetest.Names(t, err, `none.csv, line 1 … no column … "a" … z`)

	// An empty line may stand for a missing value of the only column, and then changes the others' times.
	only := &recording.Form{Sensors: []string{"a"}, Channels: 1}
	_, notes, err := ReadUnlabelled(t.Context(), []string{put(t, folder, "only.csv", "a\n1\n\n\n3\n4\n\n")}, only)
	require.NoError(t, err)
	messagetest.EachNames(t, notes, "without a value … line 3 of "+filepath.Join(folder, "only.csv")+" … left out")

	// A table without times, whose column of them may have another heading, is refused if the training's had times.
	form.Zeros, form.Rate = true, 10
	_, _, err = ReadUnlabelled(t.Context(), []string{lack, full}, form)
	messagetest.Names(t, err, full+`, line 1 … no times … no sensor "z"`)
	_, _, err = ReadUnlabelled(t.Context(), []string{lack, put(t, folder, "no times.csv", "a,b,c\n1,2,3\n4,5,6\n")}, form)
	require.NoError(t, err)
	form.Rate = 0

	// A sensor has all of its channels or none.
	form = &recording.Form{Sensors: []string{"a", "b"},
		Channels: 2, Zeros: true, Reading: json.RawMessage(`{"take":["a.x","a.y","b.x","b.y"]}`)}
	part := put(t, folder, "part.csv", "b.y,b.x,a.y\n3,2,1\n")
	all, _, err = ReadUnlabelled(t.Context(), []string{put(t, folder, "no.csv", "b.x,b.y\n2,3\n")}, form)
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, all[0].Sensors)
	assert.Equal(t, []float64{2, 3}, all[0].Values)
	_, _, err = ReadUnlabelled(t.Context(), []string{part}, form)
	messagetest.Names(t, err, `part.csv, line 1 … no column … "a.x" … b.y, b.x, a.y`)

	// Folders that agree in three levels, and .ts files in any order.
	form = &recording.Form{Sensors: []string{"dim_0"}, Channels: 1, Reading: json.RawMessage(`{"take":["dim_0"]}`)}
	one := put(t, folder, "p/a/b/c/x.ts", "@classLabel false\n@data\n1,2\n")
	two := put(t, folder, "q/a/b/c/x.ts", "@classLabel true u\n@data\n3,4:v\n")
	all, _, err = ReadUnlabelled(t.Context(), []string{two, one}, form)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, []float64{3, 4, 1, 2}, slices.Concat(all[0].Values, all[1].Values))
	assert.Equal(t, []string{"q/a/b/c/x.ts, line 3", "p/a/b/c/x.ts, line 3"}, []string{all[0].Name, all[1].Name})
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
			for timepoint := range 5 + i%3 {
				text += fmt.Sprintf("%d.%d,-0.%d\n", timepoint, i, timepoint)
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
	for _, c := range []struct {
		heading, line string
		sensors       []string
	}{
		{"f0,f1,f2,activity,person", "%[1]d,1,%[2]d,u%[3]d,p%[4]d\n", []string{"f"}},
		{"activity,a,b,c,person", "u%[3]d,%[1]d,1,%[2]d,p%[4]d\n", []string{"a", "b", "c"}},
	} {
		lines := c.heading + "\n"
		for i := range 8 {
			lines += fmt.Sprintf(c.line, i%4, i/2, i%2, i/4)
		}
		path := put(t, t.TempDir(), "r.csv", lines)
		_, d := imported(t, Options{Label: "activity", Group: "person"}, path)
		again, notes, err := ReadUnlabelled(t.Context(), []string{path}, d.Form)
		require.NoError(t, err)
		assert.Empty(t, notes)
		require.Len(t, again, 8)
		assert.Equal(t, c.sensors, again[5].Sensors)
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
	_, _, err := ReadUnlabelled(t.Context(), []string{writeNPY(t, folder, "s.npy", []int{3, 2, 4}, make([]float64, 24))},
		form)
	messagetest.Names(t, err, "s.npy … [3 2 4] … [timepoints, sensors] … 2 sensors")
	form.Longest = 1
	all, _, err := ReadUnlabelled(t.Context(),
		[]string{put(t, folder, "table.csv", "sensor 0,sensor 1\n1,2\n3,4\n")}, form)
	require.NoError(t, err)
	assert.Len(t, all, 2, "a table's lines are samples")
}
