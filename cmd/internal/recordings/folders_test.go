package recordings

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
)

// csvFolders writes recordings of three sensors on two axes: two classes, people anna and ben, five takes each, of 6 to
// 10 time points. Sensor s is at (time point + s, class) in every time point, shifted by 10.
func csvFolders(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "recordings")
	for class, name := range []string{"still", "wave"} {
		for _, person := range []string{"anna", "ben"} {
			for take := range 5 {
				text := "\ufeff\"hip.x\",hip.y,hand.x,hand.y,head.x,head.y\n"
				for timepoint := range 6 + take {
					for sensor := range 3 {
						text += fmt.Sprintf("%d, %d,", 10+timepoint+sensor, 10+class)
					}
					text = text[:len(text)-1] + "\n"
				}
				if take == 1 {
					text += ",,,,,\n" // a time point without values
				}
				put(t, folder, fmt.Sprintf("%s/%s_%d.csv", name, person, take), text)
			}
		}
	}
	put(t, folder, ".hidden/a.csv", "x\n1\n")
	put(t, folder, "notes.txt", "")
	put(t, folder, "wave/notes.txt", "")
	return folder
}

// writeNPY writes an array to a file below a folder.
func writeNPY(t *testing.T, folder, name string, shape []int, values any) string {
	t.Helper()
	path := put(t, folder, name, "")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, npz.WriteNPY(file, &npz.Array{Shape: shape, Data: values}))
	require.NoError(t, file.Close())
	return path
}

// Parts are in the order of their first sensors; a sensor may be of none.
func TestFoldersOfABody(t *testing.T) {
	parts := put(t, t.TempDir(), "parts.csv", "head,trunk\nhand,arm\n")
	result, d := importedAt(t, 4, Options{Parts: parts}, csvFolders(t))
	assert.Equal(t, []Part{{"trunk", []int{2}}, {"arm", []int{1}}}, result.Parts)
	assert.Equal(t, [][]int{{2}, {1}}, d.Parts)
	assert.Zero(t, d.Bodies, "two channels are no positions in space")
	assert.Contains(t, refused(t, Options{Parts: parts, Bodies: 1}, csvFolders(t)),
		"--bodies 1: each has x, y and z, and there are 2 channels; --bodies 0 says")
}

func TestFolders(t *testing.T) {
	folder := csvFolders(t)
	links := put(t, t.TempDir(), "links.csv", "hip,hand\nhand, head\n")
	result, d := importedAt(t, 4, Options{Links: links, Origin: "hip", Test: "ben_*", Group: "^([a-z]+)_"}, folder)
	assert.Equal(t, []int{20, 12, 2, 17}, []int{d.Signals.Len(), d.Nodes, d.Channels, d.Affinity.Edges()})
	assert.Equal(t, []string{"still", "wave"}, d.ClassNames)
	assert.Equal(t, []string{"hip@0", "hand@0", "head@0", "hip@1"}, d.NodeNames[:4])
	assert.Len(t, d.Test, 10)
	assert.Equal(t, "6 to 10 time points, median 8", result.Timepoints.String())
	assert.Equal(t, `--test "ben_*"`, result.SplitBy)
	assert.Equal(t, []string{"anna", "ben"}, result.Groups)
	assert.Equal(t, "the 2 links of "+links, result.Graph)
	assert.Zero(t, result.Filled.Samples, "a time point at the end without values is none")
	assert.Equal(t, "ben", d.Groups[19])
	assert.Len(t, d.Series[0], 6*6, "anna, 6 time points")
	for timepoint := range 6 {
		for sensor := range 3 {
			assert.InDelta(t, timepoint+sensor, d.Series[0][6*timepoint+2*sensor], 1e-5)
			assert.Zero(t, d.Series[0][6*timepoint+2*sensor+1], "the hip is the origin")
		}
	}

	// Without links all sensors of a frame are joined; where they have positions, near ones.
	_, d = importedAt(t, 4, Options{}, folder)
	assert.Equal(t, 4*3+3*3, d.Affinity.Edges())
	positions := put(t, t.TempDir(), "positions.csv", "# of a cap\nsensor;x;y\nhead;0;3\nhip;0;1\nhand;0;2,1\nfoot;0;0\n")
	result, d = importedAt(t, 4, Options{Positions: positions, Neighbours: 1}, folder)
	assert.Equal(t, 4*2+3*3, d.Affinity.Edges())
	assert.Equal(t, []float64{1, 1, 0}, []float64{d.Affinity.At(0, 1), d.Affinity.At(1, 2), d.Affinity.At(0, 2)})
	assert.Equal(t, "each sensor with its 1 nearest by "+positions, result.Graph)
	_, d = importedAt(t, 4, Options{Positions: positions, Neighbours: 9}, folder)
	assert.Equal(t, 4*3+3*3, d.Affinity.Edges())
}

