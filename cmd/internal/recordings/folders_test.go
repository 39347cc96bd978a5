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
	"github.com/clusterpool/ccp/internal/messagetest"
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
	messagetest.Names(t, refused(t, Options{Parts: parts, Bodies: 1}, csvFolders(t)),
		"--bodies 1 … 2 channels … --bodies 0")
}

func TestFolders(t *testing.T) {
	folder := csvFolders(t)
	links := put(t, t.TempDir(), "links.csv", "hip,hand\nhand, head\n")
	result, d := importedAt(t, 4, Options{Links: links, Origin: "hip", Test: "ben_*", Group: "^([a-z]+)_"}, folder)
	assert.Equal(t, []int{20, 12, 2, 17}, []int{d.Signals.Len(), d.Nodes, d.Channels, d.Affinity.Edges()})
	assert.Equal(t, []string{"still", "wave"}, d.ClassNames)
	assert.Equal(t, []string{"hip@0", "hand@0", "head@0", "hip@1"}, d.NodeNames[:4])
	assert.Len(t, d.Test, 10)
	assert.Equal(t, "6 to 10 time points, median 8", result.Lengths)
	assert.Equal(t, `--test "ben_*"`, result.SplitBy)
	assert.Equal(t, []string{"anna", "ben"}, result.Groups)
	assert.Equal(t, "the 2 links of "+links, result.Graph)
	assert.Nil(t, d.Directed)
	assert.Zero(t, result.Filled.Samples, "a time point at the end without values is none")
	assert.Equal(t, "ben", d.Groups[19])
	assert.Len(t, d.Series[0], 6*6, "anna, 6 time points")
	for timepoint := range 6 {
		for sensor := range 3 {
			assert.InDelta(t, timepoint+sensor, d.Series[0][6*timepoint+2*sensor], 1e-5)
			assert.Zero(t, d.Series[0][6*timepoint+2*sensor+1], "the hip is the origin")
		}
	}

	// Links may lead one way.
	result, d = importedAt(t, 4, Options{Links: links, Directed: true}, folder)
	assert.Equal(t, [][2]int{{0, 1}, {1, 2}}, d.Directed)
	messagetest.Names(t, result.Graph, "2 links … first … second")
	messagetest.Names(t, refused(t, Options{Directed: true}, folder), "--directed … by --links … leave --directed out")

	// Without links all sensors of a frame are joined; where they have positions, near ones.
	_, d = importedAt(t, 4, Options{}, folder)
	assert.Equal(t, 4*3+3*3, d.Affinity.Edges())
	positions := put(t, t.TempDir(), "positions.csv", "# of a cap\nsensor;x;y\nhead;0;3\nhip;0;1\nhand;0;2,1\nfoot;0;0\n")
	result, d = importedAt(t, 4, Options{Positions: positions, Neighbours: 1}, folder)
	assert.Equal(t, 4*2+3*3, d.Affinity.Edges())
	assert.Equal(t, []float64{1, 1, 0}, []float64{d.Affinity.At(0, 1), d.Affinity.At(1, 2), d.Affinity.At(0, 2)})
	messagetest.Names(t, result.Graph, "1 nearest … "+positions)
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
	messagetest.Names(t, result.Lengths, "7 time points")
	assert.Equal(t, Filled{Changes: recording.Changes{Interpolated: 17}, Samples: 17, Of: 17 * 42}, result.Filled)
	assert.Equal(t, []string{"0", "1", "2"}, result.Sensors)
	assert.InDelta(t, (features[0]+features[12])/2, signal(d, 0)[6], 1e-6)
}

// A file that is no recording is refused, alone in its folder.
func TestRefusedFiles(t *testing.T) {
	const axes = "zed.csv, line 1 … sensors (a, b) … axes … --leave "
	for _, c := range []struct{ name, text, want string }{
		{"wave/zed.csv", "", "zed.csv … empty … hip.x,hip.y,head.x,head.y … sample,time,sensor,value,label"},
		{"wave/zed.csv", "hip.x\n",
			"zed.csv … no line … values"},
		{"wave/zed.csv", "1,2\n3,4\n", `zed.csv, line 1 … column 1 … "1" … columns`},
		{"wave/zed.csv", "a.x,b.x,a.y\n", axes + `"a.y"`},
		{"wave/zed.csv", "a.x,a.y,b.x,b.y,b.z\n", axes + `"b.z"`},
		{"wave/zed.csv", "a.x,a.y,a.z,b.x\n", axes + `"a.y,a.z"`},
		{"wave/zed.csv", "a.x,a.y\n1,2\n\n3\n",
			"zed.csv, line 4 … 1 cells … 2 columns"},
		{"wave/zed.csv", "a.x,a.y\n1,2\n3,high\n", `zed.csv, line 3 … column a.y … "high" … number`},
		{"wave/zed.csv", "a.x,a.y\n1,\"2\n", "zed.csv, line 2, character "},
		{"wave/zed.npy", "no array", "zed.npy … .npy"},
	} {
		alone := t.TempDir()
		put(t, alone, c.name, c.text)
		messagetest.Names(t, refused(t, Options{}, alone), c.want)
	}
}