func TestFoldersOfArrays(t *testing.T) {
	features := make([]float32, 7*3*2)
	for i := range features {
		features[i] = float32(math.Sin(float64(i)))
	}
	features[6] = float32(math.NaN())
	folder := t.TempDir()
	for name, files := range map[string]int{"a": 8, "b": 9} {
		for i := range files {
			writeNPY(t, folder, fmt.Sprintf("%s/%d.npy", name, i), []int{7, 3, 2}, features)
		}
	}
	result, d := imported(t, Options{}, folder)
	assert.Equal(t, "7 time points in all samples", result.Timepoints.String())
	assert.Equal(t, Filled{Changes: recording.Changes{Interpolated: 17}, Samples: 17, Of: 17 * 42}, result.Filled)
	assert.Equal(t, []string{"0", "1", "2"}, result.Sensors)
	assert.InDelta(t, (features[0]+features[12])/2, signal(d, 0)[6], 1e-6)
}

// A file that is no recording is refused, alone in its folder.
func TestRefusedFiles(t *testing.T) {
	axes := "zed.csv, line 1: the sensors (a, b) do not have as many axes each; name the columns sensor.axis, " +
		"or leave out what only some have: --leave "
	for _, c := range []struct{ name, text, want string }{
		{"wave/zed.csv", "", "zed.csv: the file is empty; the first line names the columns: " +
			"hip.x,hip.y,head.x,head.y or sample,time,sensor,value,label"},
		{"wave/zed.csv", "hip.x\n",
			"zed.csv: no line of values comes after the first, which names the columns; remove the file"},
		{"wave/zed.csv", "1,2\n3,4\n", `zed.csv, line 1: the heading of column 1 is "1"; the first line names the columns`},
		{"wave/zed.csv", "a.x,b.x,a.y\n", axes + `"a.y"`},
		{"wave/zed.csv", "a.x,a.y,b.x,b.y,b.z\n", axes + `"b.z"`},
		{"wave/zed.csv", "a.x,a.y,a.z,b.x\n", axes + `"a.y,a.z"`},
		{"wave/zed.csv", "a.x,a.y\n1,2\n\n3\n",
			"zed.csv, line 4: 1 cells, the first line names 2 columns; write ? for a missing value"},
		{"wave/zed.csv", "a.x,a.y\n1,2\n3,high\n", `zed.csv, line 3: column a.y: "high" is not a number that float32 holds; ` +
			"correct it, or write ? for a missing value"},
		{"wave/zed.csv", "a.x,a.y\n1,\"2\n", "zed.csv, line 2, character "},
		{"wave/zed.npy", "no array", "zed.npy: not a .npy array"},
	} {
		alone := t.TempDir()
		put(t, alone, c.name, c.text)
		assert.Contains(t, refused(t, Options{}, alone), c.want)
	}
}

// A file that does not fit the other recordings of its folder is refused, and so is an array that is no recording.
func TestRefusedAmongOthers(t *testing.T) {
	folder := csvFolders(t)
	zed := put(t, folder, "wave/zed.csv", "hip.x,hand.x\n1,2\n")
	assert.Contains(t, refused(t, Options{}, folder), filepath.Join("wave", "zed.csv")+
		", line 1: hip.y, hand.y, head.x, head.y is not in this file or not in "+filepath.Join(folder, "still", "anna_0.csv")+
		"; all recordings must have the same columns: --leave \"hip.y,hand.y,head.x,head.y\" takes those that all have")
	for text, want := range map[string]string{
		"Hip.x,hip.y,hand.x,hand.y,head.x,head.y\n1,2,3,4,5,6\n": `line 1: hip.x, Hip.x is not in this file or not in `,
		"HIP.X,HIP.Y\n1,2\n": "; all recordings must have the same columns: HIP.X and hip.x differ in case only; name " +
			"them alike",
		"a,b\n1,2\n": "; all recordings must have the same columns: they have none in common; name them alike",
	} {
		put(t, folder, "wave/zed.csv", text)
		said := refused(t, Options{}, folder)
		assert.Contains(t, said, want)
		assert.Contains(t, said, "; name them alike")
		assert.NotContains(t, said, "--leave")
	}
	put(t, folder, "wave/zed.csv", "HIP.x,hip.y\n1,2\n")
	assert.Contains(t, refused(t, Options{Table: Table{Take: []string{"hip"}}}, folder),
		": HIP.x and hip.x differ in case only; name them alike")
	require.NoError(t, os.Remove(zed))
	for _, c := range []struct {
		shape  []int
		values []float64
		want   string
	}{
		{[]int{2}, []float64{1, 2}, "zed.npy: the array has shape [2]; want [timepoints, sensors, axes], none of them 0"},
		{[]int{1, 2}, []float64{1, math.Inf(1)},
			"zed.npy: the array[0,1] is +Inf, which float32 does not hold; store nan for a missing value"},
	} {
		writeNPY(t, folder, "wave/zed.npy", c.shape, c.values)
		assert.Contains(t, refused(t, Options{}, folder), c.want)
	}
}

// Folders without recordings, of one class only, or given twice, are refused.
func TestRefusedFolders(t *testing.T) {
	folder := csvFolders(t)
	empty := filepath.Join(folder, "jump")
	require.NoError(t, os.Mkdir(empty, 0o755))
	assert.Contains(t, refused(t, Options{}, folder),
		empty+` holds no .csv or .npy file; put the recordings of class "jump" there, or remove the folder`)
	require.NoError(t, os.Remove(empty))
	assert.Contains(t, refused(t, Options{}, t.TempDir()),
		"holds neither .ts files nor folders of .csv or .npy files; make a folder for each class")
	assert.Contains(t, refused(t, Options{}, folder, folder),
		"2 files or folders are given; give one folder, or files of one kind")
}

// Recordings of one class, or of one person, are there to be tested: a training refuses them.
func TestFoldersOfOneClass(t *testing.T) {
	folder := csvFolders(t)
	path := filepath.Join(t.TempDir(), "made.npz")
	result, err := Import(t.Context(), []string{folder}, path, Options{Group: `(\.csv)$`})
	require.NoError(t, err)
	assert.Contains(t, result.Notes, `all 20 samples are of one group, ".csv": ccp eval --data tests on them, but no training can hold a group out`)
	_, err = datasets.Load(t.Context(), path, datasets.Options{})
	require.ErrorContains(t, err, `groups puts all 20 samples into one group, ".csv"`)
	d, err := datasets.Load(t.Context(), path, datasets.Options{Whole: true})
	require.NoError(t, err)
	assert.Len(t, d.Test, 20)

	one := filepath.Join(t.TempDir(), "one")
	for take := range 4 {
		put(t, one, fmt.Sprintf("a/%d.csv", take), "x\n1\n2\n")
	}
	result, err = Import(t.Context(), []string{one}, path, Options{})
	require.NoError(t, err)
	assert.Contains(t, result.Notes, `all 4 samples are of one class, "a": ccp eval --data tests on them, but a training needs at least two`)
	_, err = datasets.Load(t.Context(), path, datasets.Options{})
	require.ErrorContains(t, err, "labels name 1 class: a classifier needs at least 2")
}

// Options that do not fit the recordings of folders are refused.
func TestRefusedOptionsOfFolders(t *testing.T) {
	folder := csvFolders(t)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Origin: "foot"}, `--origin "foot" is not one of the sensors: hip, hand, head`},
		{Options{Test: "zed*"}, `--test "zed*" matches 0 of the 20 samples, which are named such as "anna_0.csv"; ` +
			"want some, and some left to train on"},
		{Options{Test: "*"}, `--test "*" matches 20 of the 20 samples`},
		{Options{Test: "[a"}, `--test "[a": syntax error in pattern; it is a pattern of names such as 'ben_*'`},
		{Options{Group: "(["}, `it is a regular expression such as '^([a-z]+)_'`},
		{Options{Group: "anna"}, `anna_0.csv, line 1: no column is headed "anna"; there are hip.x, hip.y, hand.x, hand.y, ` +
			"head.x, head.y: --group takes a column, or a regular expression with brackets"},
		{Options{Group: "^(anna)"}, `ben_0.csv: --group "^(anna)" finds no group in "ben_0.csv"; each sample must be of one`},
		{Options{Label: "class"}, "--label is for the form long, this is folders; leave it out"},
	} {
		assert.Contains(t, refused(t, c.o, folder), c.want)
	}
}