// A file that does not fit the other recordings of its folder is refused, and so is an array that is no recording.
func TestRefusedAmongOthers(t *testing.T) {
	folder := csvFolders(t)
	zed := put(t, folder, "wave/zed.csv", "hip.x,hand.x\n1,2\n")
	messagetest.Names(t, refused(t, Options{}, folder), filepath.Join("wave", "zed.csv")+
		", line 1 … hip.y, hand.y, head.x, head.y … "+filepath.Join(folder, "still", "anna_0.csv")+
		` … --leave "hip.y,hand.y,head.x,head.y"`)
	for text, want := range map[string]string{
		"Hip.x,hip.y,hand.x,hand.y,head.x,head.y\n1,2,3,4,5,6\n": "line 1 … hip.x, Hip.x … not in",
		"HIP.X,HIP.Y\n1,2\n": "same columns … HIP.X and hip.x … case",
		"a,b\n1,2\n":         "same columns … none in common",
	} {
		put(t, folder, "wave/zed.csv", text)
		message := refused(t, Options{}, folder)
		messagetest.Names(t, message, want)
		assert.Contains(t, message, "; name them alike")
		assert.NotContains(t, message, "--leave")
	}
	put(t, folder, "wave/zed.csv", "HIP.x,hip.y\n1,2\n")
	messagetest.Names(t, refused(t, Options{Table: Table{Take: []string{"hip"}}}, folder), "HIP.x and hip.x … case")
	require.NoError(t, os.Remove(zed))
	for _, c := range []struct {
		shape  []int
		values []float64
		want   string
	}{
		{[]int{2}, []float64{1, 2}, "zed.npy … [2] … [timepoints, sensors, axes]"},
		{[]int{1, 2}, []float64{1, math.Inf(1)},
			"zed.npy … [0,1] … +Inf … nan"},
	} {
		writeNPY(t, folder, "wave/zed.npy", c.shape, c.values)
		messagetest.Names(t, refused(t, Options{}, folder), c.want)
	}
}

// Folders without recordings, of one class only, or given twice, are refused.
func TestRefusedFolders(t *testing.T) {
	folder := csvFolders(t)
	empty := filepath.Join(folder, "jump")
	require.NoError(t, os.Mkdir(empty, 0o755))
	messagetest.Names(t, refused(t, Options{}, folder), empty+` … no .csv or .npy … "jump"`)
	require.NoError(t, os.Remove(empty))
	messagetest.Names(t, refused(t, Options{}, t.TempDir()), ".ts … .csv or .npy … folder for each class")
	messagetest.Names(t, refused(t, Options{}, folder, folder), "2 files or folders … one folder")
}

// Recordings of one class, or of one person, are there to be tested: a training refuses them.
func TestFoldersOfOneClass(t *testing.T) {
	folder := csvFolders(t)
	path := filepath.Join(t.TempDir(), "made.npz")
	result, err := Import(t.Context(), []string{folder}, path, Options{Group: `(\.csv)$`})
	require.NoError(t, err)
	messagetest.OneNames(t, result.Notes, `20 samples … one group … ".csv" … ccp eval --data`)
	_, err = datasets.Load(t.Context(), path, datasets.Options{})
	messagetest.Names(t, err, `groups … 20 samples … one group … ".csv"`)
	d, err := datasets.Load(t.Context(), path, datasets.Options{Whole: true})
	require.NoError(t, err)
	assert.Len(t, d.Test, 20)

	one := filepath.Join(t.TempDir(), "one")
	for take := range 4 {
		put(t, one, fmt.Sprintf("a/%d.csv", take), "x\n1\n2\n")
	}
	result, err = Import(t.Context(), []string{one}, path, Options{})
	require.NoError(t, err)
	messagetest.OneNames(t, result.Notes, `4 samples … one class … "a" … ccp eval --data`)
	_, err = datasets.Load(t.Context(), path, datasets.Options{})
	messagetest.Names(t, err, "1 class … at least 2")
}