// Files that say what sensors are, how they are linked, or where they are, name the line that is wrong.
func TestRefusedFilesOfSensors(t *testing.T) {
	folder := csvFolders(t)
	path := func(name string) string { return filepath.Join(folder, name) }
	parts, links := Options{Parts: path("parts.csv")}, Options{Links: path("links.csv")}
	positions := Options{Positions: path("positions.csv"), Neighbours: 4}
	for _, c := range []struct {
		file, text string
		o          Options
		want       string
	}{
		{"parts.csv", "hip,trunk\nhand\n", parts,
			"parts.csv, line 2: 1 cells; want a sensor and the name of its part of the body"},
		{"parts.csv", "foot,leg\n", parts, `parts.csv, line 1: "foot" is not one of the sensors: hip, hand, head`},
		{"parts.csv", "sensor,part\nhip,leg\n", parts, `"sensor" is not one of the sensors: hip, hand, head; if the line is a heading, remove it`},
		{"parts.csv", "hip,trunk\nfoot,leg\n", parts, `"foot" is not one of the sensors: hip, hand, head`},
		{"parts.csv", "hip,trunk\nhip,leg\n", parts, `parts.csv, line 2: sensor "hip" is in two parts; keep one`},
		{"parts.csv", "\n", parts, "parts.csv holds no part; write a sensor and its part in each line, or leave --parts out"},
		{"links.csv", "hip,hand\nhip\n", links,
			"links.csv, line 2: 1 cells; want the names of two sensors that belong together"},
		{"links.csv", "from,to\nhip,hand\n", links, `links.csv, line 1: "from" is not one of the sensors: hip, hand, head; if the line is ` +
			`a heading, remove it`},
		{"links.csv", "hip,hand,2\n", links,
			"links.csv, line 1: 3 cells; want the names of two sensors that belong together, without a weight, " +
				"and no heading"},
		{"links.csv", "hip,foot\n", links, `links.csv, line 1: "foot" is not one of the sensors: hip, hand, head`},
		{"links.csv", "hip,hip\n", links, `links.csv, line 1: sensor "hip" is linked with itself; a link joins two sensors`},
		{"links.csv", "\n", links, "links.csv holds no link; write a pair of sensors in each line, or leave --links out"},
		{"positions.csv", "sensor,x,y\nhip,0,0\nhand,0,north\n", positions,
			`positions.csv, line 3: "north" is not a finite number; want the sensor's name and its position`},
		{"positions.csv", "hip,0,0\nhand,0\n", positions,
			"positions.csv, line 2: 2 cells; want the sensor's name and its position, in all lines alike"},
		{"positions.csv", "hip,0,0\nhip,0,1\n", positions,
			`positions.csv, line 2: sensor "hip" has a position already; keep one of the lines`},
		{"positions.csv", "hip,0,0\nhand,0,1\n", positions,
			`positions.csv has no position of sensor "head"; add a line of it, or leave the sensor out with --leave "head"`},
	} {
		put(t, folder, c.file, c.text)
		assert.Contains(t, refused(t, c.o, folder), c.want)
	}
	yes := true
	parts.Scale = &yes
	assert.Contains(t, refused(t, parts, folder),
		"--scale would bend the body that --parts "+path("parts.csv")+" is of; leave one of them out")
	both := Options{Positions: path("positions.csv"), Links: path("links.csv")}
	assert.Contains(t, refused(t, both, folder), "the graph is given by --links "+path("links.csv")+
		" and by --positions "+path("positions.csv")+"; keep one of them")
	assert.Contains(t, refused(t, Options{Links: path("none.csv")}, folder), "none.csv: no such file")
}

// An import that is stopped leaves nothing, wherever it is.
func TestStopped(t *testing.T) {
	folder, out := csvFolders(t), t.TempDir()
	stopped := errors.New("stopped")
	for _, when := range []string{"reading " + folder, "writing " + filepath.Join(out, "made.npz")} {
		ctx, stop := context.WithCancelCause(t.Context())
		_, err := Import(ctx, []string{folder}, filepath.Join(out, "made.npz"),
			Options{Progress: func(doing string, done float64) {
				if doing == when && done >= 0.5 {
					stop(stopped)
				}
			}})
		require.ErrorIs(t, err, stopped)
		entries, err := os.ReadDir(out)
		require.NoError(t, err)
		assert.Empty(t, entries)
	}
}