// Options that do not fit the recordings of folders are refused.
func TestRefusedOptionsOfFolders(t *testing.T) {
	folder := csvFolders(t)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Origin: "foot"}, `--origin "foot" … hip, hand, head`},
		{Options{Test: "zed*"}, `--test "zed*" … 0 of the 20 … anna_0.csv`},
		{Options{Test: "*"}, `--test "*" … 20 of the 20`},
		{Options{Test: "[a"}, `--test "[a" … syntax error … 'ben_*'`},
		{Options{Group: "(["}, "regular expression … '^([a-z]+)_'"},
		{Options{Group: "anna"}, `anna_0.csv, line 1 … no column … "anna" … hip.x, hip.y, hand.x, hand.y … --group`},
		{Options{Group: "^(anna)"}, `ben_0.csv … --group "^(anna)" … no group`},
		{Options{Label: "class"}, "--label … form long … folders"},
	} {
		messagetest.Names(t, refused(t, c.o, folder), c.want)
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
			"parts.csv, line 2 … 1 cells … part"},
		{"parts.csv", "foot,leg\n", parts, `parts.csv, line 1 … "foot" … hip, hand, head`},
		{"parts.csv", "sensor,part\nhip,leg\n", parts, `"sensor" … hip, hand, head … heading`},
		{"parts.csv", "hip,trunk\nfoot,leg\n", parts, `"foot" … hip, hand, head`},
		{"parts.csv", "hip,trunk\nhip,leg\n", parts, `parts.csv, line 2 … "hip" … two parts`},
		{"parts.csv", "\n", parts, "parts.csv … no part … --parts"},
		{"links.csv", "hip,hand\nhip\n", links,
			"links.csv, line 2 … 1 cells … two sensors"},
		{"links.csv", "from,to\nhip,hand\n", links, `links.csv, line 1 … "from" … hip, hand, head … heading`},
		{"links.csv", "hip,hand,2\n", links,
			"links.csv, line 1 … 3 cells … two sensors … without a weight"},
		{"links.csv", "hip,foot\n", links, `links.csv, line 1 … "foot" … hip, hand, head`},
		{"links.csv", "hip,hip\n", links, `links.csv, line 1 … "hip" … itself`},
		{"links.csv", "\n", links, "links.csv … no link … --links"},
		{"positions.csv", "sensor,x,y\nhip,0,0\nhand,0,north\n", positions,
			`positions.csv, line 3 … "north" … finite number`},
		{"positions.csv", "hip,0,0\nhand,0\n", positions,
			"positions.csv, line 2 … 2 cells … position"},
		{"positions.csv", "hip,0,0\nhip,0,1\n", positions,
			`positions.csv, line 2 … "hip" … position already`},
		{"positions.csv", "hip,0,0\nhand,0,1\n", positions,
			`positions.csv … no position … "head" … --leave "head"`},
	} {
		put(t, folder, c.file, c.text)
		messagetest.Names(t, refused(t, c.o, folder), c.want)
	}
	yes := true
	parts.Scale = &yes
	messagetest.Names(t, refused(t, parts, folder), "--scale … --parts "+path("parts.csv"))
	both := Options{Positions: path("positions.csv"), Links: path("links.csv")}
	messagetest.Names(t, refused(t, both, folder), "given by … --links "+path("links.csv")+
		" … --positions "+path("positions.csv"))
	messagetest.Names(t, refused(t, Options{Links: path("none.csv")}, folder), "none.csv … no such file")
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
		stopped, readings := errors.New("stopped"), 0
		_, err := Import(ctx, []string{filepath.Join(folder, name)}, filepath.Join(folder, "made.npz"),
			Options{Progress: func(doing string, done float64) {
				if doing == "reading "+name {
					assert.Less(t, done, 0.6)
					readings++
					stop(stopped)
				}
			}})
		require.ErrorIs(t, err, stopped, name)
		assert.Equal(t, 1, readings, name)
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
	message := refused(t, Options{}, folder)
	messagetest.Names(t, message, "column 1 … rises … 0 to 19")
	messagetest.Names(t, message, `x.npy … --leave "1" … --take 0,1`)
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
	messagetest.Names(t, strings.Join(result.Notes, "\n"), "two … write … one file")

	other := t.TempDir()
	put(t, other, "person=anna/part-0.csv", "sample,time,x,label\ns1,0,1,a\n")
	messagetest.Names(t, refused(t, Options{}, other), "person=anna … column person … one file")
}