// Tables that are no text are told of as they are read, so that they can be stopped.
func TestStoppedInTables(t *testing.T) {
	folder := t.TempDir()
	var rows []parquetRow
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"sample", "time", "x", "label"}))
	for i := range 1000 {
		rows = append(rows, parquetRow{Sample: fmt.Sprint(i / 50), Time: int64(i), Label: "a"})
		require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{fmt.Sprint(i / 50), i, i % 7, "a"}))
	}
	require.NoError(t, parquet.WriteFile(filepath.Join(folder, "r.parquet"), rows))
	require.NoError(t, f.SaveAs(filepath.Join(folder, "r.xlsx")))
	for _, name := range []string{"r.parquet", "r.xlsx"} {
		ctx, stop := context.WithCancelCause(t.Context())
		stopped, told := errors.New("stopped"), 0
		_, err := Import(ctx, []string{filepath.Join(folder, name)}, filepath.Join(folder, "made.npz"),
			Options{Progress: func(doing string, done float64) {
				if doing == "reading "+name {
					assert.Less(t, done, 0.6)
					told++
					stop(stopped)
				}
			}})
		require.ErrorIs(t, err, stopped, name)
		assert.Equal(t, 1, told, name)
	}
}

// A column that rises in arrays is asked about, too. Arrays have no times, so that --time would not help.
func TestRisingColumnOfArrays(t *testing.T) {
	folder := t.TempDir()
	var values []float64
	for i := range 20 {
		values = append(values, float64(i*i%7), float64(i))
	}
	writeNPY(t, folder, "a/x.npy", []int{20, 2}, values)
	writeNPY(t, folder, "b/x.npy", []int{20, 2}, values)
	said := refused(t, Options{}, folder)
	assert.Contains(t, said, `column 1 rises in every recording, as from 0 to 19 in `)
	assert.Contains(t, said, `x.npy: if it only counts, --leave "1"; if it is a sensor, name all sensors: --take 0,1`)
}

// An import replaces the file before it, whole or not at all, by arrays that any program reads.
func TestImportedArrays(t *testing.T) {
	folder, out := csvFolders(t), t.TempDir()
	path := put(t, out, "made.npz", "before")
	_, err := Import(t.Context(), []string{folder}, path, Options{Test: "ben_*", Group: "^([a-z]+)_"})
	require.NoError(t, err)
	file, err := npz.Open(path)
	require.NoError(t, err)
	defer file.Close()
	assert.Equal(t, []string{"labels", "class_names", "sample_names", "sensor_names", "recording", "split", "groups",
		"series"}, file.Names())
	_, err = Import(t.Context(), []string{folder}, filepath.Join(out, "none", "made.npz"), Options{})
	require.Error(t, err)
}

// TestPartsOfATable reads the folders by which Arrow, Spark and DuckDB part a table.
func TestPartsOfATable(t *testing.T) {
	folder := t.TempDir()
	for _, class := range []string{"walk", "sit%20down"} {
		put(t, folder, "label="+class+"/part-0.csv", "sample,time,x\ns1,0,1\ns1,1,2\ns2,0,4\ns2,1,3\n")
	}
	result, _ := imported(t, Options{}, folder)
	assert.Equal(t, []Class{{"sit down", 2}, {"walk", 2}}, result.Classes)
	assert.Empty(t, result.Notes)

	put(t, folder, "label=walk/part-1.csv", "sample,time,x\ns2,2,1\ns2,3,2\n")
	result, _ = imported(t, Options{}, folder)
	assert.Contains(t, strings.Join(result.Notes, "\n"), `sample "s2" is in `)
	assert.Contains(t, strings.Join(result.Notes, "\n"),
		"counts as two; if these are parts of one recording, write it as one file")

	other := t.TempDir()
	put(t, other, "person=anna/part-0.csv", "sample,time,x,label\ns1,0,1,a\n")
	assert.Contains(t, refused(t, Options{}, other),
		"person=anna is a part of a table by its column person, not a class: write the table as one file")
}
